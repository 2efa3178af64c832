"""Contacts that a site states, read from pages that a crawl fetches anyway."""
