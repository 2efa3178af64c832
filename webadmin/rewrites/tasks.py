"""The Celery task of suspected rewrites: it starts a process for pages that are due for a comparison by meaning."""

import logging
from collections.abc import Sequence
from datetime import datetime
from functools import cache

import redis

from core.clock import SystemClock
from core.redis_names import REWORDED_NOTE
from core.wording import Message
from matcher.reworded.record import is_installed
from pipeline.app import SETTINGS, app
from pipeline.connections import redis_client
from pipeline.status_notes import write_note
from webadmin.base_tasks import PeriodicTask
from webadmin.rewrites.services import due_searches
from webadmin.rewrites.services.due_searches import MeaningWatch, has_due_searches
from webadmin.sites.services.crawlers import start_process
from webadmin.stores import live

PROCESS = "webadmin.rewrites.services.search_process"
log = logging.getLogger("zhuiwen.pipeline")


@app.task(name=due_searches.TASK, base=PeriodicTask, acks_late=False)
def search_reworded() -> None:
    """Start a process for due pages, unless one runs or no kind of work is watched."""
    watches, has_encoder = due_searches.watches(), is_installed()
    note_backlog(redis_client(SETTINGS), watches, SystemClock().now(), has_encoder=has_encoder)
    if not watches:
        return
    if not has_encoder:
        _say_what_is_missing(tuple(watch.name for watch in watches))
    elif has_due_searches(live(SETTINGS)):
        one_core = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # leaves the other cores to other processes
        start_process(PROCESS, SETTINGS.home / "run" / "reworded", SETTINGS, number=1, environment=one_core)


@cache
def _say_what_is_missing(holders: tuple[str, ...]) -> None:
    """Log that the encoder is missing for these rights holders, once per process."""
    log.warning("%s", Message("reworded.no-encoder", holders=list(holders)))


def note_backlog(
    client: "redis.Redis", watches: Sequence[MeaningWatch], seen_at: datetime, *, has_encoder: bool
) -> None:
    """Write the note on the backlog of comparisons by meaning, or remove it if no kind is watched.

    seen_at: the time of the note. has_encoder: whether the encoder is installed.
    """
    left = due_searches.backlog(watches)
    note = {
        "holders": [watch.name for watch in watches],
        "has_encoder": has_encoder,
        "pages": left.pages,
        "texts": left.texts,
        "seen_at": seen_at.isoformat(),
    }
    write_note(client, REWORDED_NOTE, note if watches else None)
