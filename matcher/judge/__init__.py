"""Judges aligned passages: figures, quotation, set wording, class, and obfuscations."""
