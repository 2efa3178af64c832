"""Test what looks at pages prove, when pages are looked at again, what their figures are; without a crawl."""

import base64
from collections.abc import Sequence
from datetime import datetime, time, timedelta
from urllib.parse import quote
from zoneinfo import ZoneInfo

import pytest

from core.messages import CrawlRequested
from core.taken import Places
from tests.support import admin_data
from tests.support.desk import CollectingOutbox
from tests.support.memory_pages import MemoryWorkStore
from webadmin.cases.models import Case, CaseMatch, PageCheck, TakenText
from webadmin.cases.services.addresses import OUTDATED
from webadmin.notices.models import Notice, NoticeEvent, Removal, RemovalLook
from webadmin.notices.services.removals import conclusions, schedule, track_record
from webadmin.notices.services.removals.page_looks import find_wall
from webadmin.notices.services.removals.passage_finder import PassageFinder, source_text
from webadmin.sites.models import Address, CrawlRun, PageRecheck
from webadmin.sites.services import rechecks

pytestmark = pytest.mark.django_db
NOW = admin_data.NOW
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
State, Seen = Notice.State, RemovalLook.Seen
SOURCE = "渡口无灯，船工只凭水声认岸"


def fill() -> admin_data.Estate:
    """Six cases, confirmed; no crawl is under way."""
    estate = admin_data.fill_world(cases=6).ours
    for case in estate.cases:
        admin_data.decided(case, estate.reviewer)
    CrawlRun.objects.update(state="finished")
    PageRecheck.objects.all().delete()
    Notice.objects.all().delete()
    return estate


def look(case: Case, hours: float, seen: str = Seen.GONE, **fields: object) -> RemovalLook:
    return RemovalLook.objects.create(case=case, at=NOW + timedelta(hours=hours), seen=seen, **fields)


def looks(case: Case, *seen: tuple[float, str]) -> None:
    for hours, what in seen:
        look(case, hours, what)


def sent(case: Case, by: object, at: datetime = NOW, state: str = State.SENT, **fields: object) -> Notice:
    notice = admin_data.notice(case, by, state=state, **fields)  # type: ignore[arg-type]
    NoticeEvent.objects.create(notice=notice, state=State.SENT, by=by, at=at)
    return notice


def note(notice: Notice, state: str, at: datetime) -> None:
    NoticeEvent.objects.create(notice=notice, state=state, at=at)


# What is removed


@pytest.mark.parametrize(
    ("seen", "is_removed"),
    [
        ([(0, Seen.GONE), (12, Seen.GONE)], True),
        ([(0, Seen.GONE), (11 + 59 / 60, Seen.GONE)], False),
        ([(0, Seen.GONE), (6, Seen.GONE), (11, Seen.GONE)], False),
        ([(0, Seen.GONE), (6, Seen.STANDS), (12, Seen.GONE)], False),
        ([(0, Seen.GONE), (6, Seen.STANDS), (12, Seen.GONE), (24, Seen.GONE)], True),
        ([(0, Seen.GONE), (6, Seen.NOT_SEEN), (12, Seen.GONE)], True),
        ([(0, Seen.NOT_SEEN), (12, Seen.NOT_SEEN), (24, Seen.NOT_SEEN)], False),
        ([(0, Seen.GONE), (12, Seen.NOT_SEEN)], False),
    ],
)
def test_two_looks_twelve_hours_apart_with_nothing_contrary_between(
    ours: admin_data.Estate, seen: Sequence[tuple[float, str]], is_removed: bool
) -> None:
    case = ours.cases[0]
    looks(case, *seen)
    for each in conclusions.unproved_cases():
        conclusions.confirm_removal(each)
    assert case.removals.exists() == is_removed
    if is_removed:
        removal = case.removals.get()
        assert removal.since == removal.looks.first().at
        assert removal.said_at - removal.since >= 12 * HOUR


