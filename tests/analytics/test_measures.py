"""Measures: sums, borders of days, what counts and what does not."""

import random
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.records import CaseRow, ExclusionRow, PageRow, SitePages
from analytics.report import ReportNotice, build_report
from core.errors import BadInput
from core.matches import MatchClass
from core.obfuscations import Obfuscation
from core.states import CaseState, LeftOut, Rejection, Verdict
from core.taken import Places
from tests.support import report_rows as rows
from tests.support.examples import examples

SITES = st.sampled_from(["甲站", "乙站", "丙站", ""])
WORKS = st.sampled_from(["灯塔来信", "潮汐表", "灯塔"])
TEXTS = st.sets(st.sampled_from(["first", "second"]))
WORK_CHARS = 120  # in two texts of sixty
MOMENTS = st.datetimes(datetime(2026, 11, 2), datetime(2026, 11, 19), timezones=st.just(UTC))  # in any time zone


@st.composite
def cases(draw: st.DrawFn) -> CaseRow:
    verdict = draw(st.sampled_from([*Verdict, None]))
    opened_at = draw(MOMENTS)
    taken = {text: Places.from_starts(draw(st.sets(st.integers(0, WORK_CHARS // 2 - 1)))) for text in draw(TEXTS)}
    taken_chars = sum(map(len, taken.values()))
    return rows.case(
        draw(st.integers(1, 10**9)),
        site_name=draw(SITES),
        work_title=draw(WORKS),
        rights_holder=draw(st.sampled_from([rows.HOLDER, "别家"])),
        state=CaseState.from_verdict(verdict, is_allowed=draw(st.booleans())),
        verdict=verdict,
        decided_at=opened_at + timedelta(hours=draw(st.integers(0, 500))) if verdict else None,
        opened_at=opened_at,
        match_class=draw(st.sampled_from(MatchClass)),
        obfuscations=tuple(draw(st.sets(st.sampled_from(Obfuscation)))),
        taken=taken,
        taken_chars=taken_chars,
        matched_chars=taken_chars + draw(st.integers(0, 50)),  # a page may have a passage twice
        work_chars=WORK_CHARS,
    )


PAGES = st.builds(PageRow, SITES, st.dates(rows.SINCE, rows.UNTIL), st.integers(0, 10**6), st.integers(0, 10**6))
CHECKED = st.builds(SitePages, SITES, st.integers(0, 10**6))
EXCLUSIONS = st.builds(
    ExclusionRow, SITES, st.one_of(st.just(""), WORKS), st.sampled_from(Rejection), st.integers(0, 999)
)


@examples(150)
@given(
    st.lists(cases(), max_size=25), st.lists(PAGES, max_size=12), st.lists(CHECKED, max_size=9),
    st.lists(EXCLUSIONS, max_size=12),
    st.sampled_from(["Asia/Shanghai", "UTC", "America/Los_Angeles", "Pacific/Kiritimati"]),
)  # fmt: skip
def test_sites_works_days_and_classes_each_add_up_to_the_totals(
    case_rows: list[CaseRow],
    pages: list[PageRow],
    checked: list[SitePages],
    exclusions: list[ExclusionRow],
    zone: str,
) -> None:
    scope = rows.scope(time_zone=zone)
    report = build_report(scope, case_rows, pages, exclusions, checked=checked)
    totals = report.totals
    for counts in ([s.cases for s in report.sites], [w.cases for w in report.works], [d.cases for d in report.days]):
        assert sum(c.opened for c in counts) == totals.cases.opened
        assert sum(c.confirmed for c in counts) == totals.cases.confirmed
        assert sum(c.dismissed for c in counts) == totals.cases.dismissed
        assert sum(c.open for c in counts) == totals.cases.open
        assert sum(c.set_aside for c in counts) == totals.cases.set_aside
    by_state = totals.cases.confirmed + totals.cases.dismissed + totals.cases.open + totals.cases.set_aside
    assert totals.cases.opened == by_state == len(report.cases)
    assert sum(counts.opened for _, counts in report.classes) == totals.cases.opened
    assert sum(count for _, count in report.verdicts) == totals.cases.opened
    assert sum(s.pages_checked for s in report.sites) == totals.pages_checked
    assert sum(s.new_versions for s in report.sites) == sum(d.new_versions for d in report.days) == totals.new_versions
    on_pages = totals.chars_on_pages
    assert sum(s.chars_on_pages for s in report.sites) == sum(w.chars_on_pages for w in report.works) == on_pages
    assert sum(w.chars_taken for w in report.works) == totals.chars_taken
    assert sum(s.excluded for s in report.sites) == totals.excluded
    findings = sum(n for reason, n in report.exclusions if reason.leaves_out is LeftOut.FINDING)
    assert findings == totals.excluded
    assert len(report.days) == 20


@examples(100)
@given(st.lists(cases(), max_size=15), st.randoms())
def test_characters_taken_never_exceed_those_of_the_work_or_of_the_pages(
    case_rows: list[CaseRow], chance: random.Random
) -> None:
    scope = rows.scope(rights_holder="")
    report = build_report(scope, case_rows)
    for work in report.works:
        assert work.chars_taken <= min(work.work_chars, work.chars_on_pages)
        assert work.largest_share is None or work.largest_share <= (work.share_taken or 0)
    for site in report.sites:
        assert site.chars_taken <= min(site.chars_on_pages, report.totals.chars_taken)
    assert report.totals.chars_taken <= sum(site.chars_taken for site in report.sites)
    mixed = [*case_rows]
    chance.shuffle(mixed)
    assert build_report(scope, mixed).works == report.works


@examples(100)
@given(st.lists(cases(), min_size=1, max_size=9))
def test_a_further_page_with_the_same_passages_changes_no_characters_taken(case_rows: list[CaseRow]) -> None:
    scope = rows.scope(rights_holder="")
    before = build_report(scope, case_rows)
    after = build_report(scope, [*case_rows, replace(case_rows[0], case_id=0)])
    taken, on_pages = (lambda report: [(w.chars_taken, w.share_taken) for w in report.works]), case_rows[0]
    assert sorted(map(str, taken(after))) == sorted(map(str, taken(before)))
    assert after.totals.chars_taken == before.totals.chars_taken
    more = on_pages.matched_chars if on_pages.state.is_copy else 0
    assert after.totals.chars_on_pages == before.totals.chars_on_pages + more


def test_a_chapter_on_five_pages_counts_once_as_taken_and_five_times_on_pages() -> None:
    report = build_report(rows.scope(), [rows.case(number) for number in range(1, 6)])
    assert (report.totals.chars_taken, report.totals.chars_on_pages) == (2087, 5 * 2143)
    assert (report.works[0].chars_taken, report.works[0].share_taken) == (2087, 2087 / 84_310)


def test_a_case_counts_on_the_day_that_the_users_clock_showed() -> None:
    late = rows.case(1, opened_at=datetime(2026, 11, 19, 15, 59, 59, tzinfo=UTC))  # 23:59:59 in Shanghai
    after = rows.case(2, opened_at=datetime(2026, 11, 19, 16, 0, tzinfo=UTC))  # midnight there, the 20th
    early = rows.case(3, opened_at=datetime(2026, 10, 31, 16, 0, tzinfo=UTC))  # midnight there, the 1st
    report = build_report(rows.scope(), [late, after, early])
    assert [case.case_id for case in report.cases] == [3, 1, 2]
    opened = {day.day.day: day.cases.opened for day in report.days if day.cases.opened}
    assert opened == {1: 1, 19: 1, 20: 1}
    in_utc = build_report(rows.scope(time_zone="UTC"), [late, after])
    assert {day.day.day: day.cases.opened for day in in_utc.days if day.cases.opened} == {19: 2}
    short = rows.scope(time_zone="America/New_York", since=date(2026, 3, 8), until=date(2026, 3, 8))
    assert short.period_end - short.period_start == timedelta(hours=23)


def test_the_figures_of_the_month_are_those_counted_by_hand() -> None:
    report = build_report(rows.scope(), rows.month_of_cases(), rows.month_of_pages(), rows.month_of_exclusions())
    totals = report.totals
    assert (totals.cases.opened, totals.cases.confirmed, totals.cases.dismissed, totals.cases.open) == (15, 4, 3, 7)
    assert totals.cases.set_aside == 1
    assert totals.chars_taken == 2087 + 604 + 1500, "each work's passage once"
    assert totals.precision == pytest.approx(4 / 7)
    assert totals.median_hours_to_verdict == pytest.approx(12)  # of 3, 5.5, 9, 12, 20, 49.25, 70
    assert totals.sites_with_copies == 3
    assert [site.site_name for site in report.top_sites] == ["快读小说网", "书荒阁", "今日看点"]
    assert dict(report.exclusions)[Rejection.NO_MATCH] == 1537


def test_dismissed_cases_are_no_copies() -> None:
    report = build_report(rows.scope(), [rows.decided(1, Verdict.LICENSED), rows.decided(2, Verdict.FAIR_USE)])
    assert report.totals.chars_taken == report.totals.works_copied == report.totals.sites_with_copies == 0
    assert report.works[0].largest_share is None
    assert report.top_sites == ()
    assert report.totals.precision == 0
    totals = build_report(rows.scope(), [rows.case(1)]).totals
    assert (totals.precision, totals.median_hours_to_verdict) == (None, None), "of nothing decided"


def test_an_empty_period_says_whether_anything_was_checked() -> None:
    assert build_report(rows.scope(), []).notice is ReportNotice.NOTHING_CHECKED
    assert build_report(rows.scope(), [], checked=rows.month_of_checks()).notice is ReportNotice.NO_CASES
    assert build_report(rows.scope(), [rows.case()]).notice is None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"since": date(2026, 11, 30)}, "ends on 2026-11-20, before it begins"),
        ({"since": date(2006, 11, 20)}, "longer than ten years"),
        ({"language": "fr"}, "zh-hans or en"),
    ],
)
def test_a_scope_that_cannot_be_is_refused_in_one_sentence(changes: dict[str, object], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        rows.scope(**changes)
