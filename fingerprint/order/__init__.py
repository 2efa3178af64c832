"""Restores the reading order of texts that were written in another order, or with inserted characters."""
