"""Registers the admin classes that combine several applications on import."""

from webadmin.review.pages.admin import cases, pages, sites, works

__all__ = ["cases", "pages", "sites", "works"]
