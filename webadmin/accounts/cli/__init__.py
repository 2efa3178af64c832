"""The verb `user`."""
