"""The `cases` command."""
