"""The lock on chapters: see `webadmin.database.lock_rows` for the order of all locks."""

from django.db.models import QuerySet

from webadmin.works.models import Chapter


def locked_chapters(chapters: "QuerySet[Chapter]") -> "QuerySet[Chapter]":
    """Return the chapters, locked in the order of their keys."""
    return chapters.select_for_update(of=("self",)).order_by("pk")
