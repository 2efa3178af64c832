"""The admin of cases; importing this package registers it."""

from webadmin.cases.pages.admin import ignored_texts
from webadmin.cases.pages.rulings_announced import announce_rulings
from webadmin.works.pages.rulings import register_announcement

__all__ = ["ignored_texts"]

register_announcement(announce_rulings)
