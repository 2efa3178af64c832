"""Judges aligned passages: figures, quotations, common wording, classes and obfuscations."""
