"""Says that a process of a shared crawl is alive, from a thread of its own: a busy crawl is not a dead one."""

import logging
import threading
import time

from core.errors import ServiceUnavailable
from crawler.shared.frontier import BEATS_A_LEASE, SharedFrontier

log = logging.getLogger("zhuiwen.crawl")

# Leases after which a crawl whose reactor does not turn any more is dead, whatever this thread says.
MAX_LEASES_WITHOUT_TURN = 10


class Heartbeat:
    """Beats from `start` to `stop`, as long as somebody calls `turn` now and then."""

    def __init__(self, frontier: SharedFrontier) -> None:
        self._frontier = frontier
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
        lease_s = self._frontier.lease_s
        while not self._stop.wait(lease_s / BEATS_A_LEASE):
            if time.monotonic() - self._turned_at > lease_s * MAX_LEASES_WITHOUT_TURN:
                continue
            try:
                self._frontier.beat()
            except ServiceUnavailable as fault:
                log.warning("%s", fault)
