"""Computes the fingerprint of a text: readings, tokens, frequency windows, anchors; with numpy and numba only."""
