"""Judges aligned passages: figures, quotation, set phrases, class, and obfuscations."""
