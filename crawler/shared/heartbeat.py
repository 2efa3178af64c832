"""Says that a process of a shared crawl is alive, from a thread of its own: a busy crawl is not a dead one."""

import logging
import threading
import time
from collections.abc import Callable

from core.errors import ServiceUnavailable

log = logging.getLogger("zhuiwen.crawl")

BEATS_A_LEASE = 4  # three may be lost before the others take over
# Leases after which a crawl whose reactor does not turn any more is dead, whatever this thread says.
MAX_LEASES_WITHOUT_TURN = 10


class Heartbeat:
    """Calls `beat` from `start` to `stop`, as long as somebody calls `turn` now and then."""

    def __init__(self, beat: Callable[[], None], lease_s: float) -> None:
        self._call_beat, self._lease_s = beat, lease_s
        self._turned_at = time.monotonic()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="shared-crawl-heartbeat", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def turn(self) -> None:
        """The crawl itself is alive."""
        self._turned_at = time.monotonic()

    def stop(self) -> None:
        """No beat comes after this."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _beat(self) -> None:
        while not self._stop.wait(self._lease_s / BEATS_A_LEASE):
            if time.monotonic() - self._turned_at > self._lease_s * MAX_LEASES_WITHOUT_TURN:
                continue
            try:
                self._call_beat()
            except ServiceUnavailable as fault:
                log.warning("%s", fault)