def test_a_page_without_the_passages_counts_once_it_was_compared_with_all_works(ours: admin_data.Estate) -> None:
    case = ours.cases[0]
    for hours in (0, 12):
        look(case, hours, Seen.CLEARED, version_id="v2")
    assert conclusions.confirm_removal(case) is None
    check = PageCheck.objects.create(
        version_id="v2", page=case.page, algorithm_id=OUTDATED, corpus_revision=1, checked_at=NOW, appeared_at=NOW
    )
    assert conclusions.confirm_removal(case) is None, "it is owed another comparison"
    PageCheck.objects.filter(pk=check.pk).update(algorithm_id=7)
    assert conclusions.confirm_removal(case) is not None


def test_a_version_that_took_other_passages_of_the_work_is_contrary(ours: admin_data.Estate) -> None:
    case = ours.cases[0]
    match = case.matches.first()
    for hours in (0, 12):
        look(case, hours, Seen.CLEARED, version_id=match.version_id)
    assert conclusions.confirm_removal(case) is None
    assert RemovalLook.objects.order_by("at").first().seen == Seen.STANDS


def test_only_confirmed_cases_are_followed_and_a_removal_is_said_once(ours: admin_data.Estate) -> None:
    case = ours.cases[0]
    looks(case, (0, Seen.GONE), (12, Seen.GONE), (24, Seen.GONE))
    Case.objects.filter(pk=case.pk).update(state="dismissed")
    assert list(conclusions.unproved_cases()) == []
    assert conclusions.confirm_removal(case) is None
    Case.objects.filter(pk=case.pk).update(state="confirmed")
    assert conclusions.confirm_removal(case) is not None
    assert conclusions.confirm_removal(case) is None
    assert list(conclusions.unproved_cases()) == []


def test_a_notice_is_removed_with_all_its_pages_unless_countered(ours: admin_data.Estate) -> None:
    one, other = ours.cases[0], ours.cases[2]
    notice, countered = sent(one, ours.manager), sent(one, ours.manager, state=State.COUNTERED)
    notice.pages.create(case=other)
    for case, state in ((one, State.SENT), (other, State.REMOVED)):
        looks(case, (0, Seen.GONE), (12, Seen.GONE))
        conclusions.confirm_removal(case)
        notice.refresh_from_db()
        assert notice.state == state
    event = notice.events.last()
    assert (event.state, event.by, event.at) == (State.REMOVED, None, NOW + 12 * HOUR)
    countered.refresh_from_db()
    assert countered.state == State.COUNTERED


@pytest.mark.parametrize("ended", [State.REMOVED, State.CLOSED])
def test_back_again_opens_matter_and_notice_and_keeps_when_it_ended(ours: admin_data.Estate, ended: str) -> None:
    case = ours.cases[0]
    notice = sent(case, ours.manager)
    looks(case, (0, Seen.GONE), (12, Seen.GONE))
    conclusions.confirm_removal(case)
    Notice.objects.filter(pk=notice.pk).update(state=ended)
    assert conclusions.end_removals() == []
    look(case, 48, Seen.STANDS)
    (removal,) = conclusions.end_removals()
    assert removal.ended_at == NOW + 48 * HOUR
    case.refresh_from_db()
    notice.refresh_from_db()
    assert (case.returned_at, case.state, notice.state) == (NOW + 48 * HOUR, "confirmed", State.SENT)
    case.matter.refresh_from_db()
    assert case.matter.returned_cases == 1
    assert conclusions.end_removals() == []
    looks(case, (72, Seen.GONE), (84, Seen.GONE))
    conclusions.confirm_removal(case)
    assert conclusions.end_removals() == []
    assert [row.ended_at is None for row in case.removals.order_by("since")] == [False, True]


# When it is looked at again


def asked(now: datetime) -> set[str]:
    PageRecheck.objects.update(outcome="unchanged")
    CrawlRun.objects.update(state="finished")
    before = set(PageRecheck.objects.values_list("pk", flat=True))
    schedule.request_due_checks(now, CollectingOutbox())
    return set(PageRecheck.objects.exclude(pk__in=before).values_list("page", flat=True))


