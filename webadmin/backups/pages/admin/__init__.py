"""The lists and forms of backups; importing this package registers them."""

from webadmin.backups.pages.admin import backups, rights_holders, store_checks
from webadmin.backups.pages.tiles import backup_tiles
from webadmin.reports.pages.dashboard import register_tiles

__all__ = ["backups", "rights_holders", "store_checks"]

register_tiles(backup_tiles)
