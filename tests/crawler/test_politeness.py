"""Crawls of real local sites that resist: refusals, budgets, hours, proxies, logins, and kills in the midst of them."""

import base64
import json
import signal
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request, urlopen

import pytest

from core.errors import BadConfiguration
from core.politeness import BanAction, BanRule, CrawlBudget, Login, Politeness, Proxy
from crawler.run import run_crawl
from crawler.selectors import MAX_SLOW_PAGES
from crawler.stats import SLOW_RULES
from tests.crawler.crawl_process import (
    RecordingStore,
    crawl,
    done_pages,
    finish,
    kill,
    linked_pages,
    plan_of,
    recording_services,
    settings_of,
    start,
    wait_until,
)
from tests.crawler.texts import own_text
from tests.support.web_server import Answer, Routes, WebServer, page, redirect

pytestmark = pytest.mark.usefixtures("processes")

NOTICE = "<p>您的访问过于频繁，请稍后再试。</p>"
LOGIN_STEPS = """open {site}/login
fill username = {{user}}
fill password = {{password}}
submit
check a.logout"""


def _polite(**changes: Any) -> Politeness:
    return Politeness(**{"first_wait_s": 0.1, **changes})


def _refusing(times: int, refusal: Answer, good: Answer) -> Callable[[str], Answer]:
    """Refuses so many times, then gives the page."""
    left = [times]

    def answer(_: str) -> Answer:
        left[0] -= 1
        return refusal if left[0] >= 0 else good

    return answer


@pytest.mark.parametrize(
    ("status", "retry_after"),
    [(429, "1"), (503, "date"), (503, "")],
)
def test_a_site_that_asks_for_a_pause_gets_it_and_no_page_is_lost(status: int, retry_after: str) -> None:
    def busy(_: str) -> Answer:
        at = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
        headers = {"Retry-After": at if retry_after == "date" else retry_after} if retry_after else {}
        return Answer(b"busy", "text/plain", status, headers)

    routes = linked_pages(4)
    good, calls = routes["/p/2"], []

    def answer(path: str) -> Answer:
        calls.append(path)
        assert isinstance(good, Answer)
        return busy(path) if len(calls) == 1 else good

    routes["/p/2"] = answer
    with WebServer(routes) as site:
        crawled = crawl(plan_of(site.url(), politeness=_polite(), concurrency=1), settings_of(site.netloc))
        assert (crawled.counts.stored, crawled.counts.rejected) == (4, {"no_main_text": 1}), crawled.counts
        assert site.requested.count("/p/2") == 2
        first = site.requested.index("/p/2")
        pause_s = site.requested_at_s[first + 1] - site.requested_at_s[first]
        assert pause_s >= (0.1 if not retry_after else 0.9)
        assert any(f"by the rule “{status}”" in fault for fault in map(str, crawled.counts.faults))


def test_a_pause_longer_than_a_process_waits_ends_the_crawl_until_then(tmp_path: Path) -> None:
    routes = linked_pages(3) | {"/p/2": Answer(b"busy", "text/plain", 429, {"Retry-After": "7200"})}
    with WebServer(routes) as site:
        plan = plan_of(site.url(), politeness=_polite(), concurrency=1)
        counts = crawl(plan, settings_of(site.netloc), None, tmp_path).counts
        assert counts.finish_reason == "asked_to_wait"
        wait_s = (datetime.fromisoformat(counts.resume_at) - datetime.now(UTC)).total_seconds()
        assert 7_000 < wait_s <= 7_200
        site.routes["/p/2"] = page("第2篇", own_text(2))
        again = crawl(plan, settings_of(site.netloc), None, tmp_path)
        assert again.has("/p/2")
        asked = Counter(site.requested)
        assert (asked["/p/1"], asked["/p/2"], asked["/p/3"], asked["/"]) == (1, 2, 1, 1)


