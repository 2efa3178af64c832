"""Generated pages with text obfuscated in one known way each, and with the text that a reader sees."""
