"""Decodes bytes by labels and statistics, and repairs wrongly decoded text."""
