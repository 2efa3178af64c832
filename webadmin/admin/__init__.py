"""The admin's lists and forms, one module a subject; Django finds them by importing this package."""

from webadmin.admin import cases, licences, pages, rights, runs, sites, system, works

__all__ = ["cases", "licences", "pages", "rights", "runs", "sites", "system", "works"]