def test_pages_of_a_sent_notice_are_looked_at_daily_then_weekly(ours: admin_data.Estate) -> None:
    case = ours.cases[0]
    sent(case, ours.manager)
    days = [day for day in range(45) if asked(NOW + day * DAY)]
    assert days == [*range(1, 15), 21, 28, 35, 42]
    recheck = PageRecheck.objects.first()
    assert (recheck.asked_by, recheck.run.trigger) == (None, "look")
    assert recheck.run.only_urls.splitlines()[0] == recheck.url
    assert len(recheck.run.only_urls.splitlines()) == 2, "another page tells whether the site answers"


@pytest.mark.parametrize("state", [State.DRAFTED, State.CONFIRMED, State.WITHDRAWN, State.CLOSED])
def test_pages_of_other_notices_are_not(ours: admin_data.Estate, state: str) -> None:
    sent(ours.cases[0], ours.manager, state=state)
    assert asked(NOW + 3 * DAY) == set()


def test_a_first_look_is_followed_by_another_when_it_is_due_and_then_daily(ours: admin_data.Estate) -> None:
    case = ours.cases[0]
    look(case, 0, Seen.GONE)
    assert asked(NOW + 11 * HOUR) == set()
    assert asked(NOW + 12 * HOUR) == {case.page_id}
    assert asked(NOW + 13 * HOUR) == set()
    assert asked(NOW + 37 * HOUR) == {case.page_id}
    look(case, 40, Seen.STANDS)
    assert asked(NOW + 9 * DAY) == set()


def test_the_last_look_goes_by_the_other_route(ours: admin_data.Estate) -> None:
    case = ours.cases[0]
    case.page.site.proxies.create(place="proxy.example:3128", is_second_route=True)
    looks(case, (0, Seen.GONE), (12, Seen.GONE))
    assert conclusions.confirm_removal(case) is None
    assert asked(NOW + 13 * HOUR) == {case.page_id}
    run = PageRecheck.objects.get().run
    assert run.by_second_route
    look(case, 14, Seen.GONE, by_second_route=True)
    assert conclusions.confirm_removal(case) is not None


def test_the_programs_looks_are_not_counted(ours: admin_data.Estate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rechecks, "MAX_A_DAY", 1)
    one, other = ours.cases[0], ours.cases[2]
    sent(one, ours.manager)
    assert asked(NOW + DAY) == {one.page_id}
    CrawlRun.objects.update(state="finished")
    outbox = CollectingOutbox()
    recheck = rechecks.request_recheck(other.page, ours.reviewer, NOW + DAY, outbox)
    assert outbox.sent == [CrawlRequested(recheck.run_id)]


# Figures


def test_figures_are_those_of_a_case_computed_by_hand(ours: admin_data.Estate) -> None:
    """Three notices to one addressee: pages removed after 1, 2 and 6 days, one not; answers after 2 and 4 days."""
    site = ours.cases[0].page.site
    cases = list(Case.objects.filter(site=site).order_by("pk"))
    assert len(cases) >= 3
    other = Case.objects.filter(rights_holder=ours.holder).exclude(site=site).first()
    host = admin_data.addressee(ours.holder, "某某云", site)
    first = sent(cases[0], ours.manager, addressee=host)
    first.pages.create(case=cases[1])
    second = sent(cases[1], ours.manager, at=NOW + DAY, addressee=host, state=State.REFUSED)
    third = sent(cases[2], ours.manager, at=NOW + DAY, addressee=host)
    third.pages.create(case=other)
    drafted = admin_data.notice(cases[0], ours.manager, addressee=host)
    assert drafted.events.count() == 0
    for case, days in ((cases[0], 1), (cases[1], 2), (cases[2], 7)):
        Removal.objects.create(case=case, since=NOW + days * DAY, said_at=NOW + days * DAY)
    Removal.objects.filter(case=cases[1]).update(ended_at=NOW + 9 * DAY)
    note(first, State.ANSWERED, NOW + 2 * DAY)
    note(second, State.REFUSED, NOW + 5 * DAY)
    note(second, State.ESCALATED, NOW + 6 * DAY)

    record = track_record.addressee_record(host)
    assert (record.notices, record.pages, record.removed, record.returned) == (3, 4, 3, 1)
    assert (record.answered, record.refused, record.removal_rate) == (2, 1, 0.75)
    assert (record.to_removal, record.to_answer) == (2 * DAY, 3 * DAY)
    assert (record.days_to_removal, record.days_to_answer) == (2, 3)
    assert track_record.site_record(site).notices == 3
    later = track_record.site_record(site, NOW + HOUR)
    assert (later.notices, later.pages, later.removed) == (2, 3, 2)
    assert [(each.name, one.notices) for each, one in track_record.records_per_addressee(site)] == [("某某云", 3)]


