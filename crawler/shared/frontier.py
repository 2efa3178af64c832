"""What a crawl still has to fetch, kept in Redis, so that several processes crawl one site and one of them may die.

Means the same as the journal of crawler.frontier: an address is done only when its page is stored. What a process takes
is leased to it and not removed; when its heartbeat stops, others take it (docs/decisions/shared-crawls.md).
"""

import hashlib
import json
import os
import socket
from collections.abc import Callable, Iterable
from secrets import token_hex
from typing import Any

from core.errors import BadConfiguration, ServiceUnavailable
from core.pages import CrawlPlan
from crawler.frontier import PAGE, Frontier, Target, key_of, plan_digest
from crawler.shared.heartbeat import Heartbeat
from crawler.shared.link import SharedLink
from crawler.shared.scripts import (
    ADD,
    BEAT,
    COUNT_PART,
    FINISH,
    HOLD,
    JOIN,
    KNOWN,
    LEAVE,
    OPEN,
    PARK,
    PASS,
    PROMOTE,
    TAKE,
)

DEFAULT_LEASE_S = 60.0
# An abandoned crawl is kept as long as anybody would go on with it; a complete one until its last process has noticed.
_KEEP_MS, _KEEP_COMPLETE_MS = 30 * 86_400_000, 86_400_000
_NAMES = ("state", "seen", "passed", "targets", "waiting", "leases", "workers", "parked")
_KEY_BYTES = 12  # of a digest: among 10^9 addresses two are taken for one with a chance of 10^-11
_MAX_KNOWN_HERE = 200_000  # links that stand on every page are asked for once; 20 MB at most
# What this process has found is kept here too, should Redis lose it; above so many, what others have done is left out.
_MAX_FOUND, _BATCH = 50_000, 1_000
_IS_NEW, _IS_MINE, _GONE = "1", "2", "gone"


