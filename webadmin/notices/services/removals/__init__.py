"""Follows the pages of confirmed cases by looks, which prove removals and detect returned pages."""
