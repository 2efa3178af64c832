"""The admin of notices; importing this package registers it."""

from webadmin.notices.pages.admin import addressees, notices

__all__ = ["addressees", "notices"]