def test_a_page_that_stays_refused_is_counted_and_the_rest_goes_on() -> None:
    routes = linked_pages(3) | {"/p/2": Answer(b"busy", "text/plain", 503)}
    with WebServer(routes) as site:
        crawled = crawl(plan_of(site.url(), politeness=_polite(), concurrency=1), settings_of(site.netloc))
        assert crawled.counts.rejected["banned"] == 1
        assert crawled.counts.stored == 2
        assert site.requested.count("/p/2") == 3


@pytest.mark.parametrize(
    ("rule", "refusal"),
    [
        ("captcha", page("提示", NOTICE)),  # a common notice, which is known without any rule
        (BanRule("status", statuses=(403,)), Answer(b"<p>no</p>", status=403)),
        (BanRule("words", words=("请先拖动滑块",)), page("验证", "<p>请先拖动滑块</p>" + own_text(90))),
        (BanRule("selector", selector="#challenge-form"), page("验证", "<form id=challenge-form>" + own_text(91))),
        (BanRule("redirect", redirect="/verify"), redirect("/verify?from=here")),
        (BanRule("elsewhere", redirect="captcha\\.example"), redirect("http://captcha.example/")),
    ],
    ids=["notice", "status", "words", "selector", "redirect", "elsewhere"],
)
def test_a_refusal_in_the_guise_of_a_page_is_never_stored(rule: BanRule | str, refusal: Answer) -> None:
    routes = linked_pages(3) | {"/verify?from=here": page("验证", own_text(92))}
    good = routes["/p/2"]
    assert isinstance(good, Answer)
    routes["/p/2"] = _refusing(1, refusal, good)
    with WebServer(routes) as site:
        politeness = _polite(bans=(rule,)) if isinstance(rule, BanRule) else _polite()
        crawled = crawl(plan_of(site.url(), politeness=politeness, concurrency=1), settings_of(site.netloc))
        assert crawled.counts.stored == 3, crawled.counts
        assert not crawled.has("/verify")
        assert "验证" not in {reading.title for _, reading in crawled.store.versions.values()}
        name = rule.name if isinstance(rule, BanRule) else rule
        assert any(f"“{name}”" in fault for fault in map(str, crawled.counts.faults))


def test_a_slow_selector_of_a_refusal_rule_is_dropped_and_other_rules_apply() -> None:
    """On 24 kB, it would not end within minutes."""
    routes = linked_pages(MAX_SLOW_PAGES + 1)
    for path, answer in routes.items():
        assert isinstance(answer, Answer)
        routes[path] = replace(answer, body=answer.body + b"<p>x</p>" * 3_000)
    first = routes["/p/1"]
    assert isinstance(first, Answer)
    refusal = replace(first, body=first.body + "<p>请先拖动滑块</p>".encode())
    routes["/p/1"] = _refusing(1, refusal, first)
    with WebServer(routes) as site:
        rules = (BanRule("slow", selector="p ~ p ~ p ~ p"), BanRule("words", words=("请先拖动滑块",)))
        plan = plan_of(site.url(), politeness=_polite(bans=rules), concurrency=1)
        crawled = crawl(plan, settings_of(site.netloc))
        assert site.requested.count("/p/1") == 2
    assert crawled.counts.stored == len(routes), crawled.counts
    assert any("“words”" in fault for fault in map(str, crawled.counts.faults))
    assert [fault.code for fault in crawled.counts.faults].count(SLOW_RULES) == 1


def test_a_stop_rule_ends_the_crawl_with_its_reason_and_the_rest_stays_pending(tmp_path: Path) -> None:
    rule = BanRule("blocked", statuses=(403,), action=BanAction.STOP)
    routes = linked_pages(5) | {"/p/2": Answer(b"<p>no</p>", status=403)}
    with WebServer(routes) as site:
        plan = plan_of(site.url(), politeness=_polite(bans=(rule,)), concurrency=1)
        counts = crawl(plan, settings_of(site.netloc), None, tmp_path).counts
        assert counts.finish_reason == "banned"
        assert "by the rule “blocked”: HTTP status 403" in str(counts.end_sentence)
        asked_first = list(site.requested)
        site.routes["/p/2"] = page("第2篇", own_text(2))
        again = crawl(plan, settings_of(site.netloc), None, tmp_path)
        assert again.counts.finish_reason == "finished"
        assert again.has("/p/2")
        asked = Counter(path for path in asked_first + site.requested[len(asked_first) :] if path.startswith("/p/"))
        assert asked == {f"/p/{n}": 2 if n == 2 else 1 for n in range(1, 6)}


