"""The lists and forms of backups, and their tiles on the dashboard; importing this package registers them."""

from webadmin.backups.pages.admin import backups, rights_holders, store_checks

__all__ = ["backups", "rights_holders", "store_checks"]
