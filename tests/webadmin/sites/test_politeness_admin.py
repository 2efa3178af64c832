"""How a site is treated, as people set it: secrets that go in and never come out, switches that leave a trace."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models.signals import post_save
from django.test import override_settings

from core.clock import SystemClock
from core.pages import CrawlCounts, Reading
from core.politeness import BanAction, BanRule, BrowserMode
from core.wording import Message
from crawler.stats import SLOW_RULES
from tests.support import admin_data
from tests.support.admin_data import World
from tests.support.desk import add_url, record_url, signed_in, site_form
from tests.support.memory_pages import MemoryPageStore
from tests.support.records import response
from webadmin import stores
from webadmin.sites.models import CrawlRun, PageRecord, RobotsSwitch, Site, SiteBanRule, SiteProxy, SiteRules
from webadmin.sites.pages.admin.sites import SiteAdmin
from webadmin.sites.services import encrypted_secrets as sealed
from webadmin.sites.services import politeness
from webadmin.sites.services import runs as crawls
from webadmin.ui.pages import host_fields

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("processes")]  # rules are tried in one
SECRETS = ("pr0xy-s3cret", "l0gin-s3cret", "c00kie-s3cret")


def _treated(**changes: object) -> dict[str, object]:
    return site_form(
        **{
            "rules-TOTAL_FORMS": 1,
            "rules-0-windows": "01:00-06:00",
            "rules-0-zone": "Asia/Tokyo",
            "rules-0-megabytes_a_run": 50,
            "rules-0-pages_a_day": 3000,
            "rules-0-megabytes_a_day": 0,
            "rules-0-browser": "auto",
            "rules-0-user_agents": "Mozilla/5.0 a\nMozilla/5.0 b",
            "rules-0-login_steps": "open https://new.example/login\nfill pw = {pw}\nsubmit\ncheck .me",
            "rules-0-login_values": "pw = l0gin-s3cret",
            "rules-0-cookies": "session = c00kie-s3cret",
            "ban_rules-TOTAL_FORMS": 1,
            "ban_rules-0-name": "滑块",
            "ban_rules-0-statuses": "403, 405",
            "ban_rules-0-words": "请拖动滑块\n安全验证",
            "ban_rules-0-max_chars": 300,
            "ban_rules-0-action": "rotate",
            "proxies-TOTAL_FORMS": 1,
            "proxies-0-scheme": "http",
            "proxies-0-place": "Proxy.Example.com:3128",
            "proxies-0-user": "crawler",
            "proxies-0-password": "pr0xy-s3cret",
            "proxies-0-is_enabled": "on",
            **changes,
        }
    )


def _add(world: World, **changes: object) -> Site:
    response = signed_in(world.ours.manager).post(
        add_url(Site), _treated(rights_holder=world.ours.holder.pk, **changes)
    )
    assert response.status_code == 302, response.context["errors"]
    return Site.objects.get(name="新站")


def test_what_a_manager_sets_reaches_the_crawler(world: World) -> None:
    site = _add(world)
    run = CrawlRun.objects.create(site=site, due_at=SystemClock().now())
    polite = crawls.crawl_plan(site, run).politeness
    assert (polite.windows, polite.zone, polite.browser) == ("01:00-06:00", "Asia/Tokyo", BrowserMode.AUTO)
    assert (polite.budget.bytes_a_run, polite.budget.pages_a_day, polite.budget.bytes_a_day) == (50_000_000, 3000, 0)
    assert polite.bans == (
        BanRule("滑块", (403, 405), ("请拖动滑块", "安全验证"), max_chars=300, action=BanAction.ROTATE),
    )
    assert [(each.place, each.user, each.password) for each in polite.proxies] == [
        ("proxy.example.com:3128", "crawler", "pr0xy-s3cret")
    ]
    assert polite.user_agents == ("Mozilla/5.0 a", "Mozilla/5.0 b")
    assert (polite.login.values, polite.login.cookies) == ((("pw", "l0gin-s3cret"),), (("session", "c00kie-s3cret"),))


def test_no_secret_is_readable_in_the_database_on_the_page_or_in_a_plan(world: World) -> None:
    site = _add(world)
    rows = ""
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.execute(f'SELECT * FROM "{table}"')
            rows += repr(cursor.fetchall())
    shown = signed_in(world.ours.manager).get(record_url(site)).content.decode()
    run = CrawlRun.objects.create(site=site, due_at=SystemClock().now())
    for text in (rows, shown, repr(crawls.crawl_plan(site, run))):
        assert not any(secret in text for secret in SECRETS)


def test_an_empty_field_keeps_a_secret_and_a_minus_sign_forgets_it(world: World) -> None:
    site = _add(world)
    rules, proxy = SiteRules.objects.get(site=site), SiteProxy.objects.get(site=site)
    again = {
        "rights_holder": world.ours.holder.pk,
        "rules-INITIAL_FORMS": 1,
        "rules-0-id": rules.pk,
        "rules-0-site": site.pk,
        "rules-0-login_values": "",
        "rules-0-cookies": "-",
        "ban_rules-TOTAL_FORMS": 0,
        "proxies-INITIAL_FORMS": 1,
        "proxies-0-id": proxy.pk,
        "proxies-0-site": site.pk,
        "proxies-0-password": "",
        "proxies-0-user": "other",
    }
    response = signed_in(world.ours.manager).post(record_url(site), _treated(**again))
    assert response.status_code == 302, response.context["errors"]
    polite = politeness.site_politeness(site)
    assert (polite.login.values, polite.login.cookies) == ((("pw", "l0gin-s3cret"),), ())
    assert [(each.user, each.password) for each in polite.proxies] == [("other", "pr0xy-s3cret")]


def test_secrets_of_another_key_are_asked_for_again(world: World) -> None:
    site = _add(world)
    with override_settings(SECRET_KEY="another" * 8), pytest.raises(sealed.KeyLost, match="enter them again"):
        politeness.site_politeness(site)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("rules-0-windows", "nachts"),
        ("rules-0-zone", "Mars/Base"),
        ("rules-0-login_steps", "jump"),
        ("rules-0-login_values", "l0gin-s3cret"),
        ("rules-0-login_values", "other = l0gin-s3cret"),
        ("ban_rules-0-selector", "div["),
        ("ban_rules-0-redirect", "(a|aa)+$"),
        ("ban_rules-0-statuses", "four"),
        ("proxies-0-place", "proxy.example.com"),
        ("proxies-0-place", "crawler:pr0xy-s3cret@proxy.example.com:3128"),
    ],
)
def test_what_cannot_work_is_refused_in_the_form_and_no_secret_is_shown(world: World, field: str, value: str) -> None:
    data = _treated(rights_holder=world.ours.holder.pk, **{field: value})
    response = signed_in(world.ours.manager).post(add_url(Site), data)
    assert response.status_code == 200
    assert not Site.objects.filter(name="新站").exists()


def test_a_form_is_checked_unlocked_and_saved_whole(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """On SQLite, a transaction keeps everybody else from writing."""
    outside, checked, saved = len(connection.savepoint_ids), list[int](), list[int]()

    def note_check(*_: object) -> dict[str, Message]:
        checked.append(len(connection.savepoint_ids))
        return {}

    def note_save(sender: object, **_: object) -> None:
        saved.append(len(connection.savepoint_ids))

    monkeypatch.setattr(host_fields, "rule_faults", note_check)
    post_save.connect(note_save, SiteBanRule)
    _add(world, follow_patterns="/\\d+", **{"ban_rules-0-selector": ".x"})
    post_save.disconnect(note_save, SiteBanRule)
    assert checked == [outside] * 3  # of the site, of its login and of its refusals
    assert min(saved) > outside


def test_what_was_saved_meanwhile_is_said_by_the_form(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    holder, save_form = world.ours.holder, SiteAdmin.save_form

    def too_late(self: SiteAdmin, *rest: Any, **named: Any) -> Any:
        Site.objects.get_or_create(rights_holder=holder, name="新站")
        return save_form(self, *rest, **named)

    monkeypatch.setattr(SiteAdmin, "save_form", too_late)
    response = signed_in(world.ours.manager).post(add_url(Site), _treated(rights_holder=holder.pk))
    assert response.status_code == 200
    assert response.context["errors"]


def test_robots_txt_is_switched_off_with_a_reason_only_and_the_log_says_who_and_when(world: World) -> None:
    client = signed_in(world.ours.manager)
    data = site_form(rights_holder=world.ours.holder.pk, obey_robots="")
    assert client.post(add_url(Site), data).status_code == 200
    assert not Site.objects.filter(name="新站").exists()
    assert client.post(add_url(Site), {**data, "robots_reason": "站方书面同意"}).status_code == 302
    site = Site.objects.get(name="新站")
    switch = RobotsSwitch.objects.get(site=site)
    assert (switch.obeys, switch.reason, switch.switched_by) == (False, "站方书面同意", world.ours.manager)
    assert "站方书面同意" in client.get(record_url(site)).content.decode()
    assert client.post(record_url(site), {**data, "obey_robots": "on"}).status_code == 302
    assert [each.obeys for each in RobotsSwitch.objects.filter(site=site)] == [True, False]
    assert client.post(record_url(site), {**data, "obey_robots": "on"}).status_code == 302
    assert RobotsSwitch.objects.filter(site=site).count() == 2


def test_the_health_of_proxies_is_summed_over_runs_and_shown(world: World) -> None:
    site = _add(world)
    until = (SystemClock().now() + timedelta(hours=1)).isoformat()
    place = "proxy.example.com:3128"
    for counted in (
        {"successes": 6, "failures": 1, "cools_until": ""},
        {"successes": 3, "failures": 2, "cools_until": until},
    ):
        politeness.keep_health(site, CrawlCounts(proxies={place: counted}))
    proxy = SiteProxy.objects.get(site=site)
    assert (proxy.successes, proxy.failures, proxy.cools_until) == (9, 3, datetime.fromisoformat(until))
    assert politeness.site_politeness(site).proxies[0].cools_until == proxy.cools_until
    shown = signed_in(world.ours.manager).get(record_url(site)).content.decode()
    assert "75%" in shown
    SiteProxy.objects.update(is_enabled=False)
    assert politeness.site_politeness(site).proxies == ()


def test_a_run_that_waits_for_the_site_is_not_taken_up_before_nor_given_up(world: World) -> None:
    now = SystemClock().now()
    CrawlRun.objects.all().delete()
    run = CrawlRun.objects.create(site=world.ours.sites[0], due_at=now - timedelta(hours=9), state="running")
    waiting = Message("core.verbatim", text="it waits")
    waits = CrawlCounts(resume_at=(now + timedelta(hours=5)).isoformat(), end_sentence=waiting, fetched=3)
    assert crawls.put_run_back(run, waits)
    assert (run.state, run.finish_reason, run.pages_fetched) == ("queued", waiting, 3)
    assert not crawls.mark_started(run, now)
    assert crawls.abandon_dead_runs(now) == 0
    assert crawls.mark_started(run, now + timedelta(hours=5))
    assert run.resume_at is None


def _kept(site: Site, store: MemoryPageStore, number: int, title: str, body: str) -> None:
    """A page of the site, in the store and in the list of pages."""
    url = f"https://a.example/{number}"
    html, headers = f"<title>{title}</title><p>{body}</p>".encode(), (("Content-Type", "text/html; charset=utf-8"),)
    fetched = response(site.pk, url, html, headers=headers)
    stored = store.put(fetched, Reading(title, body))
    PageRecord.objects.create(
        page_id=stored.page_id, site=site, url=url, title=title, version_id=stored.version_id,
        first_seen=fetched.fetched_at, last_seen=fetched.fetched_at + timedelta(minutes=number),
    )  # fmt: skip


def test_rules_are_tried_on_the_pages_that_are_stored(world: World) -> None:
    site, store = admin_data.site(world.ours.holder, "试读网", "a.example"), MemoryPageStore()
    _kept(site, store, 1, "正文", "渡口的风" * 90)
    _kept(site, store, 2, "提示", "请拖动滑块")
    rule = politeness.convert_ban_rule(SiteBanRule(name="滑块", words="拖动滑块"))
    tried = politeness.try_rules(site, [rule], store)
    assert [(each.title, each.rule, str(each.seen or "")) for each in tried] == [
        ("提示", "滑块", "“拖动滑块” is on the page"),
        ("正文", "", ""),
    ]
    assert len(politeness.try_rules(site, [rule], store, "https://a.example/1")) == 1


def test_a_typed_rule_is_tried_and_a_bad_one_refused(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    site, store = admin_data.site(world.ours.holder, "试读网", "a.example"), MemoryPageStore()
    monkeypatch.setattr(stores, "page_store", lambda: store)
    _kept(site, store, 1, "提示", "请拖动滑块" + "<p>字" * 3_000)
    address = f"/admin/watched_sites/site/{site.pk}/try-rules"
    client = signed_in(world.ours.manager)
    for query, status, words in (
        ({"words": "拖动滑块"}, 200, "1 个网页中，有 1 个"),
        ({"words": "别的"}, 200, "1 个网页中，有 0 个"),
        ({"selector": "div["}, 400, "div["),
        ({"selector": "p ~ p ~ p"}, 400, "这些规则耗时太长"),
        ({"url": "https://a.example/none", "words": "x"}, 400, "https://a.example/none"),
    ):
        response = client.get(address, query, follow=True)
        assert response.status_code == status, query
        assert words in response.content.decode()


def test_the_site_says_which_rules_were_left_out_and_how_many_pages_are_slow_to_read(world: World) -> None:
    page, manager = PageRecord.objects.filter(rights_holder=world.ours.holder)[0], signed_in(world.ours.manager)
    site = page.site
    assert "读取过久" not in manager.get(record_url(site)).content.decode()
    page.obfuscations = [{"kind": "slow_parts", "count": 1, "example": "script"}]
    page.save()
    shown = manager.get(record_url(site)).content.decode()
    assert "可疑：1 个网页含有使程序读取过久的内容" in shown
    run = site.runs.filter(only_urls="").first() or CrawlRun(site=site, due_at=SystemClock().now())
    run.faults = [Message(SLOW_RULES, selectors=["p ~ p ~ p"])]
    run.save()
    shown = manager.get(record_url(site)).content.decode()
    assert "以下选择器在该网站的网页上耗时太长，已停用；请写得简单些：p ~ p ~ p" in shown
    assert f"site__id__exact={site.pk}&amp;obfuscation=slow_parts" in shown
