"""Matters: all that one site took from one work."""
