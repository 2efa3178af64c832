"""Chooses the proxy and the user agent of each request by their successes and failures."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Generic, TypeVar

T = TypeVar("T")

PROXY_META, USER_AGENT_META = "zhuiwen_proxy", "zhuiwen_user_agent"  # keys in the meta of a request

# Three failures in a row are no coincidence. The pause doubles from a minute to an hour, because bans of an address
# usually last minutes to hours. Chosen, not measured, 2026-11.
MAX_FAILURES_IN_A_ROW = 3
FIRST_PAUSE_S, LONGEST_PAUSE_S = 60.0, 3_600.0


@dataclass(slots=True)
class PoolHealth:
    """The successes and failures of a pool member in this run. cools_until: the end of its pause, if it has one."""

    successes: int = 0
    failures: int = 0
    in_a_row: int = 0  # number of failures since the last success
    pauses: int = 0  # number of pauses since the last success
    cools_until: datetime | None = None

    def as_dict(self) -> dict[str, object]:
        """Return the values for the record of a run.

        `cools_until` is in ISO 8601, or "" if the member is not paused.
        """
        until = self.cools_until.isoformat() if self.cools_until else ""
        return {"successes": self.successes, "failures": self.failures, "cools_until": until}


@dataclass(slots=True)
class Pool(Generic[T]):
    """Members that are used in turn. A member that fails repeatedly is paused."""

    members: Sequence[tuple[str, T]]  # each with the name under which its health is reported
    health: dict[str, PoolHealth] = field(default_factory=dict)
    _turn: int = 0

    def __post_init__(self) -> None:
        for name, _ in self.members:
            self.health.setdefault(name, PoolHealth())

    def pick(self, now: datetime, avoid: Iterable[str] = ()) -> tuple[str, T] | None:
        """Return the next active member, or None if all are paused.

        Members in `avoid` are returned only if there is no other.
        """
        awake = self.active_members(now)
        shunned = set(avoid)
        fresh = [entry for entry in awake if entry[0] not in shunned] or awake
        if not fresh:
            return None
        self._turn += 1
        return fresh[self._turn % len(fresh)]

    def active_members(self, now: datetime) -> list[tuple[str, T]]:
        """Return the members that are not paused at the time `now`."""
        return [entry for entry in self.members if not self._is_resting(entry[0], now)]

    def note_success(self, name: str) -> None:
        health = self.health[name]
        health.successes += 1
        health.in_a_row = health.pauses = 0
        health.cools_until = None

    def note_failure(self, name: str, now: datetime, *, is_final: bool = False) -> None:
        """Count a failure of a member. After three in a row, or if the failure `is_final`, the member is paused."""
        health = self.health[name]
        health.failures += 1
        health.in_a_row += 1
        if is_final or health.in_a_row >= MAX_FAILURES_IN_A_ROW:
            pause_s = min(FIRST_PAUSE_S * 2.0**health.pauses, LONGEST_PAUSE_S)
            health.pauses += 1
            health.in_a_row = 0
            health.cools_until = now + timedelta(seconds=pause_s)

    def next_wake_time(self) -> datetime | None:
        """Return the time at which the next paused member becomes active, or None if no member is paused."""
        return min((h.cools_until for h in self.health.values() if h.cools_until), default=None)

    def _is_resting(self, name: str, now: datetime) -> bool:
        until = self.health[name].cools_until
        return until is not None and now < until