class SharedFrontier(Frontier):
    """The addresses of one crawl, shared by all processes that were given the same site and plan."""

    is_shared = True

    def __init__(self, plan: CrawlPlan, url: str, lease_s: float = DEFAULT_LEASE_S) -> None:
        """Join the crawl, or begin it. Raises ServiceUnavailable, BadConfiguration where another plan is crawled."""
        super().__init__(plan)
        self.lease_s = lease_s
        self.heartbeat: Heartbeat | None = None  # of a crawl that runs; stopped by `close`
        self.with_each_beat: Callable[[], None] = lambda: None  # renews what else this process holds
        self.may_take = True  # False while the spider prepares what must be there before the first page
        self.worker = f"{socket.gethostname()}:{os.getpid()}:{token_hex(4)}"
        self._plan = plan
        base = f"zw:crawl:{{{hashlib.sha256(plan.site_id.encode()).hexdigest()[:24]}}}"
        self._keys = [f"{base}:{name}" for name in _NAMES]
        self.link = SharedLink(url)
        self._held: dict[str, Target] = {}
        self._found: dict[str, Target] = {}
        self._max_found = _MAX_FOUND
        self._undone: dict[str, bool] = {}  # what was done while Redis was away, and whether it counts
        self._known_here: set[str] = set()
        self._seq = 0
        self._is_last = True  # of those who have something in hand; it tells the next run what is left, and clears
        given = (plan_digest(plan), plan.run_id, self.worker, self._lease_ms, token_hex(8))
        answer, self._epoch = self._run(JOIN, *given)
        if answer == "busy":
            raise BadConfiguration([f"the site {plan.site_id} is being crawled with another plan; wait for its end"])
        self.was_complete = answer == "complete"
        if answer == "other":
            self.notice = "what was left of another plan of this site is dropped; the crawl starts afresh"

    @property
    def done_pages(self) -> int:
        """0: the limit of pages is kept by `take`, for all processes together."""
        return 0

    def pending(self) -> list[Target]:
        """What is known and not done, in the order in which it was found; in hand of any process, too."""
        raw = (json.loads(value) for value in self.link.scan_hash(self._key("targets")).values())
        return [Target(url, int(depth), kind) for url, depth, kind, _, _ in sorted(raw, key=lambda each: each[3] % 1e9)]

    def is_empty(self) -> bool:
        """As the journal's; False where Redis does not say."""
        try:
            return not int(self.link.call("HLEN", self._key("targets")))
        except ServiceUnavailable:
            return False

    def left_over(self) -> list[Target]:
        """What is pending when this process leaves, unless others go on with it.

        Where Redis has lost it or does not answer: what this process found and has not done.
        """
        try:
            self._settle()
            if not self._is_there():
                return list(self._found.values())
            self._run(PARK, self.worker)
            self._is_last = not int(self.link.call("HLEN", self._key("leases")))
            return self.pending() if self._is_last else []
        except ServiceUnavailable:
            return list(self._found.values())

    def add_all(self, targets: Iterable[Target]) -> list[Target]:
        """Those that were not known before, in one step."""
        fresh, _ = self._add(targets, 0)
        return fresh

    def add_tied(self, targets: Iterable[Target]) -> tuple[list[Target], list[Target]]:
        """As the journal's: what is tied is in hand of this process, and forgotten where it is let go undone."""
        return self._add(targets, self._plan.max_pages)

    def promote(self, url: str, depth: int, kind: str = PAGE) -> None:
        target = Target(url, depth, kind)
        if self._run(PROMOTE, self._epoch, self.worker, *self._row(target)):
            self._held[_short(url)] = self._found[_short(url)] = target

    def knows(self, urls: Iterable[str]) -> set[str]:
        wanted = list(dict.fromkeys(urls))
        flags = str(self._run(KNOWN, *map(_short, wanted))) if wanted else ""
        return {url for url, flag in zip(wanted, flags, strict=False) if flag == _IS_NEW}

    def is_open(self, url: str) -> bool:
        return _short(url) in self._held

    def pass_by(self, url: str, origin: str = "") -> bool:
        """As the journal's; after a kill what begins at `origin` may go the same way again."""
        return bool(self._run(PASS, self._epoch, _short(url), _short(origin) if origin else self.worker))

    def finish(self, url: str, *, is_counted: bool = True) -> None:
        """Never fetch this address again in this crawl. Where Redis does not answer, it is told as soon as it does."""
        key = _short(url)
        self._held.pop(key, None)
        self._found.pop(key, None)
        self._undone[key] = is_counted
        try:
            self._settle()
        except ServiceUnavailable:
            return

    def count_part(self) -> None:
        self._run(COUNT_PART, self._epoch)

    def hold(self, seconds: float) -> None:
        """Let no process take anything for so long."""
        try:
            self._run(HOLD, self._epoch, int(seconds * 1000))
        except ServiceUnavailable:
            return  # this process waits all the same; the others meet what it met

    def take(self) -> tuple[str, Target | None]:
        """`target` and the next address, leased to this process; else why there is none.

        wait: others have pages in hand, from which more may come; full: the limit of pages is reached; empty: all is
        done; complete: another process has closed the crawl; gone: Redis has lost it.
        """
        if self.was_complete:
            return "complete", None
        self._settle()
        answer = self._run(TAKE, self._epoch, self.worker, self._lease_ms, self._plan.max_pages)
        if answer[0] != "target":
            self.has_reached_limit = self.has_reached_limit or answer[0] == "full"
            return str(answer[0]), None
        if int(answer[2]) < self._seq:
            self.link.call("DEL", *self._keys)  # an older state came back: what was found since is missing in it
            return _GONE, None
        self._seq = int(answer[2])
        url, depth, kind, _, _ = json.loads(answer[1])
        target = Target(url, int(depth), kind)
        self._held[_short(url)] = target
        return "target", target

    @property
    def in_hand(self) -> int:
        """How many addresses this process has taken and not done."""
        return len(self._held)

    def beat(self) -> None:
        """Say that this process is alive; `BEATS_A_LEASE` times in `lease_s`."""
        self._run(BEAT, self.worker, self._lease_ms, _KEEP_MS)
        self.with_each_beat()

    def park(self) -> bool:
        """Lay aside, for the next run, what this process took and can no longer do; whether there was any."""
        if not self._held:
            return False
        self._run(PARK, self.worker, *self._held)
        self._held.clear()
        return True

    def close(self, is_complete: bool) -> None:
        """Leave the crawl; what is in hand is taken by others. The last one to leave a complete crawl clears it."""
        if self.heartbeat is not None:
            self.heartbeat.stop()
        try:
            self._settle()
            may_clear = int(is_complete and self._is_last)
            self._run(LEAVE, self.worker, self._epoch, self._plan.run_id, may_clear, _KEEP_COMPLETE_MS)
        except ServiceUnavailable:
            return  # the heartbeat ends by itself, and the leases with it
        finally:
            self.link.close()

    def _add(self, targets: Iterable[Target], max_pages: int) -> tuple[list[Target], list[Target]]:
        """Those that were not known and wait for anybody, and those that are in hand of this process from now on."""
        wanted = {_short(target.url): target for target in targets}
        unknown = {key: target for key, target in wanted.items() if max_pages or key not in self._known_here}
        if not unknown or self.was_complete:
            return [], []
        rows = [field for target in unknown.values() for field in self._row(target)]
        answer = str(self._run(ADD, self._epoch, self.worker, max_pages, *rows))
        if answer == _GONE:
            answer = _IS_NEW * len(unknown)  # the next `take` ends the crawl; the next crawl is told of them
        if len(self._known_here) > _MAX_KNOWN_HERE:
            self._known_here.clear()
        self._known_here.update(unknown)
        flags = dict(zip(unknown, answer, strict=True))
        mine = {key: unknown[key] for key, flag in flags.items() if flag == _IS_MINE}
        fresh = {key: unknown[key] for key, flag in flags.items() if flag == _IS_NEW}
        self._held.update(mine)
        self._remember(fresh | mine)
        return list(fresh.values()), list(mine.values())

    def _remember(self, found: dict[str, Target]) -> None:
        self._found.update(found)
        if len(self._found) <= self._max_found:
            return
        known = list(self._found)
        for keys in (known[at : at + _BATCH] for at in range(0, len(known), _BATCH)):
            flags = str(self._run(OPEN, self._epoch, *keys))
            done = [key for key, flag in zip(keys, flags, strict=False) if flag == "0"]
            for key in done:
                del self._found[key]
        self._max_found = max(_MAX_FOUND, 2 * len(self._found))

    def _settle(self) -> None:
        """Tell Redis what was done while it was away, or just now."""
        while self._undone:
            key, is_counted = next(iter(self._undone.items()))
            self._run(FINISH, self._epoch, key, int(is_counted))
            self._undone.pop(key, None)

    def _is_there(self) -> bool:
        return bool(self.link.call("HGET", self._key("state"), "epoch") == self._epoch)

    def _row(self, target: Target) -> tuple[str, str, int, str, int]:
        return _short(target.url), target.url, target.depth, target.kind, self.priority(target)

    def _key(self, name: str) -> str:
        return self._keys[_NAMES.index(name)]

    @property
    def _lease_ms(self) -> int:
        return int(self.lease_s * 1000)

    def _run(self, script: str, *arguments: str | int | float) -> Any:
        return self.link.run(script, self._keys, *arguments)


def _short(url: str) -> str:
    return hashlib.sha256(key_of(url).encode("utf-8", "replace")).hexdigest()[: 2 * _KEY_BYTES]
