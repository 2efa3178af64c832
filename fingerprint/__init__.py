"""From a text to its fingerprint: readings, tokens, frequency windows, anchors; numpy and numba only."""
