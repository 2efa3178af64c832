"""Aligns a page with works: extends hits, resolves overlaps, chains passages and classifies changes."""
