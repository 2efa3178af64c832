"""Measures of detection, span by span and page by page, with their intervals."""
