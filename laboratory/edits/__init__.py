"""Pirate edits of texts, seeded, of any strength, with the exact origin of every character that comes out."""
