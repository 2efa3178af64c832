"""Measures speed, memory and size of fingerprints, matching, evidence and the whole chain."""
