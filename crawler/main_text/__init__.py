"""Separates a page's main text from its surroundings."""
