"""The admin of works; importing this package registers it."""

from webadmin.works.pages.admin import licences, works

__all__ = ["licences", "works"]
