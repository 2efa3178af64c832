"""Computes the fingerprint of a text: readings, tokens, frequency windows and anchors, with numpy and numba only."""
