"""The lists and forms of cases; importing this package registers them."""

from webadmin.cases.pages.admin import ignored_texts

__all__ = ["ignored_texts"]
