"""Handles outages of the admin database: fail-overs, restarts and closed connections.

Django does not notice that the server has closed a connection until it checks the connection. A long-running process
therefore calls `refresh_connections` before each iteration of its loop. Requests and worker tasks start with checked
connections anyway.
"""

import logging
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import urlsplit

from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, connection, connections
from django.db.models import Model, QuerySet

from core.errors import DamagedStore, ServiceUnavailable
from core.sqlite_files import says_damage
from core.wording import Message

BATCH_IDS = 400  # SQLite allows at most 999 variables in a statement, and an item may need two
T = TypeVar("T")
M = TypeVar("M", bound=Model)
log = logging.getLogger("zhuiwen.database")

AWAY = (OperationalError, InterfaceError)  # raised for temporary errors, but also for bugs: see is_outage
# SQLite's codes for a locked file, a full or failing disk, or a file that cannot be written now.
_PASSING_CODES = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_PROTOCOL,
}
# PostgreSQL, appendix A: connection, rollback (deadlock), lack of resources, shutdown by an administrator, lock not
# available, I/O error.
_PASSING_STATES = ("08", "40", "53", "57P", "55P03", "58030")
# PostgreSQL: undefined table, undefined column; SQLite has no specific codes for them.
_UNMADE_STATES = ("42P01", "42703")
_UNMADE_WORDS = ("no such table", "no such column")
RETRY_S = 1.0  # a fail-over takes seconds to minutes, a refused connection a millisecond


def is_outage(error: BaseException) -> bool:
    """Return True if `error` means that the database is temporarily unavailable, False for any other error.

    Both drivers also raise OperationalError for wrong queries, for example for a missing column.
    """
    if not isinstance(error, AWAY) or says_damage(str(error)):
        return False
    if isinstance(error.__cause__, sqlite3.Error):  # Python's error for invalid UTF-8 has no code.
        code = getattr(error.__cause__, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        return code & 0xFF in _PASSING_CODES  # The lowest byte of an extended code is the primary code.
    state = getattr(error.__cause__, "sqlstate", None)
    return state is None or state.startswith(_PASSING_STATES)  # None: the server did not respond


def lacks_tables(error: BaseException) -> bool:
    """Return True if `error` reports a missing table or column, which `zhuiwen up` creates."""
    if not isinstance(error, DatabaseError):
        return False
    state = getattr(error.__cause__, "sqlstate", None)
    return state in _UNMADE_STATES or str(error).startswith(_UNMADE_WORDS)


def refresh_connections() -> None:
    """Close this thread's connections that have expired or failed, so that the next query opens a new one.

    A connection in a transaction is skipped, because Django would close it for its disabled autocommit.
    """
    for each in connections.all(initialized_only=True):
        if not each.in_atomic_block:
            each.close_if_unusable_or_obsolete()


@contextmanager
def answering() -> Iterator[None]:
    """Raise ServiceUnavailable in place of Django's errors if the database is unavailable in the block."""
    try:
        yield
    except AWAY as error:
        if not is_outage(error):
            raise
        raise unavailable(error) from error


def unavailable(error: BaseException) -> ServiceUnavailable:
    """Return the ServiceUnavailable to raise from `error`, with the database and the command that helps."""
    remedy = "zhuiwen doctor" if settings.ZHUIWEN.services.database_url else "zhuiwen up"
    return ServiceUnavailable(Message("service.admin-database"), describe_database(), remedy)


def database_fault(error: BaseException) -> ServiceUnavailable | DamagedStore | None:
    """Return the error to raise if the database is damaged, unavailable or has no tables, None for other errors."""
    if isinstance(error, DatabaseError | InterfaceError) and says_damage(str(error)):
        return DamagedStore(Message("service.admin-database"), describe_database())
    if lacks_tables(error):
        return ServiceUnavailable(Message("service.admin-database"), describe_database(), "zhuiwen up")
    return unavailable(error) if is_outage(error) else None


def describe_database() -> str:
    """Return the database's file, or its host and port with the name of the setting, without credentials."""
    url = settings.ZHUIWEN.services.database_url
    if not url:
        return str(settings.ZHUIWEN.sqlite_path)
    host = urlsplit(url).netloc.rpartition("@")[2]
    return f"{host} (ZHUIWEN_DATABASE_URL)" if host else "ZHUIWEN_DATABASE_URL"


def time_limit(max_s: float) -> Callable[[], bool]:
    """Return a function that returns True until `max_s` seconds after this call."""
    deadline = time.monotonic() + max_s
    return lambda: time.monotonic() < deadline


def retry_outages(call: Callable[[], T], may_wait: Callable[[], bool]) -> T:
    """Return the result of `call`, which is repeated during an outage of the database as long as `may_wait()` is True.

    Raises the last error when `may_wait()` is False, and any error that is not an outage at once.
    """
    while True:
        refresh_connections()
        try:
            return call()
        except AWAY as error:
            if not (is_outage(error) and may_wait()):
                raise
            log.warning("the admin database is waited for: %s", error)
        time.sleep(RETRY_S)


def batches(items: Sequence[Any]) -> list[Sequence[Any]]:
    """Return consecutive slices of `items`, each short enough for the variables of one SQL statement."""
    return [items[start : start + BATCH_IDS] for start in range(0, len(items), BATCH_IDS)]


def lock_rows(rows: "QuerySet[M]") -> "QuerySet[M]":
    """Return `rows` as a query that locks them in the order of their keys, which prevents deadlocks between writers.

    Tables are locked in this order:

    1. Rights holders, by key; a process that writes several cases of a rights holder locks it.
    2. Pages.
    3. Cases.
    4. Matters, once and last (`cases.services.matters.figures.refresh_matters`), then the copied texts of their works.

    A verdict locks no rights holder, but its case and then its matter, so no case is written after a matter. Chapters
    are locked before their works, and works before matters. SQLite allows one writer at a time and locks no rows.
    """
    return rows.select_for_update(of=("self",), no_key=True).order_by("pk")


# The number of rows that ANALYZE samples in each index; SQLite's manual recommends 100 to 1,000. With a million cases
# and five million pages, sampling takes 1.2 s (November 2026). Without statistics, SQLite expects ten rows from a
# look-up in an index that half of all rows match.
LOOKED_AT = 400


def refresh_statistics() -> None:
    """Update the statistics of SQLite's query planner. PostgreSQL updates its own automatically."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA analysis_limit={LOOKED_AT}")
            cursor.execute("ANALYZE")
