"""Registers the admin classes of backups and their dashboard tiles on import."""

from webadmin.backups.pages.admin import backups, rights_holders, store_checks

__all__ = ["backups", "rights_holders", "store_checks"]
