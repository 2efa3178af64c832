"""Tells the user what a change of rights does to findings; the application that rules them provides the sentence."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from django.http import HttpRequest

Announcement = Callable[[HttpRequest, int], AbstractContextManager[None]]
_announcements: list[Announcement] = []


def register_announcement(announcement: Announcement) -> None:
    """Have changes of rights made inside `announcement(request, key of the rights holder)`."""
    _announcements.append(announcement)


def announce_rulings(request: HttpRequest, holder: int) -> AbstractContextManager[None]:
    """Change rights inside this: what that does to findings is said."""
    return _announcements[-1](request, holder) if _announcements else nullcontext()
