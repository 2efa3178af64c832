"""The official times of chapters: lists as people paste them, series, and what is at fault named by its line."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from core.errors import BadInput
from core.moments import parse_moment
from tests.support import admin_data
from tests.support.book_copies import book
from tests.support.refusals import refused
from webadmin.works.models import Work
from webadmin.works.services.official_times import (
    heading_numbers,
    read_bytes,
    read_interval,
    read_list,
    read_number,
    series_times,
    set_times,
)

SHANGHAI = ZoneInfo("Asia/Shanghai")
NOON = datetime(2026, 3, 1, 4, 0, tzinfo=UTC)


@pytest.fixture
def work(db: None) -> Work:
    return book(admin_data.holder(), 4)


def times_of(work: Work) -> list[datetime | None]:
    return list(work.chapters.order_by("number").values_list("published_at", flat=True))


@pytest.mark.parametrize(
    "written",
    [
        "2026-03-01 12:00",
        "2026/3/1 12:00:00",
        "2026年3月1日 12时",
        "2026年3月1日12点00分",
        "2026-03-01T12:00:00+08:00",
        "2026-03-01T04:00:00.000Z",
        "２０２６-03-01 12：00",
        "2026-03-01T06:00+0200",
    ],
)
def test_a_moment_is_read_as_people_write_it(written: str) -> None:
    assert parse_moment(written, SHANGHAI) == NOON


@pytest.mark.parametrize(
    "written",
    ["", "yesterday", "2026-02-30", "12:00", "0001-01-01", "2026-03-01 25:00", "1/3/2026", "9999-01-01", "x" * 999],
)
def test_what_is_no_moment_is_named(written: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_moment(written, SHANGHAI)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    "text",
    [
        "1, 2026-03-01 12:00\n2，2026-03-02 12:00",
        "章节,时间\n1,2026-03-01 12:00\n\n2,2026-03-02 12:00\n",
        "1\t渡\t2026-03-01 12:00\n2\t灯\t2026-03-02 12:00",
        "第一章 渡,2026-03-01 12:00\n第二章,2026-03-02 12:00",
        '"1","2026-03-01 12:00"\n"2","2026-03-02 12:00"',
        "1 2026-03-01 12:00\n2 2026-03-02 12:00",
    ],
)
def test_a_list_is_read_as_it_is_pasted(text: str) -> None:
    expected = {1: NOON, 2: NOON + timedelta(days=1)}
    assert read_list(text, SHANGHAI) == expected
    assert read_bytes(text.encode("gb18030"), SHANGHAI) == expected
    assert read_bytes(b"\xef\xbb\xbf" + text.encode(), SHANGHAI) == expected


def test_each_line_at_fault_is_named_and_nothing_is_read() -> None:
    with pytest.raises(BadInput) as caught:
        read_list("1,2026-03-01\n2,morgen\n1,2026-03-02\nx,2026-03-03\n5", SHANGHAI)
    said = str(caught.value)
    assert [f"line {number}:" in said for number in (1, 2, 3, 4, 5)] == [False, True, True, True, True]


@pytest.mark.parametrize("data", [b"\x00\x01\x02", b"1,2026-03-01\n" * 200_000, b"\n\n", b"PK\x03\x04\x00\xff"])
def test_what_is_no_list_is_refused(data: bytes) -> None:
    with pytest.raises(BadInput):
        read_bytes(data, SHANGHAI)


def test_a_series_goes_on_by_its_interval_so_many_at_once(work: Work) -> None:
    set_times(work, series_times(work, 2, NOON, read_interval("24"), at_once=2))
    assert times_of(work) == [None, NOON, NOON, NOON + timedelta(days=1)]


@pytest.mark.parametrize("text", ["", "0", "-1", "1e9", "99999", "二十四"])
def test_an_interval_that_is_none_is_named(text: str) -> None:
    with pytest.raises(BadInput):
        read_interval(text)


def test_a_series_that_goes_on_for_centuries_is_refused(work: Work) -> None:
    refused("beyond the year 2200", series_times, work, 1, datetime(2199, 12, 1, tzinfo=UTC), timedelta(days=300))
    assert series_times(work, 9, NOON, timedelta(days=300)) == {}


def test_a_heading_means_the_chapter_that_is_called_so_not_the_one_at_that_place(work: Work) -> None:
    for number, title in enumerate(("楔子", "第一章 渡", "第二章 灯", "第二章 灯下"), 1):
        work.chapters.filter(number=number).update(title=title)
    named = heading_numbers(work)
    assert read_list("1,2026-03-01 12:00\n第一章,2026-03-01 12:00", SHANGHAI, named) == {1: NOON, 2: NOON}
    refused(
        r"第二章 is the heading of several chapters; .*: 3, 4", read_list, "第二章,2026-03-01 12:00", SHANGHAI, named
    )
    assert set_times(work, read_list("第九章,2026-03-01 12:00", SHANGHAI, named)).unknown == (9,)
    with pytest.raises(BadInput):
        series_times(work, read_number("第九章", named), NOON, timedelta(days=1))
