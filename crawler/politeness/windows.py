"""The hours of the day in which a site may be crawled, in its time zone. A crawl waits for them."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from core.errors import BadConfiguration

_WINDOW = re.compile(r"([01]?\d|2[0-4]):([0-5]\d)\s*[-–—至~]\s*([01]?\d|2[0-4]):([0-5]\d)")
_SEPARATOR = re.compile(r"[,，;；、\n]")
_MINUTES_A_DAY = 24 * 60


@dataclass(frozen=True, slots=True)
class Window:
    """A range of minutes in a day, half-open. An end at or before the start is on the next day."""

    begin: int
    end: int

    def holds(self, minute: int) -> bool:
        if self.begin < self.end:
            return self.begin <= minute < self.end
        return minute >= self.begin or minute < self.end


class CrawlWindows:
    """The crawl hours of a site. Without any, it may be crawled at all times."""

    def __init__(self, text: str, zone: str) -> None:
        """Parse the crawl hours. Raises BadConfiguration if they are invalid or the time zone is unknown."""
        self.windows = parse(text)
        try:
            self._zone = ZoneInfo(zone)
        except (ZoneInfoNotFoundError, ValueError) as fault:
            raise BadConfiguration("site.time-zone", zone=zone) from fault

    def is_open(self, at: datetime) -> bool:
        local = at.astimezone(self._zone)
        return not self.windows or any(window.holds(local.hour * 60 + local.minute) for window in self.windows)

    def opens(self, at: datetime) -> datetime:
        """Return the first time from `at` on at which the site may be crawled, in UTC.

        The hours are local time. If the change to summer time skips the start of a window, the window opens after the
        change. An hour that occurs twice counts twice. Raises BadConfiguration if the site is never open.
        """
        if self.is_open(at):
            return at
        minute = at.astimezone(UTC).replace(second=0, microsecond=0)
        for _ in range(2 * _MINUTES_A_DAY):
            minute += timedelta(minutes=1)
            if self.is_open(minute):
                return minute
        raise BadConfiguration("site.hours-never-come")

    def day_start(self, at: datetime) -> datetime:
        """Return the start of the site's local day, in UTC. Budgets are counted by this day."""
        return self._day_start(at, days_later=0)

    def next_day(self, at: datetime) -> datetime:
        """Return the end of the site's local day, in UTC."""
        return self._day_start(at, days_later=1)

    def _day_start(self, at: datetime, *, days_later: int) -> datetime:
        day = at.astimezone(self._zone).date() + timedelta(days=days_later)
        return datetime.combine(day, time(), self._zone).astimezone(UTC)


def parse(text: str) -> tuple[Window, ...]:
    """Parse crawl hours that a person wrote. Raises BadConfiguration that names the first invalid part.

    >>> parse("01:00-06:00, 23:30-00:30")
    (Window(begin=60, end=360), Window(begin=1410, end=30))
    >>> parse("")
    ()
    """
    return tuple(_parse_window(part.strip()) for part in _SEPARATOR.split(text) if part.strip())


def _parse_window(part: str) -> Window:
    found = _WINDOW.fullmatch(part)
    if not found:
        raise BadConfiguration("site.hours", part=part)
    hours = [int(group) for group in found.groups()]
    begin, end = hours[0] * 60 + hours[1], hours[2] * 60 + hours[3]
    if max(begin, end) > _MINUTES_A_DAY:
        raise BadConfiguration("site.hours-beyond-day", part=part)
    if begin == end:
        raise BadConfiguration("site.hours-empty", part=part)
    return Window(begin % _MINUTES_A_DAY, end)
