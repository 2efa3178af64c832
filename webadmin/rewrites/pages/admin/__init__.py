"""Registers the admin of suspected rewrites on import."""

from webadmin.rewrites.pages.admin import leads

__all__ = ["leads"]
