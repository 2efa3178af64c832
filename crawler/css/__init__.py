"""Computes the style declarations for each element of a page on each screen, without scripts and layout."""
