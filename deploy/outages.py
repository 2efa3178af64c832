"""Lets a command wait while a service is down: it reports the wait, resumes automatically, and finally gives up."""

import time
from collections.abc import Callable
from typing import TypeVar

from core.errors import ServiceUnavailable
from core.full_disk import find_disk_full_error
from core.wording import Message

T = TypeVar("T")

# Chosen: a fail-over of a managed database takes one to two minutes, a restart with recovery several; a person at a
# terminal should learn of the outage before a quarter of an hour has passed.
MAX_OUTAGE_S = 600.0
POLL_S = 1.0
SAY_EVERY_S = 30.0


class Outages:
    """Runs the steps of a waiting command, and repeats a step while a service does not respond."""

    def __init__(
        self,
        tell: Callable[[Message], None],
        check: Callable[[], None] = lambda: None,
        max_s: float = MAX_OUTAGE_S,
    ) -> None:
        """Report waits through `tell`, and call `check`, which may raise, between two attempts.

        max_s: the longest outage to wait for.
        """
        self._tell, self._check, self._max_s = tell, check, max_s

    def repeat_until_back(self, step: Callable[[], T], begin_again: Callable[[], None] = lambda: None) -> T:
        """Run a step, which must be safe to repeat, until no service is down, and return its result.

        begin_again: called after each failure. Raises ServiceUnavailable if a service is down for `max_s`.
        """
        from webadmin.database import answering, refresh_connections

        since, told_at = None, 0.0
        while True:
            refresh_connections()
            try:
                with answering():
                    return step()
            except ServiceUnavailable as error:
                away, now = error, time.monotonic()
                since = now if since is None else since
                if now - since >= self._max_s:
                    raise
            begin_again()
            self._check()
            if now - told_at >= SAY_EVERY_S or since == now:
                told_at = now
                self._tell(_describe_wait(away))
            time.sleep(POLL_S)


def _describe_wait(away: ServiceUnavailable) -> Message:
    if find_disk_full_error(away) is not None:
        return Message("tracking.waits-for-room")
    return Message("tracking.waits-for-service", service=away.service, where=away.where)
