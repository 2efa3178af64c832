"""Registers lists and forms that combine several applications on import."""

from webadmin.review.pages.admin import cases, licences, pages, sites, works

__all__ = ["cases", "licences", "pages", "sites", "works"]
