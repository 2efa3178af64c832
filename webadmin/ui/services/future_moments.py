"""Finds times in the future, left by a clock that was ahead. They would stop the jobs that depend on them.

They are set to now at the start, and when the scheduler encounters one. A model lists its time fields in `NOT_AHEAD`,
each with the duration by which it may lie in the future, and a condition on the rows in `NOT_AHEAD_ROWS`. Times
recorded for pages and evidence are not changed.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.apps import apps
from django.db.models import Model, Q, QuerySet
from django_celery_beat.models import PeriodicTask, PeriodicTasks

from core.clock import CLOCKS_DIFFER

# `last_update` tells the scheduler that the table was changed.
_OF_THE_SCHEDULE: tuple[tuple[type[Model], str], ...] = ((PeriodicTask, "last_run_at"), (PeriodicTasks, "last_update"))


def set_back(now: datetime) -> int:
    """Set times in the future to `now`, and return their number."""
    return sum(rows.update(**{field: now}) for _, field, rows in _times_ahead(now))


def count_ahead(now: datetime) -> dict[str, int]:
    """Return the number of times in the future, by the name of their model in the user's language."""
    counts: dict[str, int] = {}
    for model, _, rows in _times_ahead(now):
        if count := rows.count():
            name = str(model._meta.verbose_name_plural)
            counts[name] = counts.get(name, 0) + count
    return counts


def _times_ahead(now: datetime) -> Iterator[tuple[type[Model], str, QuerySet[Any]]]:
    for model, field, most in _time_fields():
        rows = model._default_manager.filter(**{f"{field}__gt": now + most})
        yield model, field, rows.filter(getattr(model, "NOT_AHEAD_ROWS", Q()))


def _time_fields() -> Iterator[tuple[type[Model], str, timedelta]]:
    for model, field in _OF_THE_SCHEDULE:
        yield model, field, CLOCKS_DIFFER
    for model in apps.get_models():
        for field, most in getattr(model, "NOT_AHEAD", {}).items():
            yield model, field, most
