"""The lists and forms of suspected rewrites; importing this package registers them."""

from webadmin.rewrites.pages.admin import leads

__all__ = ["leads"]
