"""Further processes on the site of one crawl run, on this machine and others, and the counts of all of them together.

Each process keeps its counts in Redis under a name of its own, so that what a killed one had counted stays, and a run
that waits for the site's hours and goes on then has the counts of both halves.
"""

import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from secrets import token_hex
from typing import Any, TypeVar

import redis

from core.pages import CrawlCounts
from crawler.tally import MAX_FAULTS

log = logging.getLogger("zhuiwen.crawl")
T = TypeVar("T")

COMPANION, AGAIN, ATTENDED = "--companion", "--again", "--attended"
# A process that is killed once is an accident, three times is the site or the machine.
MAX_RESTARTS = 3
WATCH_S = 5.0  # how often a further process looks whether its run still runs, and says that it lives itself
SILENT_S = 4 * WATCH_S  # a process without a sign of life for so long is not waited for
# For the pages that others have in flight when nothing is left: a download may take 30 s, a reading 10.
_SETTLE_S = 60.0
_STOP_S = 30.0
_KEEP_S = 35 * 86_400  # counts are of use as long as a run may wait


class CountsBook:
    """The counts of all processes of one run.

    A Redis that does not answer is waited for by nobody: each process writes all that it has counted again and again.
    """

    def __init__(self, client: "redis.Redis", run_id: int) -> None:
        self._client: Any = client
        self._own = f"{socket.gethostname()}:{os.getpid()}:{token_hex(4)}"
        self._counts, self._lives = f"zw:counts:{{{run_id}}}:counts", f"zw:counts:{{{run_id}}}:lives"
        self._newest: CrawlCounts | None = None
        self._others_seen: dict[str, CrawlCounts] = {}

    def write(self, counts: CrawlCounts) -> None:
        """Note what this process has counted so far."""
        self._newest = counts
        self._patiently(lambda: self._write(counts), None)

    def beat(self) -> None:
        """Say that this process lives; after a Redis that was emptied, what it has counted."""
        newest = self._newest
        self._patiently(lambda: self._write(newest) if newest is not None else self._live(), None)

    def total(self, own: CrawlCounts) -> CrawlCounts:
        """Those of this process and of all others; why the crawl ended is this one's."""
        whole = own
        for name, other in sorted(self._others().items()):
            whole = added(whole, other) if name != self._own else whole
        return whole

    def settled(self, own: CrawlCounts) -> CrawlCounts:
        """The total, when the other processes have ended or are dead."""
        deadline = time.monotonic() + _SETTLE_S
        while self._is_anybody_busy() and time.monotonic() < deadline:
            time.sleep(0.1)
        return self.total(own)

    def _write(self, counts: CrawlCounts) -> None:
        self._client.hset(self._counts, self._own, json.dumps(asdict(counts)))
        self._client.expire(self._counts, _KEEP_S)
        self._live()

    def _live(self) -> None:
        seconds, microseconds = self._client.time()
        self._client.zadd(self._lives, {self._own: seconds + microseconds / 1e6})
        self._client.expire(self._lives, _KEEP_S)

    def _others(self) -> dict[str, CrawlCounts]:
        """By process; what was seen of one stays, whatever becomes of Redis."""
        names = {each.name for each in fields(CrawlCounts)}
        raw: dict[Any, Any] = self._patiently(lambda: self._client.hgetall(self._counts), {})
        for name, value in raw.items():
            known = {key: each for key, each in json.loads(value).items() if key in names}
            self._others_seen[_text(name)] = CrawlCounts(**known)
        return self._others_seen

    def _is_anybody_busy(self) -> bool:
        ended = {name for name, counts in self._others().items() if counts.finish_reason}
        return bool(self._patiently(self._alive, set[str]()) - ended - {self._own})

    def _alive(self) -> set[str]:
        seconds, _ = self._client.time()
        return {_text(name) for name in self._client.zrangebyscore(self._lives, seconds - SILENT_S, "+inf")}

    @staticmethod
    def _patiently(call: Callable[[], T], otherwise: T) -> T:
        try:
            return call()
        except redis.RedisError as error:
            log.warning("the counts of a run's processes could not be kept: %s", type(error).__name__)
            return otherwise


def _text(name: bytes | str) -> str:
    return name.decode() if isinstance(name, bytes) else name


def added(one: CrawlCounts, other: CrawlCounts) -> CrawlCounts:
    """Numbers added, sentences joined; how it ended, and what the proxies did, as `one` says.

    >>> added(CrawlCounts(fetched=2, rejected={"robots": 1}), CrawlCounts(fetched=3, rejected={"robots": 2})).rejected
    {'robots': 3}
    """
    sums = {
        each.name: getattr(one, each.name) + getattr(other, each.name)
        for each in fields(CrawlCounts)
        if isinstance(getattr(one, each.name), int | float)
    }
    rejected = {
        reason: one.rejected.get(reason, 0) + other.rejected.get(reason, 0)
        for reason in {**one.rejected, **other.rejected}
    }
    faults = list(dict.fromkeys([*one.faults, *other.faults]))[:MAX_FAULTS]
    return CrawlCounts(**{**asdict(one), **sums, "rejected": rejected, "faults": faults})


@contextmanager
def accompanied(module: str, run_id: int, number: int) -> Iterator[None]:
    """So many further processes of a run while the block runs; those that are left then are stopped in order."""
    running = [join(module, run_id, ATTENDED) for _ in range(number)]
    try:
        yield
    finally:
        for each in running:
            each.terminate()
        for each in running:
            _end(each)


def join(module: str, run_id: int, *options: str) -> "subprocess.Popen[bytes]":
    """One further process of a run. ATTENDED among the options: whoever starts it stops it, too."""
    return subprocess.Popen([sys.executable, "-m", module, str(run_id), COMPANION, *options], stdin=subprocess.DEVNULL)


@contextmanager
def watched(goes_on: Callable[[], bool], book: CountsBook, attendant: int = 0) -> Iterator[None]:
    """Say that this further process lives, and stop it in order when its run has ended, was given up or put back.

    Whoever started it may be gone, and on another machine the end of the crawl is all that it would see. attendant: the
    parent's pid where that stops it; a second signal would cut the crawl off before it has counted its last pages.
    """
    stop = threading.Event()
    watcher = threading.Thread(target=_watch, args=(goes_on, book, stop, attendant), name="run-watcher", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        stop.set()
        watcher.join()


def _watch(goes_on: Callable[[], bool], book: CountsBook, stop: threading.Event, attendant: int) -> None:
    while not stop.wait(WATCH_S):
        book.beat()
        if not goes_on() and os.getppid() != attendant:
            log.info("the crawl run is not running any more; its further process stops")
            os.kill(os.getpid(), signal.SIGTERM)
            return


def _end(process: "subprocess.Popen[bytes]") -> None:
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
