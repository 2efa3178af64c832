"""Whole books: which chapters of a work a site has, and when each appeared there."""
