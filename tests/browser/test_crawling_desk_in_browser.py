"""A manager sets how a site is treated and has a found site watched, in a real browser."""

from datetime import UTC, datetime

import pytest
from playwright.sync_api import Page, expect

from core.messages import CrawlRequested
from tests.support import browser
from tests.support.admin_data import World
from tests.support.desk import CollectingOutbox
from webadmin.sites.models import DiscoveredPage, Site
from webadmin.sites.services import discovery
from webadmin.sites.services import encrypted_secrets as sealed

pytestmark = pytest.mark.django_db(transaction=True)
CASES = 2
NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
LOGIN = "open https://luoxia.example/in\nfill name = {user}\nfill pass = {password}\nsubmit\ncheck a.out"


def choose_tab(page: Page, anchor: str) -> None:
    page.click(f'a[href="#{anchor}"]')


def add_line(page: Page, anchor: str) -> None:
    """In the tab just chosen: until it is drawn, the one before shows a link of the same words."""
    page.click(f'#{anchor}-group a:has-text("Add another")')


def save(visitor: browser.Visitor) -> None:
    visitor.leave_by("button[name=_continue]")


def frame_px(page: Page, name: str) -> float:
    """The width of the frame around a field: one without is not seen as a field."""
    shown: str = page.locator(f"[name={name}]").evaluate("field => getComputedStyle(field).borderTopWidth")
    return float(shown.removesuffix("px"))


def test_a_manager_sets_hours_login_refusals_and_proxies_of_a_site(opened: browser.Opened, world: World) -> None:
    at_work, site = opened(world.ours.manager), world.ours.sites[0]
    page = at_work.page
    at_work.go(f"/admin/watched_sites/site/{site.pk}/change/")
    choose_tab(page, "rules")
    for name in ("rules-0-login_values", "rules-0-cookies"):
        assert frame_px(page, name) >= 1
    page.fill("input[name=rules-0-windows]", "01:00-06:00")
    page.fill("textarea[name=rules-0-login_steps]", LOGIN)
    page.fill("textarea[name=rules-0-login_values]", "user = lin\npassword = lantern")
    choose_tab(page, "ban_rules")
    add_line(page, "ban_rules")
    assert frame_px(page, "ban_rules-0-words") >= 1
    assert page.locator("[name=ban_rules-0-action]").bounding_box()["width"] > 150  # wide enough for what is chosen
    page.fill("input[name=ban_rules-0-name]", "captcha")
    page.fill("textarea[name=ban_rules-0-words]", "安全验证")
    page.select_option("select[name=ban_rules-0-action]", "stop")
    choose_tab(page, "proxies")
    add_line(page, "proxies")
    assert frame_px(page, "proxies-0-password") >= 1
    page.fill("input[name=proxies-0-place]", "proxy.example.com:3128")
    page.fill("input[name=proxies-0-password]", "harbour")
    save(at_work)
    expect(page.locator("input[name=proxies-0-password]")).to_have_attribute(
        "placeholder", "saved; leave empty to keep it"
    )
    assert "lantern" not in page.content()
    assert "harbour" not in page.content()
    at_work.keep("treatment")

    site = Site.objects.get(pk=site.pk)
    assert site.rules.windows == "01:00-06:00"
    assert sealed.unseal(site.rules.sealed_values).split() == ["user", "=", "lin", "password", "=", "lantern"]
    assert [(rule.name, rule.words, rule.action) for rule in site.ban_rules.all()] == [("captcha", "安全验证", "stop")]
    assert [sealed.unseal(proxy.sealed_password) for proxy in site.proxies.all()] == ["harbour"]
    save(at_work)
    assert [sealed.unseal(proxy.sealed_password) for proxy in site.proxies.all()] == ["harbour"]
    assert at_work.complaints == []


def test_a_found_site_is_watched_and_crawled(opened: browser.Opened, world: World, outbox: CollectingOutbox) -> None:
    work = world.ours.works[0]
    query = discovery.begin_query(
        discovery.get_or_create_plan(work), 1, "渡口的老钟敲过三下撑船的人才慢慢收起缆绳", NOW
    )
    assert query is not None
    discovery.end_query(query, 4, {"own_site": 1, "known": 2})
    finding = discovery.CandidateMatch("http://pirate.example/1.html", "盗版", "identical", 0.97, 1200, "渡口的老钟")
    found = discovery.record_finding(work, query, finding, NOW)
    at_work = opened(world.ours.manager, "zh-CN")
    page = at_work.page
    at_work.go("/admin/watched_sites/discoveryquery/")
    expect(page.locator("#result_list .field-left_out_line").first).to_have_text("3")
    at_work.keep("queries")
    at_work.go(f"/admin/watched_sites/discoveredpage/{found.pk}/change/")
    page.get_by_text("监测该网站").first.click()
    at_work.leave_by('button[type=submit]:has-text("监测"):visible')
    expect(page.locator("body")).to_contain_text("pirate.example")
    expect(page.get_by_text("监测该网站")).to_have_count(0)
    expect(page.get_by_text("忽略", exact=True)).to_have_count(0)
    found = DiscoveredPage.objects.get(pk=found.pk)
    assert (found.state, found.decided_by) == (DiscoveredPage.State.ACCEPTED, world.ours.manager.get_username())
    assert outbox.sent == [CrawlRequested(found.site.runs.get().pk)]
    assert at_work.complaints == []
