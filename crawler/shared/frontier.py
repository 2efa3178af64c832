"""What a crawl still has to fetch, kept in Redis, so that several processes crawl one site and one of them may die.

Means the same as the journal of crawler.frontier: an address is done only when its page is stored. What a process takes
is leased to it and not removed; when its heartbeat stops, others take it. Decision 0107.
"""

import hashlib
import json
import os
import socket
from collections.abc import Iterable
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from core.errors import BadConfiguration, ServiceUnavailable
from core.pages import CrawlPlan
from crawler.frontier import PAGE, ROBOTS, Frontier, Target, key_of, plan_digest
from crawler.shared.link import SharedLink
from crawler.shared.scripts import ADD, BEAT, FINISH, JOIN, LEAVE, PARK, PASS, TAKE

if TYPE_CHECKING:
    from crawler.shared.heartbeat import Heartbeat

DEFAULT_LEASE_S = 60.0
BEATS_A_LEASE = 4  # three may be lost before the others take over
# An abandoned crawl is kept as long as anybody would go on with it; a complete one until its last process has noticed.
_KEEP_MS, _KEEP_COMPLETE_MS = 30 * 86_400_000, 86_400_000
_NAMES = ("state", "seen", "passed", "targets", "waiting", "leases", "workers", "parked")
_KEY_BYTES = 12  # of a digest: among 10^9 addresses two are taken for one with a chance of 10^-11
_MAX_KNOWN_HERE = 200_000  # links that stand on every page are asked for once; 20 MB at most
_KIND_RANK = {PAGE: 100, ROBOTS: 0}
_OTHER_RANK = 50


class SharedFrontier(Frontier):
    """The addresses of one crawl, shared by all processes that were given the same site and plan."""

    def __init__(self, plan: CrawlPlan, url: str, lease_s: float = DEFAULT_LEASE_S) -> None:
        """Join the crawl, or begin it. Raises ServiceUnavailable, BadConfiguration where another plan is crawled."""
        super().__init__(plan)
        self.lease_s = lease_s
        self.heartbeat: Heartbeat | None = None  # of a crawl that runs; stopped by `close`
        self.worker = f"{socket.gethostname()}:{os.getpid()}:{token_hex(4)}"
        self._plan, self._digest = plan, plan_digest(plan)
        base = f"zw:crawl:{{{hashlib.sha256(plan.site_id.encode()).hexdigest()[:24]}}}"
        self._keys = [f"{base}:{name}" for name in _NAMES]
        self.link = SharedLink(url)
        self._held: dict[str, Target] = {}
        self._known_here: set[str] = set()
        answer = self._run(JOIN, self._digest, plan.run_id, self.worker, self._lease_ms)
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
        raw = (json.loads(value) for value in self.link.scan_hash(self._keys[_NAMES.index("targets")]).values())
        return [Target(url, int(depth), kind) for url, depth, kind, _ in sorted(raw, key=lambda each: each[3] % 1e10)]

    def left_over(self) -> list[Target]:
        """What is pending when the last process leaves; none while others go on with it."""
        alive = self.link.call("ZCARD", self._keys[_NAMES.index("workers")])
        return [] if int(alive) > 1 else self.pending()

    def add_all(self, targets: Iterable[Target]) -> list[Target]:
        """Those that were not known before, in one step."""
        wanted = {_short(target.url): target for target in targets}
        unknown = {key: target for key, target in wanted.items() if key not in self._known_here}
        if not unknown or self.was_complete:
            return []
        rows = [
            field
            for key, each in unknown.items()
            for field in (key, each.url, each.depth, each.kind, _KIND_RANK.get(each.kind, _OTHER_RANK) + each.depth)
        ]
        answer = str(self._run(ADD, self._digest, *rows))
        if len(self._known_here) > _MAX_KNOWN_HERE:
            self._known_here.clear()
        self._known_here.update(unknown)
        return [target for flag, target in zip(answer, unknown.values(), strict=False) if flag == "1"]

    def pass_by(self, url: str, origin: str = "") -> bool:
        """As the journal's; after a kill the redirects that begin at `origin` may go the same way again."""
        return bool(self._run(PASS, _short(url), _short(origin) if origin else self.worker))

    def finish(self, url: str) -> None:
        """Never fetch this address again in this crawl."""
        key = _short(url)
        self._run(FINISH, key)
        self._held.pop(key, None)

    def take(self) -> tuple[str, Target | None]:
        """`target` and the next address, leased to this process; else why there is none.

        wait: others have pages in hand, from which more may come; full: the limit of pages is reached; empty: all is
        done; complete: another process has closed the crawl; gone: Redis has lost it.
        """
        if self.was_complete:
            return "complete", None
        answer = self._run(TAKE, self._digest, self.worker, self._lease_ms, self._plan.max_pages)
        if answer[0] != "target":
            self.has_reached_limit = self.has_reached_limit or answer[0] == "full"
            return str(answer[0]), None
        url, depth, kind, _ = json.loads(answer[1])
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
            self._run(LEAVE, self.worker, self._digest, self._plan.run_id, int(is_complete), _KEEP_COMPLETE_MS)
        except ServiceUnavailable:
            return  # the heartbeat ends by itself, and the leases with it
        finally:
            self.link.close()

    @property
    def _lease_ms(self) -> int:
        return int(self.lease_s * 1000)

    def _run(self, script: str, *arguments: str | int | float) -> Any:
        return self.link.run(script, self._keys, *arguments)


def _short(url: str) -> str:
    return hashlib.sha256(key_of(url).encode("utf-8", "replace")).hexdigest()[: 2 * _KEY_BYTES]
