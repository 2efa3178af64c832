"""The verb `work`."""
