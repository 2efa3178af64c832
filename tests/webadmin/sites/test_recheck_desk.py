"""The button that has a page looked at now: who may press it, how often, and what it says until it is done."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from core.messages import CrawlRequested
from core.wording import Message
from tests.support import admin_data
from tests.support.admin_data import World
from tests.support.desk import CollectingOutbox, record_url
from tests.support.memory_cases import MemoryOutbox
from webadmin.cases.models import PageCheck
from webadmin.sites.models import Address, CrawlRun, PageRecheck, PageRecord
from webadmin.sites.services import rechecks

Outcome = PageRecheck.Outcome


@pytest.fixture
def page(world: World) -> PageRecord:
    """Make a page of a site that is not being crawled."""
    page: PageRecord = world.ours.cases[0].page
    CrawlRun.objects.filter(site=page.site).update(state="finished")
    Address.objects.filter(page_id=page.pk).delete()
    return page


@pytest.fixture
def desk(reviewer: Client, outbox: CollectingOutbox) -> Client:
    """A reviewer's: members may ask."""
    return reviewer


def url_of(page: PageRecord) -> str:
    return reverse("admin:watched_sites_pagerecord_recheck", args=[page.pk])


def said(desk: Client, page: PageRecord) -> tuple[str, bool]:
    state = desk.get(url_of(page)).json()
    return state["sentence"], state["is_over"]


def test_two_clicks_ask_once(world: World, desk: Client, outbox: CollectingOutbox, page: PageRecord) -> None:
    for _ in range(2):
        answer = desk.post(url_of(page), {"next": record_url(world.ours.cases[0])})
        assert answer["Location"] == record_url(world.ours.cases[0])
    recheck = PageRecheck.objects.get()
    assert (recheck.asked_by, recheck.run.only_urls, recheck.run.state) == (world.ours.reviewer, page.url, "queued")
    assert outbox.sent == [CrawlRequested(recheck.run.pk)]
    assert said(desk, page) == ("The check is waiting for a free crawler.", False)


def test_record_and_case_have_the_button_and_its_state(world: World, desk: Client, page: PageRecord) -> None:
    for address in (record_url(page), record_url(world.ours.cases[0])):
        shown = desk.get(address).content.decode()
        for words in ("Check this page again now", url_of(page), "sites/recheck.js"):
            assert words in shown
    desk.post(url_of(page))
    for address in (record_url(page), record_url(world.ours.cases[0])):
        shown = desk.get(address).content.decode()
        assert "The check is waiting for a free crawler." in shown
        assert "data-live" in shown
        assert "Check this page again now" not in shown


@pytest.mark.parametrize("where", ["https://evil.example/", "//evil.example", "javascript:alert(1)"])
def test_it_leads_back_to_the_desk_alone(desk: Client, page: PageRecord, where: str) -> None:
    assert desk.post(url_of(page), {"next": where})["Location"] == record_url(page)


def test_no_more_than_so_many_a_day(desk: Client, page: PageRecord, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rechecks, "MAX_A_DAY", 1)
    now = timezone.now()
    before = PageRecheck.objects.create(page=page, asked_at=now - timedelta(days=2), url=page.url, outcome="unchanged")
    desk.post(url_of(page))
    assert PageRecheck.objects.count() == 2
    PageRecheck.objects.exclude(pk=before.pk).update(outcome="unchanged")
    answer = desk.post(url_of(page), follow=True).content.decode()
    assert "1 pages were already checked today" in answer
    assert PageRecheck.objects.count() == 2


def test_what_came_with_archives_cannot_be_fetched(desk: Client, page: PageRecord) -> None:
    page.site.kind = "archive"
    page.site.save()
    assert "Check this page again now" not in desk.get(record_url(page)).content.decode()
    answer = desk.post(url_of(page), follow=True).content.decode()
    assert "archive" in answer
    assert not PageRecheck.objects.exists()


def test_a_crawl_under_way_may_answer_it(desk: Client, outbox: CollectingOutbox, page: PageRecord) -> None:
    run = CrawlRun.objects.create(site=page.site, state="running", due_at=timezone.now(), heartbeat_at=timezone.now())
    desk.post(url_of(page))
    assert outbox.sent == []
    assert said(desk, page) == ("The check is waiting for another crawl of the site to finish.", False)
    seen = admin_data.address(page)
    Address.objects.filter(pk=seen.pk).update(seen_at=timezone.now(), version_id=page.version_id)
    recheck = PageRecheck.objects.get()
    PageRecheck.objects.filter(pk=recheck.pk).update(url=seen.url)
    Address.objects.filter(pk=seen.pk).update(id=_key(page, seen.url))
    CrawlRun.objects.filter(pk=run.pk).update(state="finished")
    rechecks.resume_rechecks(page.site, timezone.now(), outbox)
    assert said(desk, page)[0].endswith("the page is unchanged.")
    assert outbox.sent == [], "no second crawl for what was seen"


def test_what_waited_is_asked_for_together_when_the_crawl_has_ended(desk: Client, page: PageRecord) -> None:
    other = admin_data.page(page.site, 991)
    run = CrawlRun.objects.create(site=page.site, state="running", due_at=timezone.now(), heartbeat_at=timezone.now())
    for each in (page, other):
        desk.post(url_of(each))
    CrawlRun.objects.filter(pk=run.pk).update(state="failed")
    outbox = MemoryOutbox()
    for site in rechecks.waiting_sites():
        rechecks.resume_rechecks(site, timezone.now(), outbox)
    made = CrawlRun.objects.get(only_urls__contains=page.url)
    assert made.only_urls.splitlines() == [page.url, other.url]
    assert outbox.drain() == [CrawlRequested(made.pk)]


@pytest.mark.parametrize(
    ("outcome", "fault", "sentence", "is_over"),
    [
        (Outcome.UNCHANGED, None, "the page is unchanged.", True),
        (Outcome.CHANGED, None, "is being compared.", False),
        (Outcome.GONE, None, "the site reports that the page does not exist.", True),
        (Outcome.NOT_SEEN, Message("search.robots"), "could not be seen: the site's robots.txt forbids it", True),
        (Outcome.NOT_SEEN, None, "the page could not be seen.", True),
    ],
)
def test_each_outcome_is_said(
    desk: Client, page: PageRecord, outcome: str, fault: Message | None, sentence: str, is_over: bool
) -> None:
    now = timezone.now()
    PageRecheck.objects.create(
        page=page, asked_at=now, url=page.url, outcome=outcome, fault=fault, version_id="f" * 40, ended_at=now
    )
    shown, over = said(desk, page)
    assert sentence in shown
    assert over is is_over
    if outcome == Outcome.CHANGED:
        PageCheck.objects.create(
            version_id="f" * 40, page=page, algorithm_id=1, corpus_revision=1, checked_at=now, appeared_at=now
        )
        shown, over = said(desk, page)
        assert ("was compared again" in shown, over) == (True, True)


def test_a_crawl_of_one_page_is_no_crawl_of_its_site(desk: Client, page: PageRecord) -> None:
    from webadmin.sites.services import runs as crawls

    site = page.site
    CrawlRun.objects.filter(site=site).delete()
    now = timezone.now()
    site.added_at = now - timedelta(days=3)
    site.save()
    assert site in crawls.due_sites(now)
    desk.post(url_of(page))
    CrawlRun.objects.filter(site=site).update(state="finished")
    assert site in crawls.due_sites(timezone.now())


def _key(page: PageRecord, url: str) -> str:
    from core.ids import SiteId
    from core.visits import address_id
    from crawler.urls import canonical

    return address_id(SiteId(str(page.site_id)), canonical(url))
