"""Checks of requests and responses for all admin pages."""
