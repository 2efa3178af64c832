"""Handles outages of the admin database: fail-overs, restarts and closed connections.

Django keeps a connection that the server has closed until it is told to check it. A long process therefore calls
`refresh_connections` before each step of its loop; requests and worker tasks start with a fresh connection anyway.
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

AWAY = (OperationalError, InterfaceError)  # raised for temporary errors, but also for bugs: see is_away
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
    """Return True if an error means that the database does not answer now, False if the query is wrong.

    Both drivers raise OperationalError in both cases, for example for a missing column or a cancelled query.
    """
    if not isinstance(error, AWAY) or says_damage(str(error)):
        return False
    if isinstance(error.__cause__, sqlite3.Error):  # without a code: Python's error for invalid UTF-8
        code = getattr(error.__cause__, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        return code & 0xFF in _PASSING_CODES  # The lowest byte of an extended code is the primary code.
    state = getattr(error.__cause__, "sqlstate", None)
    return state is None or state.startswith(_PASSING_STATES)  # None: no server has answered


def lacks_tables(error: BaseException) -> bool:
    """Return True if an error says that the database lacks tables, which `zhuiwen up` creates."""
    if not isinstance(error, DatabaseError):
        return False
    state = getattr(error.__cause__, "sqlstate", None)
    return state in _UNMADE_STATES or str(error).startswith(_UNMADE_WORDS)


def refresh_connections() -> None:
    """Close connections of this thread that have ended or failed, so that the next query opens a new one.

    A connection in a transaction stays open, because Django would otherwise close it as inconsistent.
    """
    for each in connections.all(initialized_only=True):
        if not each.in_atomic_block:
            each.close_if_unusable_or_obsolete()


@contextmanager
def answering() -> Iterator[None]:
    """Convert Django's errors of an unavailable database in the block to ServiceUnavailable."""
    try:
        yield
    except AWAY as error:
        if not is_outage(error):
            raise
        raise unavailable(error) from error


def unavailable(error: BaseException) -> ServiceUnavailable:
    """Return the error to raise, `from` the original one, if the database does not answer."""
    remedy = "zhuiwen doctor" if settings.ZHUIWEN.services.database_url else "zhuiwen up"
    return ServiceUnavailable(Message("service.admin-database"), describe_database(), remedy)


def database_fault(error: BaseException) -> ServiceUnavailable | DamagedStore | None:
    """Return the error to raise if the database is damaged, does not answer or has no tables yet, else None."""
    if isinstance(error, DatabaseError | InterfaceError) and says_damage(str(error)):
        return DamagedStore(Message("service.admin-database"), describe_database())
    if lacks_tables(error):
        return ServiceUnavailable(Message("service.admin-database"), describe_database(), "zhuiwen up")
    return unavailable(error) if is_outage(error) else None


def describe_database() -> str:
    """Describe the database without credentials: its file, or its host and port with the name of the setting."""
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
    """Repeat a call while the database is down and `may_wait()` is True; then raise the last error."""
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
    """Return slices of `items` that fit into a statement."""
    return [items[start : start + BATCH_IDS] for start in range(0, len(items), BATCH_IDS)]


def lock_rows(rows: "QuerySet[M]") -> "QuerySet[M]":
    """Return rows, locked in the order of their keys, which prevents deadlocks between writers of the same rows.

    Tables are locked in this order:

    1. The rights of holders, by key; every writer of several cases of a holder locks them.
    2. Pages.
    3. Cases.
    4. Matters, once and last (`cases.services.matters.figures.refresh_matters`), then the copied texts of their works.

    A verdict locks no rights, but its case and then its matter; so no case is written after a matter. Chapters are
    locked before their works, and works before matters. SQLite has one writer at a time and locks no rows.
    """
    return rows.select_for_update(of=("self",), no_key=True).order_by("pk")


# Rows sampled in each index: SQLite's manual recommends 100 to 1,000. With a million cases and five million pages it
# takes 1.2 s (November 2026); without it, SQLite assumes that an index that half of all rows match finds ten.
LOOKED_AT = 400


def refresh_statistics() -> None:
    """Update SQLite's statistics on its tables; PostgreSQL does so automatically."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA analysis_limit={LOOKED_AT}")
            cursor.execute("ANALYZE")
