"""Repairs hidden, garbled and otherwise obfuscated text while a page is read."""
