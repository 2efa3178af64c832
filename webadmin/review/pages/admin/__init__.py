"""The lists and forms of review; importing this package registers them."""

from webadmin.review.pages.admin import cases, pages

__all__ = ["cases", "pages"]
