"""The lists and forms of backups; importing this package registers them."""

from webadmin.backups.pages.admin import backups, store_checks

__all__ = ["backups", "store_checks"]
