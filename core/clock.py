"""The time, and the one that tests turn by hand."""

from datetime import UTC, datetime, timedelta

CLOCKS_DIFFER = timedelta(minutes=1)  # of the machines of an installation, at most; what lies further ahead is wrong


class SystemClock:
    """The machine's time."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class ManualClock:
    """A clock that moves only when told to."""

    def __init__(self, start: datetime) -> None:
        self._now = start

    def now(self) -> datetime:
        return self._now

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)
