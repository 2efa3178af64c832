"""The lists and forms of backups; importing this package registers them, and the tiles of the dashboard."""

from webadmin.backups.pages import tiles
from webadmin.backups.pages.admin import backups, rights_holders, store_checks

__all__ = ["backups", "rights_holders", "store_checks", "tiles"]
