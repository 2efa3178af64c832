"""Moments that lie ahead of the clock: one that was ahead left them, and what counts from them would stand still.

Each is set back to now at start, and as soon as the schedule or a tick of it meets one. A model names its moments in
`NOT_AHEAD`, each with how far ahead it may lie by right, and in `NOT_AHEAD_ROWS` which rows are meant, if not all.
What such a clock wrote of pages and evidence stays as it was taken down.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.apps import apps
from django.db.models import Model, Q, QuerySet
from django_celery_beat.models import PeriodicTask, PeriodicTasks

from core.clock import CLOCKS_DIFFER

# `last_update`: by which the clock sees that the table was changed.
_OF_THE_SCHEDULE: tuple[tuple[type[Model], str], ...] = ((PeriodicTask, "last_run_at"), (PeriodicTasks, "last_update"))


def set_back(now: datetime) -> int:
    """Let nothing lie ahead; how many moments did."""
    return sum(rows.update(**{field: now}) for _, field, rows in _ahead(now))


def count_ahead(now: datetime) -> dict[str, int]:
    """Return the number of moments in the future, by the name of their model in the reader's language."""
    counts: dict[str, int] = {}
    for model, _, rows in _ahead(now):
        if count := rows.count():
            name = str(model._meta.verbose_name_plural)
            counts[name] = counts.get(name, 0) + count
    return counts


def _ahead(now: datetime) -> Iterator[tuple[type[Model], str, QuerySet[Any]]]:
    for model, field, most in _moments():
        rows = model._default_manager.filter(**{f"{field}__gt": now + most})
        yield model, field, rows.filter(getattr(model, "NOT_AHEAD_ROWS", Q()))


def _moments() -> Iterator[tuple[type[Model], str, timedelta]]:
    for model, field in _OF_THE_SCHEDULE:
        yield model, field, CLOCKS_DIFFER
    for model in apps.get_models():
        for field, most in getattr(model, "NOT_AHEAD", {}).items():
            yield model, field, most
