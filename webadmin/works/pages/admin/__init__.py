"""The lists and forms of works; importing this package registers them."""

from webadmin.works.pages.admin import licences, works

__all__ = ["licences", "works"]
