"""Pirate edits of texts, seeded, of any strength, with the exact origin of every resulting character."""
