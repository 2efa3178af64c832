"""Reads the text of pages that scripts write, from data in the scripts or from data that they request."""
