"""The lists and forms of notices; importing this package registers them."""

from webadmin.notices.pages.admin import addressees, notices

__all__ = ["addressees", "notices"]
