"""Reads untrusted data in a separate process with limited time and memory."""