def test_what_was_noted_later_counts_from_the_day_on_which_it_happened(ours: admin_data.Estate) -> None:
    """Sent by post and answered while nobody noted it: both days are those that were entered."""
    host, zone = admin_data.addressee(ours.holder, "某某云"), ZoneInfo("Asia/Shanghai")
    notice = sent(ours.cases[0], ours.manager, at=NOW + 5 * DAY, addressee=host)
    note(notice, State.ANSWERED, NOW + 5 * DAY)
    posted = NOW.astimezone(zone).date()
    notice.events.filter(state=State.SENT).update(day=posted)
    notice.events.filter(state=State.ANSWERED).update(day=posted + 2 * DAY)
    Removal.objects.create(case=ours.cases[0], since=NOW + 3 * DAY, said_at=NOW + 4 * DAY)
    record = track_record.addressee_record(host)
    start = datetime.combine(posted, time.min, zone)
    assert (record.removed, record.to_removal, record.to_answer) == (1, NOW + 3 * DAY - start, 2 * DAY)
    assert track_record.addressee_record(host, since=NOW + DAY).notices == 0


def test_before_removed_and_a_removal_before_the_notice_count_for_nothing(ours: admin_data.Estate) -> None:
    host = admin_data.addressee(ours.holder, "某某云")
    assert track_record.addressee_record(host) == track_record.TrackRecord()
    Removal.objects.create(case=ours.cases[0], since=NOW - DAY, said_at=NOW - DAY)
    sent(ours.cases[0], ours.manager, addressee=host)
    record = track_record.addressee_record(host)
    assert (record.pages, record.removed, record.to_removal, record.to_answer) == (1, 0, None, None)


# The source of a page


@pytest.mark.parametrize(
    "written",
    [
        "<p>渡口<b>无灯</b>，船工只凭水声认岸</p>",
        f"<script>var t='{''.join(f'{chr(92)}u{ord(char):04x}' for char in SOURCE)}'</script>",
        f"<p>{''.join(f'&#{ord(char)};' for char in SOURCE)}</p>",
        f"<i data-t='{quote(SOURCE)}'></i>",
        f"<div data-x='{base64.b64encode(SOURCE.encode()).decode()}'>{'A' * 40}</div>",
    ],
    ids=["markup", "script", "entities", "percent", "base64"],
)
def test_a_text_is_seen_wherever_it_stands_in_the_source(written: str) -> None:
    headers = {"Content-Type": "text/html; charset=utf-8"}
    assert source_text(written.encode(), headers, "https://a.example/") == SOURCE


