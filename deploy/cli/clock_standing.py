"""Moments of the schedule and of crawls that lie in the future, for `zhuiwen status`, which is to answer at once.

A clock that was ahead left them; what counts from them stands still until they come, or are set back.
"""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from core.clock import CLOCKS_DIFFER
from core.wording import Message
from deploy.cli.session import local_time
from deploy.services import probes

if TYPE_CHECKING:
    from core.settings import Settings

_NEWEST = """SELECT count(*), max(moment) FROM (
    SELECT last_run_at AS moment FROM django_celery_beat_periodictask UNION ALL SELECT due_at FROM records_crawlrun
) AS moments WHERE moment > {after}"""


def clock_was_ahead(settings: "Settings", now: datetime) -> list[Message]:
    """One line where any lies ahead; none where there is none, or the admin database does not answer."""
    url, after = settings.services.database_url, now + CLOCKS_DIFFER
    if url.startswith("postgres"):
        row = probes.postgres_row(url, _NEWEST.format(after="%s"), after)
    else:
        row = _sqlite_row(urlsplit(url).path[1:] if url else str(settings.sqlite_path), after)
    if not row or not row[0]:
        return []
    return [Message("start.clock-was-ahead", count=row[0], until=local_time(row[1], settings))]


def _sqlite_row(path: str, after: datetime) -> tuple[int, datetime] | None:
    try:
        with closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=probes.TIMEOUT_S)) as database:
            stored = f"{after.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f}"  # as Django writes moments into SQLite
            count, until = database.execute(_NEWEST.format(after="?"), (stored,)).fetchone()
    except sqlite3.Error:
        return None
    return (count, datetime.fromisoformat(until).replace(tzinfo=UTC)) if count else None
