"""The admin database as something that goes away and comes back: a fail-over, a restart, connections that were ended.

Django keeps a connection that the server has ended until somebody tells it to look. A long process therefore asks for
a `fresh` one before each step of its loop; a request of the desk and a task of a worker begin with one by themselves.
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

from core.errors import ServiceUnavailable
from core.sqlite_files import says_damage
from core.wording import Message

BATCH_IDS = 400  # SQLite takes at most 999 variables in a statement; one of these may name two things
T = TypeVar("T")
log = logging.getLogger("zhuiwen.database")

AWAY = (OperationalError, InterfaceError)  # what they are raised as that pass, and faults of ours with them: is_away
# What SQLite says of a file that is held by another, on a full or failing disk, or not to be written just now.
_PASSING_CODES = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_PROTOCOL,
}
# PostgreSQL, appendix A: connection, rollback (deadlock), want of resources, ended by an administrator, a lock that is
# held, a disk that fails.
_PASSING_STATES = ("08", "40", "53", "57P", "55P03", "58030")
# Of PostgreSQL: undefined table, undefined column; SQLite has no code of their own for them.
_UNMADE_STATES = ("42P01", "42703")
_UNMADE_WORDS = ("no such table", "no such column")
RETRY_S = 1.0  # a fail-over takes seconds to minutes; a connection that is refused costs a millisecond


def is_away(error: BaseException) -> bool:
    """Return true if an error means that the database does not answer now; False for the error of a wrong query.

    Both drivers raise OperationalError of either: `no such column`, too many variables, a query that was cancelled.
    """
    if not isinstance(error, AWAY) or says_damage(str(error)):
        return False
    if isinstance(error.__cause__, sqlite3.Error):  # without a code: Python's own, of a text that is no UTF-8
        code = getattr(error.__cause__, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        return code & 0xFF in _PASSING_CODES  # an extended code has the primary one in its lowest byte
    state = getattr(error.__cause__, "sqlstate", None)
    return state is None or state.startswith(_PASSING_STATES)  # none: no server has answered


def is_unmade(error: BaseException) -> bool:
    """Return true if an error says that the database lacks tables that `zhuiwen up` makes."""
    if not isinstance(error, DatabaseError):
        return False
    state = getattr(error.__cause__, "sqlstate", None)
    return state in _UNMADE_STATES or str(error).startswith(_UNMADE_WORDS)


def fresh() -> None:
    """Let go of connections of this thread that have ended, or failed, so that the next question makes a new one.

    One with an open transaction stays: Django would take it for one that was left in a wrong state, and drop it.
    """
    for each in connections.all(initialized_only=True):
        if not each.in_atomic_block:
            each.close_if_unusable_or_obsolete()


@contextmanager
def answering() -> Iterator[None]:
    """Turns what Django raises inside where the database is away into ServiceUnavailable."""
    try:
        yield
    except AWAY as error:
        if not is_away(error):
            raise
        raise unavailable(error) from error


def unavailable(error: Exception) -> ServiceUnavailable:
    """Return the error to raise, `from` the original one, if the database does not answer."""
    remedy = "zhuiwen doctor" if settings.ZHUIWEN.services.database_url else "zhuiwen up"
    return ServiceUnavailable(Message("service.admin-database"), place(), remedy)


def place() -> str:
    """The address of the database, without user and password: a file, or host and port with the setting's name."""
    url = settings.ZHUIWEN.services.database_url
    if not url:
        return str(settings.ZHUIWEN.sqlite_path)
    host = urlsplit(url).netloc.rpartition("@")[2]
    return f"{host} (ZHUIWEN_DATABASE_URL)" if host else "ZHUIWEN_DATABASE_URL"


def time_limit(max_s: float) -> Callable[[], bool]:
    """Return a function that is true until so many seconds have passed since this call."""
    deadline = time.monotonic() + max_s
    return lambda: time.monotonic() < deadline


def patiently(call: Callable[[], T], may_wait: Callable[[], bool]) -> T:
    """Call again while the database is away, with fresh connections. Raises what it raised last, once none may wait."""
    while True:
        fresh()
        try:
            return call()
        except AWAY as error:
            if not (is_away(error) and may_wait()):
                raise
            log.warning("the admin database is waited for: %s", error)
        time.sleep(RETRY_S)


def batches(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """`items` in pieces that fit into a statement."""
    return (items[start : start + BATCH_IDS] for start in range(0, len(items), BATCH_IDS))


# Rows that are looked at in each index: SQLite's manual names 100 to 1,000. Over a million cases and five million pages
# it takes 1.2 s (November 2026); without it an index that half of all rows match is taken for one that finds ten.
LOOKED_AT = 400


def refresh_statistics() -> None:
    """Have SQLite look at its tables anew; PostgreSQL does so by itself."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA analysis_limit={LOOKED_AT}")
            cursor.execute("ANALYZE")
