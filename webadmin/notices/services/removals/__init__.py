"""Follows the pages of confirmed cases by checks, which prove removals and detect pages that are back."""
