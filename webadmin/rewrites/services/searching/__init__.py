"""Compares pages with works by meaning, in a process that is separate from the search for copies."""
