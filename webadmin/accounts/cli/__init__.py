"""The `user` commands."""
