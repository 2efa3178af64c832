"""Announces the effects of a change of rights on findings. The cases application registers the announcement."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from django.http import HttpRequest

Announcement = Callable[[HttpRequest, int], AbstractContextManager[None]]
_announcements: list[Announcement] = []


def register_announcement(announcement: Announcement) -> None:
    """Register the context manager that `announce_rulings` returns, in place of an earlier one."""
    _announcements.append(announcement)


def announce_rulings(request: HttpRequest, holder: int) -> AbstractContextManager[None]:
    """Return a context manager around a change of rights, which announces the effects on findings when it exits.

    holder: the key of the rights holder.
    """
    return _announcements[-1](request, holder) if _announcements else nullcontext()
