"""How much of a site was fetched in a run and in a day, counted by all processes of a shared crawl together."""

from collections import deque
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from secrets import token_hex

from core.clock import SystemClock
from core.errors import ServiceUnavailable
from core.politeness import Budget
from core.ports import Clock
from crawler.politeness.budgets import BYTES_A_DAY, BYTES_A_RUN, PAGES_A_DAY, Usage
from crawler.shared.link import SharedLink
from crawler.shared.scripts import BUDGET

_LIMITS = ("", BYTES_A_RUN, PAGES_A_DAY, BYTES_A_DAY)
_CLOCK_AGE_S = 60.0  # the drift of two clocks in a minute is no matter


class SharedUsage(Usage):
    """A place is taken for each request before it is made, so that pages never exceed the budget of a day.

    Bytes are known when they have come: they exceed theirs by the pages in flight at most. What this process saw used
    is kept here too; a Redis that was emptied is told of it.
    """

    def __init__(self, budget: Budget, run_id: str, link: SharedLink, site_id: str, flight_s: float) -> None:
        """flight_s: after so long a request has come to nothing, because its process has died."""
        super().__init__(budget, run_id)
        self._link, self._flight_ms = link, int(flight_s * 1000)
        base = f"zw:budget:{{{sha256(site_id.encode()).hexdigest()[:24]}}}"
        self._keys = (f"{base}:used", f"{base}:flights")
        self._limits = (budget.bytes_a_run, budget.pages_a_day, budget.bytes_a_day)
        self._tickets: deque[str] = deque()
        self._day = ""
        self._seen = (0, 0, 0)  # bytes of the run, pages and bytes of `_day`

    def begin(self, day: str, in_flight: int = 0) -> str:
        """Take a place, or say which limit is reached. Raises ServiceUnavailable."""
        if not any(self._limits):
            return ""
        ticket = token_hex(8)
        limit = self._ask("begin", day, ticket)
        if not limit:
            self._tickets.append(ticket)
        return _LIMITS[limit]

    def end(self, day: str) -> None:
        """A request of this process came to nothing."""
        if self._tickets:
            self._tell("end", day, self._tickets.popleft(), 0)

    def add(self, day: str, size: int, pages: int = 1) -> None:
        if any(self._limits):
            self._tell("spend", day, self._tickets.popleft() if self._tickets else "", size)

    def close(self) -> None:
        """Leave behind what was seen, whatever became of Redis meanwhile."""
        if self._day:
            self._tell("see", self._day, "", 0)

    def _tell(self, op: str, day: str, ticket: str, size: int) -> None:
        try:
            self._ask(op, day, ticket, size)
        except ServiceUnavailable:
            if op == "spend" and day == self._day:
                run, pages, total = self._seen
                self._seen = (run + size, pages + 1, total + size)

    def _ask(self, op: str, day: str, ticket: str, size: int = 0) -> int:
        seen = self._seen if day == self._day else (self._seen[0], 0, 0)
        given = (op, day, self._run_id, ticket, size, self._flight_ms, *self._limits, *seen)
        reached, *used = self._link.run(BUDGET, self._keys, *given)
        self._day, self._seen = day, (int(used[0]), int(used[1]), int(used[2]))
        return int(reached)


class SharedClock:
    """The clock of Redis: processes on several machines, one of whose clocks is wrong, mean the same day and hour."""

    def __init__(self, link: SharedLink, own: Clock | None = None) -> None:
        self._link, self._own = link, own or SystemClock()
        self._asked_at: datetime | None = None
        self._ahead = timedelta(0)

    def now(self) -> datetime:
        own = self._own.now()
        if self._asked_at is None or abs((own - self._asked_at).total_seconds()) > _CLOCK_AGE_S:
            self._ahead, self._asked_at = self._offset(own), own
        return own + self._ahead

    def _offset(self, own: datetime) -> timedelta:
        try:
            seconds, microseconds = self._link.call("TIME")
        except ServiceUnavailable:
            return self._ahead
        return datetime.fromtimestamp(int(seconds), UTC) + timedelta(microseconds=int(microseconds)) - own
