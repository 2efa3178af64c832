"""Computes the declarations that apply to each element of a page on each screen, without scripts and layout."""
