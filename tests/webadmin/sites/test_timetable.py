"""When a site should be crawled, as plain arithmetic."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webadmin.sites.services.runs import Timetable

SHANGHAI = ZoneInfo("Asia/Shanghai")


def shanghai(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 3, day, hour, minute, tzinfo=SHANGHAI)


def nightly(every: int = 1, added: datetime | None = None) -> Timetable:
    return Timetable(time(3, 0), every, SHANGHAI, added or shanghai(1, 12))


def test_a_new_site_is_first_due_at_its_next_time_of_day() -> None:
    assert nightly().first() == shanghai(2, 3)
    assert nightly(added=shanghai(1, 2, 59)).first() == shanghai(1, 3)
    assert nightly(added=shanghai(1, 3)).first() == shanghai(2, 3)


@pytest.mark.parametrize(
    ("every", "now", "newest"),
    [
        (1, shanghai(2, 2, 59), None),
        (1, shanghai(2, 3), shanghai(2, 3)),
        (1, shanghai(6, 2, 59), shanghai(5, 3)),
        (1, datetime(2026, 3, 5, 19, 0, tzinfo=UTC), shanghai(6, 3)),
        (3, shanghai(7, 23), shanghai(5, 3)),
        (3, shanghai(8, 2), shanghai(5, 3)),
        (3, shanghai(8, 3), shanghai(8, 3)),
    ],
)
def test_the_last_moment_that_came_is_the_newest(every: int, now: datetime, newest: datetime | None) -> None:
    assert nightly(every).latest(now) == newest


@given(
    minutes=st.integers(0, 60 * 24 * 400),
    every=st.integers(1, 60),
    hour=st.integers(0, 23),
    zone=st.sampled_from(["Asia/Shanghai", "UTC", "America/New_York"]),
)
def test_now_lies_between_newest_and_next_moment(minutes: int, every: int, hour: int, zone: str) -> None:
    since = datetime(2026, 1, 1, tzinfo=UTC)
    timetable = Timetable(time(hour, 30), every, ZoneInfo(zone), since)
    now = since + timedelta(minutes=minutes)
    latest, following = timetable.latest(now), timetable.next(now)
    assert following > now
    if latest is None:
        assert following == timetable.first()
    else:
        assert latest <= now
        assert timetable.expected_moments(latest, following) == [following]
