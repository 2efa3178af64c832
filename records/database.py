"""The admin database as something that goes away and comes back: a fail-over, a restart, connections that were ended.

Django keeps a connection that the server has ended until somebody tells it to look. A long process therefore asks for
a `fresh` one before each step of its loop; a request of the desk and a task of a worker begin with one by themselves.
"""

import logging
import time
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import urlsplit

from django.conf import settings
from django.db import InterfaceError, OperationalError, close_old_connections, connection

from core.errors import ServiceUnavailable
from core.sqlite_files import says_damage
from core.wording import Message

T = TypeVar("T")
log = logging.getLogger("zhuiwen.database")

AWAY = (OperationalError, InterfaceError)
RETRY_S = 1.0  # a fail-over takes seconds to minutes; a connection that is refused costs a millisecond


def fresh() -> None:
    """Let go of connections of this thread that have ended, or failed, so that the next question makes a new one."""
    close_old_connections()


def is_away(error: Exception) -> bool:
    """Whether the database does not answer just now. SQLite says by the same type that rows cannot be decoded."""
    if not isinstance(error, AWAY) or says_damage(str(error)):
        return False
    return connection.vendor != "sqlite" or "locked" in str(error)


def unavailable(error: Exception) -> ServiceUnavailable:
    """What is said where the database does not answer; raised `from` the error."""
    remedy = "zhuiwen doctor" if settings.ZHUIWEN.services.database_url else "zhuiwen up"
    return ServiceUnavailable(Message("service.admin-database"), place(), remedy)


def place() -> str:
    """Where the database is, without user and password: a file, or host and port with the setting that names it."""
    url = settings.ZHUIWEN.services.database_url
    if not url:
        return str(settings.ZHUIWEN.sqlite_path)
    host = urlsplit(url).netloc.rpartition("@")[2]
    return f"{host} (ZHUIWEN_DATABASE_URL)" if host else "ZHUIWEN_DATABASE_URL"


def within(max_s: float) -> Callable[[], bool]:
    """Whether less than so many seconds have passed since this call."""
    deadline = time.monotonic() + max_s
    return lambda: time.monotonic() < deadline


def patiently(call: Callable[[], T], may_wait: Callable[[], bool]) -> T:
    """Call again while the database is away, with fresh connections. Raises what it raised last, once none may wait."""
    while True:
        fresh()
        try:
            return call()
        except AWAY as error:
            if not may_wait():
                raise
            log.warning("the admin database is waited for: %s", error)
        time.sleep(RETRY_S)
