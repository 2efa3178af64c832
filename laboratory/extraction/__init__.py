"""Measures the reading of pages: main text and obfuscations."""
