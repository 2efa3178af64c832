"""The admin of accounts; importing this package registers it."""

from webadmin.accounts.pages.admin import rights_holders, system

__all__ = ["rights_holders", "system"]
