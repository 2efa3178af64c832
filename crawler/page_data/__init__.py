"""Reads the text of pages that their scripts write, from data in the scripts or requested by them."""
