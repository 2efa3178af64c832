"""Counting the days that a law leaves: working days of China, business days of the United States, or all days."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

import holidays

from core.addressees import COUNTER_TIMES, CounterRule

_COUNTRIES: Mapping[CounterRule, str] = {CounterRule.REPLY_2020_9: "CN", CounterRule.DMCA: "US"}


@dataclass(frozen=True, slots=True)
class Counted:
    """The last day of a time. unknown_year: one in it whose moved working days nobody has announced; else None."""

    last: date
    unknown_year: int | None = None


def counted(start: date, days: int, rule: CounterRule) -> Counted:
    """The last of so many days after `start`, which is not counted itself (Civil Code art. 201).

    A last day on a holiday stays the last one: who keeps it is in time by every reading (art. 203 would give more).
    """
    if not COUNTER_TIMES[rule].is_working_days:
        return Counted(start + timedelta(days=days))
    country = _COUNTRIES[rule]
    last, left = start, days
    while left:
        last += timedelta(days=1)
        left -= _calendar(country, last.year).is_working_day(last)
    years = range(start.year, last.year + 1)
    return Counted(last, next((year for year in years if not _is_known(country, year)), None))


def _is_known(country: str, year: int) -> bool:
    """China's State Council announces each autumn which weekends of the next year are worked: until then none is."""
    return country != "CN" or any(day.year == year for day in _calendar(country, year).weekend_workdays)


@cache
def _calendar(country: str, year: int) -> holidays.HolidayBase:
    return holidays.country_holidays(country, years=year, expand=False)
