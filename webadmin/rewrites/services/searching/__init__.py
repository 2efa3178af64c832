"""Compares pages with works by meaning, in one process that is separate from the search for copies."""