def test_ten_refusals_in_a_row_end_the_crawl() -> None:
    routes: Routes = {f"/p/{n}": Answer(b"busy", "text/plain", 429) for n in range(1, 30)}
    routes["/"] = linked_pages(29)["/"]
    with WebServer(routes) as site:
        plan = plan_of(site.url(), politeness=_polite(first_wait_s=0.001), concurrency=1)
        counts = crawl(plan, settings_of(site.netloc)).counts
        assert counts.finish_reason == "banned"
        assert "after 10 refusals in a row" in str(counts.end_sentence)
        assert sum(path.startswith("/p/") for path in site.requested) == 10


def test_a_refused_crawl_asks_more_slowly() -> None:
    routes = linked_pages(6)
    good = routes["/p/1"]
    assert isinstance(good, Answer)
    routes["/p/1"] = _refusing(1, Answer(b"busy", "text/plain", 429), good)
    with WebServer(routes) as site:
        plan = plan_of(site.url(), politeness=_polite(first_wait_s=0.5), concurrency=1)
        assert crawl(plan, settings_of(site.netloc)).counts.stored == 6
        after = site.requested_at_s[site.requested.index("/p/1") + 1 :]
        assert all(later - earlier >= 0.2 for earlier, later in pairwise(after))  # jitter: half the delay and more


def test_a_closed_window_is_waited_for_and_nothing_is_asked_before(tmp_path: Path) -> None:
    later = datetime.now(UTC) + timedelta(hours=5)
    hours = f"{later:%H}:00-{later:%H}:30"
    with WebServer(linked_pages(2)) as site:
        plan = plan_of(site.url(), politeness=_polite(windows=hours, zone="UTC"))
        counts = crawl(plan, settings_of(site.netloc), None, tmp_path).counts
        assert (counts.finish_reason, site.requested) == ("outside_window", [])
        opens = datetime.fromisoformat(counts.resume_at)
        assert (opens.hour, opens.minute) == (later.hour, 0)
        open_now = plan_of(site.url(), politeness=_polite(windows="00:00-12:00, 12:00-24:00", zone="UTC"))
        assert crawl(open_now, settings_of(site.netloc), None, tmp_path).counts.stored == 2


class ForwardProxy(WebServer):
    """A real forward proxy on loopback: http by absolute address; `status` None to forward, else what it answers."""

    def __init__(self, login: str = "", status: int | None = None) -> None:
        super().__init__({})
        self.login, self.status = login, status

    def answer(self, asked: BaseHTTPRequestHandler) -> Answer:
        wanted = "Basic " + base64.b64encode(self.login.encode()).decode()
        if self.login and asked.headers.get("Proxy-Authorization") != wanted:
            return Answer(status=407)
        if self.status:
            return Answer(b"<p>no</p>", status=self.status)
        try:
            with urlopen(Request(asked.path), timeout=60) as answer:
                return Answer(answer.read(), status=answer.status)
        except OSError as fault:
            return Answer(status=getattr(fault, "code", 502))


