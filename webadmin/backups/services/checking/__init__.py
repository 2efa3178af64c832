"""Checks all stored data against their digests, and the stores against each other."""
