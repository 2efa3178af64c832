"""Kinds of sites and discovery on the desk: what a manager may do, and what is refused with a sentence."""

from datetime import UTC, datetime

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from core.errors import BadInput
from core.messages import CrawlRequested
from core.wording import Message
from crawler.stats import NEEDS_BROWSER, NEEDS_OCR
from tests.support.admin_data import World
from tests.support.desk import CollectingOutbox, list_url, record_url, signed_in, site_form
from webadmin.accounts.services.access import HOLDER_PATHS
from webadmin.sites.models import CrawlRun, DiscoveredPage, DiscoveryPlan, DiscoveryQuery, Site
from webadmin.sites.services import discovery, watchlist
from webadmin.sites.services import runs as crawls

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
CONFIRM = {"_form_submitted": "True"}  # what the dialog sends


@pytest.fixture
def found(world: World) -> DiscoveredPage:
    work = world.ours.works[0]
    plan = discovery.get_or_create_plan(work)
    query = discovery.begin_query(plan, 1, "渡口的老钟敲过三下撑船的人才慢慢收起缆绳", NOW)
    assert query is not None
    discovery.end_query(query, 4, {"own_site": 1, "known": 2})
    finding = discovery.CandidateMatch(
        "http://pirate.example/1.html", "盗\u202e版", "identical", 0.97, 1200, "渡口的老钟"
    )
    page = discovery.record_finding(work, query, finding, NOW)
    assert page is not None
    return page


def clean_site(world: World, **changes: object):  # type: ignore[no-untyped-def]
    from webadmin.sites.pages.site_form import SiteForm

    class OfSite(SiteForm):
        class Meta:
            model = Site
            fields = ["rights_holder", "name", "kind", "start_urls"]

    given = {"rights_holder": world.ours.holder.pk, "name": "某表", "kind": "list", "start_urls": ""}
    return OfSite(site_form(**given | changes))


def test_each_bad_line_of_a_list_is_named_with_its_number(world: World) -> None:
    text = "# 来源：客服\nhttp://a.example/1\n\nwww.a.example/2\nhttp://u:p@a.example/3  # 登录\nhttp://a.example/4"
    form = clean_site(world, start_urls=text)
    assert not form.is_valid()
    shown = " ".join(form.errors["start_urls"])
    for words in ("4", "www.a.example/2", "5"):
        assert words in shown
    assert "u:p" not in shown


def test_a_list_keeps_its_comments_and_its_plan_leaves_them_out(world: World) -> None:
    form = clean_site(world, start_urls="# 来源：客服\nhttp://a.example/1  # 首页\nhttp://b.example/2")
    assert form.is_valid(), form.errors
    site = form.save()
    assert site.start_urls.startswith("# 来源")
    plan = crawls.crawl_plan(site, crawls.request_run(site))
    assert plan.kind == "list"
    assert plan.start_urls == ("http://a.example/1", "http://b.example/2")
    assert plan.allowed_hosts == ()


def test_a_site_of_archives_needs_no_address_and_is_never_due(world: World) -> None:
    form = clean_site(world, kind="archive")
    assert form.is_valid(), form.errors
    site = form.save()
    Site.objects.filter(pk=site.pk).update(added_at=datetime(2026, 1, 1, tzinfo=UTC))
    assert site not in crawls.due_sites(timezone.now())
    assert crawls.next_due(site, timezone.now()) is None
    assert not clean_site(world, kind="novel").is_valid()


def test_an_option_that_says_nothing_to_the_spider_of_a_kind_is_refused(world: World) -> None:
    with pytest.raises(BadInput, match="max depth does not apply to the site 订阅, which is of the kind feed; omit it"):
        watchlist.add_site(world.ours.holder, "https://feed.example/rss", "订阅", kind="feed", max_depth=3)
    assert not Site.objects.filter(name="订阅").exists()


def test_a_manager_watches_a_site_by_a_click(world: World, found: DiscoveredPage, outbox: CollectingOutbox) -> None:
    answer = signed_in(world.ours.manager).post(
        reverse("admin:watched_sites_discoveredpage_watch", args=[found.pk]), CONFIRM, follow=True
    )
    assert answer.status_code == 200
    found.refresh_from_db()
    assert (found.state, found.decided_by) == ("accepted", world.ours.manager.username)
    assert found.site.rights_holder == world.ours.holder
    assert outbox.sent == [CrawlRequested(found.site.runs.get().pk)]


def test_only_a_manager_dismisses(world: World, found: DiscoveredPage, outbox: CollectingOutbox) -> None:
    reviewer = signed_in(world.ours.reviewer)
    for name in ("watch", "dismiss"):
        assert reviewer.post(
            reverse(f"admin:watched_sites_discoveredpage_{name}", args=[found.pk]), CONFIRM
        ).status_code in (302, 403)
    found.refresh_from_db()
    assert found.state == "proposed"
    signed_in(world.ours.manager).post(reverse("admin:watched_sites_discoveredpage_dismiss", args=[found.pk]), CONFIRM)
    found.refresh_from_db()
    assert found.state == "dismissed"
    assert outbox.sent == []


@pytest.mark.parametrize("model", [DiscoveredPage, DiscoveryPlan, DiscoveryQuery])
def test_lists_of_discovery_spell_what_hides(world: World, found: DiscoveredPage, model: type) -> None:
    manager = signed_in(world.ours.manager)
    ours = model.objects.filter(**{HOLDER_PATHS[model]: world.ours.holder})
    record = found if model is DiscoveredPage else ours.first()
    for address in (list_url(model), record_url(record)):
        answer = manager.get(address)
        assert answer.status_code == 200
        assert "\u202e" not in answer.content.decode()


def test_an_address_that_no_crawl_would_fetch_is_refused_when_it_is_typed(world: World) -> None:
    form = clean_site(world, kind="generic", start_urls="https://a.example/\nhttp://10.2.3.4/\nhttp://0x7f.1/")
    assert not form.is_valid()
    assert [each.split(" ")[0] for each in form.errors["start_urls"]] == ["http://10.2.3.4/", "http://0x7f.1/"]
    assert "内网地址" in form.errors["start_urls"][0]
    assert clean_site(world, kind="generic", start_urls="https://a.example/").is_valid()


def test_a_crawl_of_archive_files_is_refused_at_once(world: World) -> None:
    archive = Site.objects.create(rights_holder=world.ours.holder, name="旧档", kind="archive")
    with pytest.raises(crawls.NotCrawled, match="旧档 is not crawled"):
        crawls.request_run(archive)
    assert not archive.runs.exists()


@pytest.mark.parametrize(
    ("fault", "missing", "words"),
    [
        (NEEDS_BROWSER, "site.no-chromium", "apt-get install chromium-headless-shell"),
        (NEEDS_OCR, "site.no-ocr", "zhuiwen[ocr]"),
    ],
)
def test_a_site_says_what_to_install(world: World, manager: Client, fault: str, missing: str, words: str) -> None:
    page = record_url(world.ours.sites[0])
    assert words not in manager.get(page).content.decode()
    faults = [Message(fault, url="http://a.example/", missing=Message(missing))]
    CrawlRun.objects.filter(site=world.ours.sites[0]).update(faults=faults)
    assert words in manager.get(page).content.decode()