def test_requests_go_by_the_proxies_in_turn_with_their_passwords_and_none_is_told() -> None:
    with WebServer(linked_pages(6)) as site, ForwardProxy("crawler:t0p-s3cret") as one, ForwardProxy() as other:
        proxies = (Proxy(one.netloc, user="crawler", password="t0p-s3cret"), Proxy(other.netloc))
        plan = plan_of(site.url(), politeness=_polite(proxies=proxies))
        crawled = crawl(plan, settings_of(site.netloc, one.netloc, other.netloc))
        assert crawled.counts.stored == 6, crawled.counts
        assert len(one.requested) >= 2
        assert len(other.requested) >= 2
        assert sorted(one.requested + other.requested) == sorted(site.url(path) for path in site.requested)
        health = crawled.counts.proxies
        assert health[one.netloc] == {"successes": len(one.requested), "failures": 0, "cools_until": ""}
        told = repr(plan) + repr(crawled.counts) + crawled.output
        evidence = repr([(fetched.headers, fetched.capture) for fetched, _ in crawled.store.versions.values()])
        secret = base64.b64encode(b"crawler:t0p-s3cret").decode()
        assert not any(word in told + evidence for word in ("t0p-s3cret", secret))


@pytest.mark.parametrize("fault", ["refuses the login", "answers 502"])
def test_a_proxy_that_fails_rests_and_the_others_carry_on(fault: str) -> None:
    status = 502 if fault == "answers 502" else None
    login = "a:b" if fault == "refuses the login" else ""
    with WebServer(linked_pages(8)) as site, ForwardProxy() as good, ForwardProxy(login, status) as bad:
        proxies = (Proxy(bad.netloc), Proxy(good.netloc))
        plan = plan_of(site.url(), politeness=_polite(proxies=proxies), concurrency=1)
        crawled = crawl(plan, settings_of(site.netloc, good.netloc, bad.netloc))
        assert crawled.counts.stored == 9, crawled.counts  # and the list
        health = crawled.counts.proxies[bad.netloc]
        assert health["cools_until"]
        assert health["successes"] == 0
        assert 1 <= int(str(health["failures"])) <= 3


def test_where_every_proxy_rests_nothing_is_asked_without_one(tmp_path: Path) -> None:
    rests = datetime.now(UTC) + timedelta(hours=2)
    with WebServer(linked_pages(2)) as site:
        proxies = (Proxy("127.0.0.1:9", cools_until=rests),)
        plan = plan_of(site.url(), politeness=_polite(proxies=proxies))
        counts = crawl(plan, settings_of(site.netloc, "127.0.0.1:9"), None, tmp_path).counts
        assert (counts.finish_reason, site.requested) == ("no_proxy", [])
        assert abs(datetime.fromisoformat(counts.resume_at) - rests) < timedelta(seconds=5)


def test_a_refused_crawl_goes_on_by_another_proxy_under_another_name() -> None:
    rule = BanRule("blocked", statuses=(403,), action=BanAction.ROTATE)
    with WebServer(linked_pages(4)) as site, ForwardProxy(status=403) as bad, ForwardProxy() as good:
        politeness = _polite(
            bans=(rule,),
            proxies=(Proxy(bad.netloc), Proxy(good.netloc)),
            user_agents=("Zhuiwen/one", "Zhuiwen/two"),
        )
        crawled = crawl(
            plan_of(site.url(), politeness=politeness, concurrency=1, obey_robots=False),
            settings_of(site.netloc, bad.netloc, good.netloc),
        )
        assert crawled.counts.stored == 4, crawled.counts
        assert len(bad.requested) == 1
        assert {asked.user_agent for asked in bad.log + good.log} == {"Zhuiwen/one", "Zhuiwen/two"}


