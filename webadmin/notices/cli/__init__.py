"""The verb `notice`, and what it adds to `site`."""
