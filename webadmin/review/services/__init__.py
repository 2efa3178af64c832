"""Computes whole books: the chapters of a work on a site, with the times at which they appeared."""
