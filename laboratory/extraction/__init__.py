"""How well pages are read: main text, particulars, encodings, obfuscations, pictures."""
