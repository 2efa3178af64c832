"""When a site should be crawled: plain time arithmetic, no database.

A site is crawled at a fixed time of day in the operator's zone, every so many days, counted from the day on which it
was added. So the expected moments follow from the site alone, and one that passed without a run is known for certain.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import takewhile
from zoneinfo import ZoneInfo


@dataclass(frozen=True, slots=True)
class Timetable:
    """The expected moments of one site: `at` on every `interval_days`-th day, the first one after `since`."""

    at: time  # of the day in `zone`
    interval_days: int
    zone: ZoneInfo
    since: datetime  # aware

    def first(self) -> datetime:
        """The first expected moment, UTC: the next time of day after `since`."""
        day = self.since.astimezone(self.zone).date()
        moment = self._moment(day)
        return moment if moment > self.since else self._moment(day + timedelta(days=1))

    def latest(self, now: datetime) -> datetime | None:
        """The newest expected moment at or before `now`; None where the first is still to come."""
        first = self.first()
        if first > now:
            return None
        first_day = first.astimezone(self.zone).date()
        days = (now.astimezone(self.zone).date() - first_day).days
        day = first_day + timedelta(days=days - days % self.interval_days)
        moment = self._moment(day)
        return moment if moment <= now else self._moment(day - timedelta(days=self.interval_days))

    def next(self, now: datetime) -> datetime:
        """The first expected moment after `now`."""
        latest = self.latest(now)
        return self.first() if latest is None else self._after(latest)

    def between(self, after: datetime, until: datetime) -> list[datetime]:
        """The expected moments in (after, until], oldest first."""
        return list(takewhile(lambda moment: moment <= until, self._all_after(after)))

    def _all_after(self, moment: datetime) -> Iterator[datetime]:
        following = self.next(moment)
        while True:
            yield following
            following = self._after(following)

    def _after(self, moment: datetime) -> datetime:
        return self._moment(moment.astimezone(self.zone).date() + timedelta(days=self.interval_days))

    def _moment(self, day: date) -> datetime:
        return datetime.combine(day, self.at, tzinfo=self.zone).astimezone(UTC)
