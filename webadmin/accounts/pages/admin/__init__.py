"""The lists and forms of accounts; importing this package registers them."""

from webadmin.accounts.pages.admin import rights_holders, system

__all__ = ["rights_holders", "system"]
