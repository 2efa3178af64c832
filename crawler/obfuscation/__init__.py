"""Texts that are hidden, garbled or written otherwise, undone while a page is read."""
