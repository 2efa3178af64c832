"""The admin of sites; importing this package registers it."""

from webadmin.sites.pages.admin import discovery, imports, runs, site_rules, sites, visits

__all__ = ["discovery", "imports", "runs", "site_rules", "sites", "visits"]
