"""The commands `cases` and `case`."""
