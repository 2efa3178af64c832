"""Bulk verdicts, ignored texts, and messages about the effect of changed rights."""
