"""The system clock, and a manual clock for tests."""

from datetime import UTC, datetime, timedelta

CLOCKS_DIFFER = timedelta(minutes=1)  # largest difference between the machines of one installation


class SystemClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class ManualClock:
    """A clock for tests, whose time changes only by `advance`."""

    def __init__(self, start: datetime) -> None:
        self._now = start

    def now(self) -> datetime:
        return self._now

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)
