"""People of the rights holder as what leaves the house names them: by what they do, or by name where that is wished."""

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
    """Name the people of a rights holder `reviewer` or `manager`, as they are now."""
    known: dict[int, str] = {}

    def role_of(user: User) -> str:
        if user.pk not in known:
            known[user.pk] = user_role(user, holder) or FORMER
        return known[user.pk]

    return role_of


def format_moment(at: datetime, naming: Naming) -> str:
    """When somebody did something: the second only where that person is named, of others the day."""
    return at.isoformat() if naming is by_name else timezone.localdate(at).isoformat()


def in_chinese(name: str) -> str:
    """Return a role as papers for a court have it; any other name as it is.

    >>> in_chinese("reviewer"), in_chinese("li")
    ('审核人员', 'li')
    """
    return Message(code).in_language("zh") if has_words(code := f"staff.{name}") else name
