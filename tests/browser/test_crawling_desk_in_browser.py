"""A manager sets how a site is treated, tries its rules, decides on moves, finds and archives, in a real browser."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.messages import CrawlRequested
from records.models import ArchiveImport, DiscoveredPage, PageRecord, Site, SiteMove
from records.sites import discovery, imports
from records.sites import encrypted_secrets as sealed
from tests.support import browser, case_texts
from tests.support.admin_data import World
from tests.support.desk import CollectingOutbox

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
    at_work.go(f"/admin/records/site/{site.pk}/change/")
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
    expect(page.locator("input[name=proxies-0-password]")).to_have_attribute("placeholder", "kept; empty: as it is")
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


def test_each_fault_of_a_login_is_said_in_the_language_of_the_reader(opened: browser.Opened, world: World) -> None:
    at_work = opened(world.ours.manager, "zh-CN")
    page = at_work.page
    at_work.go(f"/admin/records/site/{world.ours.sites[0].pk}/change/")
    choose_tab(page, "rules")
    page.fill("textarea[name=rules-0-login_steps]", "go https://luoxia.example/in\nfill name = {user}")
    save(at_work)
    shown = page.locator("body")
    expect(shown).to_contain_text("登录步骤第 1 行：每一步须为 open、fill、submit、check 之一")
    expect(shown).to_contain_text("登录步骤第 2 行：没有名为 user 的保密值")
    expect(shown).not_to_contain_text("a step is one of")


def test_robots_txt_is_switched_off_with_a_reason_and_not_without(opened: browser.Opened, world: World) -> None:
    at_work, site = opened(world.ours.manager), world.ours.sites[0]
    page = at_work.page
    at_work.go(f"/admin/records/site/{site.pk}/change/")
    page.click('a:has-text("Limits")')
    assert frame_px(page, "robots_reason") >= 1
    switch = page.locator("input[name=obey_robots]")
    switch.evaluate("field => field.scrollIntoView({block: 'center'})")
    switch.uncheck()
    save(at_work)
    expect(page.locator("body")).to_contain_text("Say why robots.txt is not to be obeyed")
    assert Site.objects.get(pk=site.pk).obey_robots
    page.click('a:has-text("Limits")')
    page.fill("input[name=robots_reason]", "the site agreed in writing")
    save(at_work)
    page.click('a[href="#robots_switches"]')
    expect(page.locator("body")).to_contain_text("the site agreed in writing")
    switched = Site.objects.get(pk=site.pk)
    assert not switched.obey_robots
    assert [entry.switched_by for entry in switched.robots_switches.all()] == [world.ours.manager]


def test_a_site_of_archive_files_is_offered_no_crawl(opened: browser.Opened, world: World) -> None:
    at_work = opened(world.ours.manager)
    archive = Site.objects.create(rights_holder=world.ours.holder, name="旧档", kind="archive")
    at_work.go(f"/admin/records/site/{world.ours.sites[0].pk}/change/")
    expect(at_work.page.get_by_text("Crawl now").first).to_be_visible()
    at_work.go(f"/admin/records/site/{archive.pk}/change/")
    expect(at_work.page.get_by_text("Crawl now")).to_have_count(0)
    expect(at_work.page.locator("textarea[name=start_urls]")).to_be_hidden()
    expect(at_work.page.locator("input[name=crawl_at]")).to_be_hidden()


@pytest.mark.parametrize(
    ("language", "width", "because"), [("zh-CN", 1440, "页面上有“雾”"), ("en", 390, "“雾” stands on it")]
)
def test_rules_are_tried_on_pages_that_are_stored(
    opened: browser.Opened,
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    language: str,
    width: int,
    because: str,
) -> None:
    texts = case_texts.use(monkeypatch)
    record = PageRecord.objects.filter(site__rights_holder=world.ours.holder).first()
    assert record is not None
    version = texts.keep(record, "江面起了雾。", "<html><body><p>江面起了雾。</p></body></html>".encode())
    PageRecord.objects.filter(pk=record.pk).update(version_id=version)
    at_work = opened(world.ours.manager, language, width)
    page = at_work.page
    at_work.go(f"/admin/records/site/{record.site_id}/try-rules/?url={record.url}")
    page.fill("textarea[name=words]", "雾")
    at_work.leave_by(".zw-trial button[type=submit]")
    row = page.locator(".zw-table tbody tr")
    expect(row).to_have_count(1)
    expect(row.locator(".zw-state-failed")).to_be_visible()
    expect(row).to_contain_text(because)
    assert page.locator(".zw-table thead th").first.evaluate("cell => getComputedStyle(cell).textAlign") == "left"
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    at_work.keep(f"trial-{language}")
    page.fill("textarea[name=words]", "水印")
    at_work.leave_by(".zw-trial button[type=submit]")
    expect(page.locator(".zw-table tbody tr")).to_have_count(1)
    expect(page.locator(".zw-table .zw-state-failed")).to_have_count(0)
    assert at_work.complaints == []


def test_a_move_is_accepted_once(opened: browser.Opened, world: World) -> None:
    site = world.ours.sites[0]
    old, new = site.domains.get().host, "xin.luoxia.example.org"
    evidence = {
        "start_pages_led": 1,
        "pages_led": 4,
        "same_place": 4,
        "examples": [[f"https://{old}/", f"https://{new}/"]],
    }
    move = SiteMove.objects.create(site=site, from_host=old, to_host=new, evidence=evidence, proposed_at=NOW)
    at_work = opened(world.ours.manager)
    page = at_work.page
    at_work.go("/admin/dashboard/")
    at_work.leave_by('a:has-text("Moves of sites to decide")')
    at_work.leave_by(f'#result_list a[href*="/sitemove/{move.pk}/"]')
    page.get_by_text("Same site: accept").first.click()
    at_work.leave_by('button[type=submit]:has-text("Same site: accept"):visible')
    expect(page.locator("body")).to_contain_text("The new host belongs to the site now.")
    expect(page.get_by_text("Same site: accept")).to_have_count(0)
    expect(page.get_by_text("Another site: refuse")).to_have_count(0)
    at_work.keep("move")
    move.refresh_from_db()
    assert (move.state, move.decided_by) == (SiteMove.State.ACCEPTED, world.ours.manager)
    assert Site.objects.get(pk=site.pk).start_urls == f"https://{new}/"
    assert at_work.complaints == []


def test_the_site_of_a_found_page_is_watched_and_crawled(
    opened: browser.Opened, world: World, outbox: CollectingOutbox
) -> None:
    work = world.ours.works[0]
    query = discovery.begin_query(discovery.plan_for(work), 1, "渡口的老钟敲过三下撑船的人才慢慢收起缆绳", NOW)
    assert query is not None
    discovery.end_query(query, 4, {"own_site": 1, "known": 2})
    finding = discovery.Finding("http://pirate.example/1.html", "盗版", "identical", 0.97, 1200, "渡口的老钟")
    found = discovery.record(work, query, finding, NOW)
    assert found is not None
    at_work = opened(world.ours.manager, "zh-CN")
    page = at_work.page
    at_work.go("/admin/records/discoveryquery/")
    expect(page.locator("#result_list .field-left_out_line").first).to_have_text("3")
    at_work.keep("queries")
    at_work.go(f"/admin/records/discoveredpage/{found.pk}/change/")
    page.get_by_text("监测这个网站").first.click()
    at_work.leave_by('button[type=submit]:has-text("监测"):visible')
    expect(page.locator("body")).to_contain_text("pirate.example")
    expect(page.get_by_text("监测这个网站")).to_have_count(0)
    expect(page.get_by_text("忽略", exact=True)).to_have_count(0)
    found = DiscoveredPage.objects.get(pk=found.pk)
    assert (found.state, found.decided_by) == (DiscoveredPage.State.ACCEPTED, world.ours.manager.get_username())
    assert found.site is not None
    assert outbox.sent == [CrawlRequested(found.site.runs.get().pk)]
    assert at_work.complaints == []


def test_an_archive_of_the_folder_is_asked_for(
    opened: browser.Opened, world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(imports, "import_folder", lambda: tmp_path)
    (tmp_path / "旧站.warc.gz").write_bytes(b"WARC/1.1")
    at_work = opened(world.administrator, width=390)
    page = at_work.page
    at_work.go("/admin/records/archiveimport/add/")
    page.select_option("select[name=rights_holder]", str(world.ours.holder.pk))
    page.select_option("select[name=path]", "旧站.warc.gz")
    at_work.leave_by("button[name=_save]")
    expect(page.locator("#result_list")).to_contain_text("旧站.warc.gz")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    at_work.keep("imports")
    row = ArchiveImport.objects.get(rights_holder=world.ours.holder, path__endswith="旧站.warc.gz")
    assert (row.state, row.requested_by) == (ArchiveImport.State.QUEUED, world.administrator)
    assert at_work.complaints == []


def test_on_a_telephone_a_history_begins_with_the_page_that_it_is_of(
    opened: browser.Opened, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = case_texts.use(monkeypatch)
    record = PageRecord.objects.filter(site__rights_holder=world.ours.holder).first()
    assert record is not None
    texts.keep(record, "江面起了雾。", b"<p>x</p>")
    at_work = opened(world.ours.manager, width=390)
    assert at_work.go(f"/admin/records/pagerecord/{record.pk}/timeline/") == 200
    tops = [at_work.page.locator(name).bounding_box()["y"] for name in (".zw-page", ".zw-history")]
    assert tops == sorted(tops)
    assert at_work.page.evaluate("document.documentElement.scrollWidth") <= 390
