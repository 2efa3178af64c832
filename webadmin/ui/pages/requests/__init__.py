"""Checks of requests and responses for all pages of the admin."""
