"""How well pages are read: main text and obfuscations."""
