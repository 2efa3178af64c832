"""Registers the lists and forms of sites on import."""

from webadmin.sites.pages.admin import discovery, imports, runs, site_rules, sites, visits

__all__ = ["discovery", "imports", "runs", "site_rules", "sites", "visits"]
