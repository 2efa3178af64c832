"""Repairs texts that are hidden, garbled or obfuscated in other ways, while a page is read."""