class MemberSite(WebServer):
    """A site whose texts only members see: a form with a hidden token, a cookie, sessions that last `lasts` pages."""

    def __init__(self, length: int, lasts: int = 1_000_000, delay_s: float = 0.0) -> None:
        super().__init__({})
        self.length, self.lasts, self.delay_s = length, lasts, delay_s
        self.logins = 0
        self._sessions: dict[str, int] = {}

    def answer(self, asked: BaseHTTPRequestHandler) -> Answer:
        if asked.command == "POST":
            fields = parse_qs(asked.rfile.read(int(asked.headers["Content-Length"])).decode())
            cookie = f"session={self.log_in(fields)}; Path=/; HttpOnly"
            return Answer(status=303, headers={"Location": "/", "Set-Cookie": cookie})
        if asked.path.startswith("/p/"):
            time.sleep(self.delay_s)
        is_member = asked.path != "/login" and self.is_member(asked.headers.get("Cookie", ""))
        body = self.body(asked.path, is_member)
        markup = f"<!doctype html><meta charset=utf-8><title>{urlsplit(asked.path).path}</title>{body}"
        return Answer(markup.encode(), status=404 if asked.path == "/robots.txt" else 200)

    def log_in(self, fields: dict[str, list[str]]) -> str:
        given = [fields.get(name, [""])[0] for name in ("username", "password", "token", "button")]
        if given != ["读者", "m3mber&secret", "t-1 &2", ""]:
            return ""
        self.logins += 1
        self._sessions[f"s{self.logins}"] = self.lasts
        return f"s{self.logins}"

    def is_member(self, cookie: str) -> bool:
        session = cookie.partition("session=")[2].partition(";")[0]
        self._sessions[session] = self._sessions.get(session, 0) - 1
        return self._sessions[session] >= 0

    def body(self, path: str, is_member: bool) -> str:
        if path == "/robots.txt":
            return ""
        if path == "/login":
            return (
                '<form method=post action="/enter"><input name=username><input name=password type=password>'
                '<input type=hidden name=token value="t-1 &amp;2"><button name=button value=x>进</button></form>'
            )
        if not is_member:
            return '<p id="please-log-in">请先登录</p>' + own_text(70)
        if path == "/":
            return (
                "".join(f'<a href="/p/{n}">第{n}篇</a>' for n in range(1, self.length + 1)) + '<a class="logout">退</a>'
            )
        return f"<h1>第{path.rpartition('/')[2]}篇</h1>" + own_text(int(path.rpartition("/")[2] or 0))


def _member(site: MemberSite, password: str = "m3mber&secret", **changes: Any) -> Politeness:
    values = (("user", "读者"), ("password", password))
    return _polite(login=Login(LOGIN_STEPS.format(site=site.url("")), values), **changes)


def test_a_login_opens_the_session_and_its_values_are_told_nowhere() -> None:
    with MemberSite(3) as site:
        plan = plan_of(site.url("/"), politeness=_member(site))
        crawled = crawl(plan, settings_of(site.netloc))
        assert (crawled.counts.stored, site.logins) == (3, 1), crawled.counts
        told = repr(plan) + repr(crawled.counts) + crawled.output + repr(list(crawled.store.versions.values()))
        assert not any(word in told for word in ("m3mber", "session=s1"))


def test_a_login_that_does_not_work_ends_the_crawl_and_names_the_step(tmp_path: Path) -> None:
    with MemberSite(3) as site:
        plan = plan_of(site.url("/"), politeness=_member(site, password="wr0ng"))
        counts = crawl(plan, settings_of(site.netloc), None, tmp_path).counts
        assert (counts.finish_reason, counts.fetched) == ("login_failed", 0)
        assert (
            str(counts.end_sentence) == f"login, line 5 (check): a.logout is not on {site.url('/')}: the login failed"
        )
        assert "wr0ng" not in repr(counts) + (tmp_path / "frontier.jsonl").read_text()


def test_a_session_that_ends_is_opened_again_and_no_notice_is_stored() -> None:
    rule = BanRule("session over", selector="#please-log-in", action=BanAction.LOGIN)
    with MemberSite(9, lasts=4) as site:
        crawled = crawl(
            plan_of(site.url("/"), politeness=_member(site, bans=(rule,)), concurrency=1, obey_robots=False),
            settings_of(site.netloc),
        )
        assert crawled.counts.stored == 10, crawled.counts  # and the list
        assert site.logins >= 3
        assert not any("请先登录" in reading.text for _, reading in crawled.store.versions.values())


