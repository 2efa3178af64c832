"""Extraction of a page's main text from what stands around it."""
