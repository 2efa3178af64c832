"""Bulk verdicts, ignored texts, and messages about the effects of changed rights."""
