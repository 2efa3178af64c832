"""The `work` commands."""
