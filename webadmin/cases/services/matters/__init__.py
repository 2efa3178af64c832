"""Matters: all copies of one work on one site."""