# What stands in place of a text


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("请登录后继续阅读本章节的全部内容，感谢您对正版的支持与理解", "removal.wall"),
        ("该章节涉及版权问题已下架，登录后查看其他章节", "removal.wall"),
        ("今天江上有雾", "removal.little-text"),
        ("", "removal.little-text"),
        ("该内容因版权原因已下架", None),
        ("今天江上有雾，渡船停航，行人请改走北岸石桥，沿途注意防滑，雨伞请自备。", None),
        ("登录" + "今天江上有雾，渡船停航，行人请改走北岸石桥。" * 20, None),
    ],
)
def test_a_page_that_may_be_a_wall_says_nothing(ours: admin_data.Estate, text: str, code: str | None) -> None:
    page = ours.cases[0].page
    why = find_wall(text, "digest", page.site_id, page.pk)
    assert (why.code if why else None) == code


def test_a_text_at_other_addresses_of_the_site_is_no_pages_own(ours: admin_data.Estate) -> None:
    one, other = ours.cases[0].page, ours.cases[2].page
    text = "今天江上有雾，渡船停航，行人请改走北岸石桥，沿途注意防滑，雨伞请自备。"
    address = admin_data.address(other)
    Address.objects.filter(pk=address.pk).update(text_digest="digest")
    assert one.site_id == other.site_id
    said = find_wall(text, "digest", one.site_id, one.pk)
    assert said.code == "removal.same-elsewhere"
    assert find_wall(text, "digest", other.site_id, other.pk) is None, "its own address is no other"
    assert find_wall(text, "", one.site_id, one.pk) is None
    assert find_wall(text, "digest", ours.sites[1].pk, one.pk) is None
    assert find_wall("该内容因版权原因已下架", "digest", one.site_id, one.pk) is None, (
        "sites say that of every page alike"
    )


def test_what_a_reviewer_left_out_of_a_case_does_not_stand_any_more(ours: admin_data.Estate) -> None:
    case, works = ours.cases[0], MemoryWorkStore()
    without = PassageFinder(MemoryWorkStore())
    assert (without.count_characters(case, [admin_data.WORK_TEXT]), without.has_all_texts(case)) == (0, False)
    text = works.put_text(admin_data.WORK_TEXT)
    CaseMatch.objects.filter(case=case).update(text_id=text)
    finder = PassageFinder(works)
    found = finder.count_characters(case, [admin_data.WORK_TEXT])
    assert found > 100
    assert finder.count_characters(case, ["今天江上有雾，渡船停航，行人请改走北岸石桥。" * 9]) == 0
    everything = Places.from_starts(range(len(admin_data.WORK_TEXT))).pack()
    TakenText.objects.filter(case=case).delete()
    TakenText.objects.create(case=case, text_id=text, places=everything, left_out=everything)
    assert finder.count_characters(case, [admin_data.WORK_TEXT]) == 0


def test_beside_a_look_where_the_crawl_begins_and_the_front_page_are_asked_for(ours: admin_data.Estate) -> None:
    """A crawl may begin at the catalogue of the work that was taken down: it alone says nothing of the site."""
    site = ours.cases[0].page.site
    type(site).objects.filter(pk=site.pk).update(start_urls=f"{site.start_urls}book/1/\n{site.start_urls}book/2/")
    site.refresh_from_db()
    host = site.start_urls.partition("book/")[0]
    assert rechecks.control_urls(site, ours.cases[0].page.url) == [f"{host}book/1/", host]


def test_a_notice_sent_after_the_removal_is_removed_by_the_next_round(ours: admin_data.Estate) -> None:
    notice = sent(ours.cases[0], ours.manager)
    notice.pages.create(case=ours.cases[1])
    Removal.objects.create(case=ours.cases[0], since=NOW - DAY, said_at=NOW - DAY)
    conclusions.mark_notices_removed(NOW)
    notice.refresh_from_db()
    assert notice.state == State.SENT, "one of its pages stands"
    Removal.objects.create(case=ours.cases[1], since=NOW - DAY, said_at=NOW - DAY)
    conclusions.mark_notices_removed(NOW)
    notice.refresh_from_db()
    assert (notice.state, notice.events.last().by) == (State.REMOVED, None)
    conclusions.mark_notices_removed(NOW)
    assert notice.events.count() == 2
