"""Measures of detection by span and by page, with their intervals."""
