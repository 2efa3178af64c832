"""Names users in documents that leave the organization: by role, or by user name on request."""

from collections.abc import Callable
from datetime import datetime

from django.utils import timezone

from core.wording import Message, has_words
from webadmin.accounts.models import User
from webadmin.accounts.services.access import user_role

Naming = Callable[[User], str]
FORMER = "former-member"


def by_name(user: User) -> str:
    return user.get_username()


def by_role(holder: int) -> Naming:
    """Return a function that names the users of the rights holder with key `holder` by their current role."""
    known: dict[int, str] = {}

    def name_role(user: User) -> str:
        if user.pk not in known:
            known[user.pk] = user_role(user, holder) or FORMER
        return known[user.pk]

    return name_role


def format_moment(at: datetime, naming: Naming) -> str:
    """Format the time of an action in ISO 8601: in full if `naming` returns user names, otherwise only the day."""
    return at.isoformat() if naming is by_name else timezone.localdate(at).isoformat()


def chinese_role_name(name: str) -> str:
    """Return the Chinese name of a role for court documents. Any other name is returned unchanged.

    >>> chinese_role_name("reviewer"), chinese_role_name("li")
    ('审核人', 'li')
    """
    return Message(code).in_language("zh") if has_words(code := f"staff.{name}") else name
