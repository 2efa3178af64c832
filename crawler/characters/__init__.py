"""Decoding of bytes: labels, statistics, repairs."""
