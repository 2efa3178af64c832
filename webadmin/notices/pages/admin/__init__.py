"""Registers the admin classes of notices on import."""

from webadmin.notices.pages.admin import addressees, notices

__all__ = ["addressees", "notices"]
