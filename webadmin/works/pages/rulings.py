"""Announces the effects of a change of rights on findings. The cases application provides the message."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from django.http import HttpRequest

Announcement = Callable[[HttpRequest, int], AbstractContextManager[None]]
_announcements: list[Announcement] = []


def register_announcement(announcement: Announcement) -> None:
    """Register a context manager, called with the request and the rights holder's key around each change of rights."""
    _announcements.append(announcement)


def announce_rulings(request: HttpRequest, holder: int) -> AbstractContextManager[None]:
    """Return a context manager for a change of rights. When it exits, it announces the effects on findings."""
    return _announcements[-1](request, holder) if _announcements else nullcontext()
