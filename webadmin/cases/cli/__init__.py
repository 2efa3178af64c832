"""The verbs `cases` and `case`."""