def test_a_login_never_leaves_the_site() -> None:
    with WebServer({"/steal": page("别处", "")}) as far:
        form = f'<form method=post action="{far.url("/steal")}"><input name=username><input name=password></form>'
        with WebServer({"/": page("目录", ""), "/login": page("登录", form)}) as site:
            steps = LOGIN_STEPS.format(site=site.url().rstrip("/"))
            login = Login(steps, (("user", "读者"), ("password", "s3cret")))
            counts = crawl(
                plan_of(site.url(), politeness=_polite(login=login)), settings_of(site.netloc, far.netloc)
            ).counts
            assert counts.finish_reason == "login_failed"
            assert f"{far.netloc} is not part of the site" in str(counts.end_sentence)
            assert far.requested == []


def test_cookies_that_the_operator_set_are_sent_to_the_site() -> None:
    with MemberSite(2) as site:
        site._sessions["mine"] = 100
        politeness = _polite(login=Login(cookies=(("session", "mine"),)))
        crawled = crawl(plan_of(site.url("/"), politeness=politeness), settings_of(site.netloc))
        assert crawled.counts.stored == 2, crawled.counts
        assert "mine" not in repr(politeness)


def test_a_killed_crawl_logs_in_again_and_fetches_no_page_twice_and_loses_none(tmp_path: Path) -> None:
    with MemberSite(12, delay_s=0.15) as site:
        log = tmp_path / "stored.jsonl"
        plan = plan_of(site.url("/"), politeness=_member(site, budget=CrawlBudget(pages_a_day=1_000)), concurrency=1)
        settings = settings_of(site.netloc)
        process, pipe = start(plan, settings, RecordingStore(log=log), tmp_path / "job")
        journal = tmp_path / "job" / "frontier.jsonl"
        wait_until(lambda: journal.exists() and len(done_pages(journal)) >= 4)
        kill(process, signal.SIGKILL)
        process.join()
        pipe.close()
        assert "m3mber" not in journal.read_text() + repr((tmp_path / "usage.sqlite").read_bytes())
        done, before_kill = done_pages(journal), Counter(site.requested)
        again = finish(*start(plan, settings, RecordingStore(log=log), tmp_path / "job"))
        assert again.counts.finish_reason == "finished"
        stored = Counter(json.loads(line).rpartition("/")[2] for line in log.read_text().splitlines())
        assert set(stored) == {"", *(str(n) for n in range(1, 13))}, "the list as well"
        assert site.logins == 2
        # What was stored and not yet noted when the process died may be asked for and stored again.
        asked = Counter(site.requested)
        twice = {path for path in asked if path.startswith("/p/") and asked[path] > 1}
        twice |= {f"/p/{name}" for name, count in stored.items() if count > 1}
        assert not twice & done
        assert sum(before_kill.values()) < sum(asked.values())


@pytest.mark.parametrize(
    ("politeness", "words"),
    [
        (Politeness(windows="1am-6am"), "'1am-6am' is not a range of hours"),
        (Politeness(zone="Mars/Base"), "'Mars/Base' is not a time zone"),
        (Politeness(bans=(BanRule("empty"),)), "the rule empty has no condition"),
        (Politeness(bans=(BanRule("bad", selector="div["),)), "the rule bad"),
        (Politeness(bans=(BanRule("bad", redirect="(a"),)), "the redirect pattern of the rule bad"),
        (Politeness(bans=(BanRule("odd", statuses=(999,)),)), "HTTP status 999"),
        (Politeness(login=Login("fill a = b")), "does not begin with an open step"),
        (Politeness(login=Login("open https://a.example/\ncheck b\nfill p = {pw}")), "no secret named pw"),
        (Politeness(login=Login("open https://a.example/\njump x")), "a step must be one of open, fill, submit, check"),
    ],
)
def test_a_plan_that_cannot_work_is_refused_at_the_start(politeness: Politeness, words: str) -> None:
    with pytest.raises(BadConfiguration, match=words.replace("(", r"\(")):
        run_crawl(plan_of("http://a.example/", politeness=politeness), recording_services(), settings_of())
