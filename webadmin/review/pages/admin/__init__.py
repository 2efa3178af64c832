"""The lists and forms that combine subjects; importing this package registers them."""

from webadmin.review.pages.admin import cases, licences, pages, sites, works

__all__ = ["cases", "licences", "pages", "sites", "works"]
