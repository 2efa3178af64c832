"""When an address is due again: the rule alone, with no clock but the one it is given."""

import math
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.visits import AddressKind, Visit
from crawler.links import Links
from crawler.recrawl import policy
from crawler.recrawl.absences import NotFoundPages, probes
from crawler.recrawl.policy import DAY, DEFAULT_RATE_PER_S, ChangeHistory
from crawler.recrawl.site_visits import classify_page

NOW = datetime(2026, 3, 1, 3, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


def visit(**more: object) -> Visit:
    given: dict[str, object] = {"id": "a", "url": "https://a.example/1", "depth": 1, "found_at": NOW, "due_at": NOW}
    return Visit(**(given | {"kind": AddressKind.DETAIL, "rules": "r"} | more))  # type: ignore[arg-type]


@given(
    looks=st.floats(0, 60),
    unchanged=st.floats(0, 1),
    mean_days=st.floats(0.01, 90),
    rate_days=st.floats(0.01, 10_000),
    stood_days=st.floats(0, 400),
)
def test_an_interval_lies_between_a_day_and_sixty(
    looks: float, unchanged: float, mean_days: float, rate_days: float, stood_days: float
) -> None:
    own = ChangeHistory(looks, looks * unchanged, looks * mean_days * DAY.total_seconds())
    found = policy.interval(own, 1 / (rate_days * DAY.total_seconds()), stood_days * DAY)
    assert DAY <= found <= 60 * DAY


def test_the_rate_comes_near_to_the_truth() -> None:
    generator = random.Random(5)
    true_rate = 1 / (4 * DAY.total_seconds())
    found = []
    for _ in range(300):
        own = ChangeHistory()
        for _ in range(25):
            own = own.plus(2 * DAY.total_seconds(), generator.random() > math.exp(-true_rate * 2 * DAY.total_seconds()))
        found.append(policy.change_rate(own, DEFAULT_RATE_PER_S))
    assert sum(found) / len(found) == pytest.approx(true_rate, rel=0.15)


def test_a_page_waits_two_days_at_first_and_never_more_than_twice_its_age() -> None:
    first = policy.visit_after_success(visit(), NOW, False, DEFAULT_RATE_PER_S, False)
    assert timedelta(days=1.8) <= first.due_at - NOW <= timedelta(days=2.2)
    second = policy.visit_after_success(first, NOW + 2 * DAY, False, DEFAULT_RATE_PER_S, False)
    assert second.due_at - (NOW + 2 * DAY) <= timedelta(days=4.4)


def test_a_page_with_an_open_case_waits_a_day_whatever_its_history() -> None:
    old = visit(seen_at=NOW - 50 * DAY, looks=20, unchanged_looks=20, observed_s=900 * DAY.total_seconds())
    assert policy.visit_after_success(old, NOW, False, DEFAULT_RATE_PER_S, True).due_at == NOW + DAY
    assert policy.visit_after_success(old, NOW, False, DEFAULT_RATE_PER_S, False).due_at > NOW + 30 * DAY


def test_a_daily_run_does_not_miss_a_page_by_the_minutes_it_took() -> None:
    page = replace(visit(), seen_at=NOW + HOUR, due_at=NOW + HOUR + DAY)
    assert policy.is_due(page, NOW + DAY, "r")
    assert not policy.is_due(page, NOW + 12 * HOUR, "r")


@pytest.mark.parametrize("noted", [{"seen_at": NOW + 30 * DAY}, {"failures": 1, "failed_at": NOW + 30 * DAY}])
def test_what_a_clock_that_was_ahead_put_far_off_is_due_at_once(noted: dict[str, Any]) -> None:
    page = replace(visit(), due_at=NOW + 60 * DAY, **noted)
    assert policy.is_due(page, NOW, "r")
    seen = policy.visit_after_success(page, NOW, False, 0.0, False)
    assert NOW + DAY <= seen.due_at <= NOW + 60 * DAY


def test_failures_wait_from_minutes_to_a_week() -> None:
    page, waits = visit(), []
    for _ in range(9):
        page = policy.visit_after_failure(page, NOW, "no_answer", "it does not answer")
        waits.append(page.due_at - NOW)
    assert waits[:5] == [HOUR / 4, HOUR, 4 * HOUR, 16 * HOUR, 64 * HOUR]
    assert set(waits[5:]) == {7 * DAY}
    assert not policy.is_due(page, NOW + 6 * DAY, "other rules"), "a failure waits even where all else is due"


def test_what_is_gone_is_looked_for_less_and_less_but_daily_where_a_case_is_open() -> None:
    page = policy.visit_after_absence(visit(), NOW, False)
    at, waits = NOW, []
    for _ in range(9):
        at = max(page.due_at, at)
        page = policy.visit_after_absence(page, at, False)
        waits.append(page.due_at - at)
    assert waits == sorted(waits)
    assert (waits[0], waits[-1]) == (DAY, 30 * DAY)
    assert policy.visit_after_absence(page, at, True).due_at == at + DAY


@pytest.mark.parametrize(
    ("chapters", "others", "chars", "kind"),
    [
        (0, 40, 0, AddressKind.LIST),  # a front page
        (120, 10, 300, AddressKind.LIST),  # a catalogue with its synopsis
        (12, 30, 2_500, AddressKind.DETAIL),  # a chapter beside the newest chapters of other books
        (2, 30, 2_500, AddressKind.DETAIL),
        (0, 1, 0, AddressKind.DETAIL),  # a page of pictures
    ],
)
def test_lists_and_texts_are_told_apart_by_what_stands_on_them(
    chapters: int, others: int, chars: int, kind: AddressKind
) -> None:
    links = Links((), tuple(map(str, range(chapters))), tuple(map(str, range(others))), "")
    assert classify_page(links, chars) is kind


HTML = {"Content-Type": "text/html; charset=utf-8"}


def markup(sentence: str) -> bytes:
    return f"<html><body><div>书城首页 排行榜 书架</div><p>{sentence}</p></body></html>".encode()


def test_a_not_found_page_is_known_again_with_another_address_and_time_in_it() -> None:
    pages = NotFoundPages()
    pages.learn(
        200, HTML, markup("抱歉，您访问的页面 /book/999.html 不存在。现在是 2026-03-01 03:00。"), "https://a.example/x"
    )
    shown = markup("抱歉，您访问的页面 /book/12.html 不存在。现在是 2026-04-11 19:21。")
    assert pages.resembles(HTML, shown, "https://a.example/book/12.html")
    text = markup("渡口的灯是在立冬那天熄的。老周把船缆系在第三根桩上，数了数舱里的米袋，一共十七袋。")
    assert not pages.resembles(HTML, text, "https://a.example/book/12.html")


def test_probes_look_like_the_sites_own_addresses_and_differ_between_runs() -> None:
    pages = [f"https://a.example/book/7/{number}.html" for number in range(9)] + ["https://a.example/read?id=5&p=1"]
    first = probes(["https://a.example/"], pages, "site run-1")
    assert len(first) == 3
    assert any(url.startswith("https://a.example/book/7/") and url.endswith(".html") for url in first)
    assert any(url.startswith("https://a.example/read?id=5&p=") for url in first)
    assert not {*first} & {*pages}
    assert not {*first} & {*probes(["https://a.example/"], pages, "site run-2")}
