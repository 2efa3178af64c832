"""`zhuiwen site try`: a site's rules, login and proxies on stored pages and on one from the web; nothing is kept."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.crawler.texts import own_text
from tests.support.command_line import CommandLine
from tests.support.web_server import Answer, Routes, WebServer, page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


FILL = """
from core.pages import Fetched, Reading
from datetime import UTC, datetime
from webadmin import stores
from webadmin.sites.models import PageRecord, Site, SiteBanRule
from webadmin.accounts.models import RightsHolder
url = sys.argv[1]
holder = RightsHolder.objects.create(name="青梧文学")
site = Site.objects.create(name="落霞", start_urls=url, rights_holder=holder)
SiteBanRule.objects.create(site=site, name="滑块", words="请拖动滑块", action="stop")
empty = Site.objects.create(name="空山", start_urls="https://empty.example/", rights_holder=holder)
for number, text in ((1, "请拖动滑块完成验证"), (2, "清晨的雾还没有散尽，老渡口的石阶上已经坐满了等船的人。")):
    at = f"{url}stored/{number}"
    body = f"<title>第{number}页</title><p>{text}</p>".encode()
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    now = datetime.now(UTC)
    fetched = Fetched(str(site.pk), at, at, at, 200, headers, body, now)
    stored = stores.page_store().put(fetched, Reading(f"第{number}页", text))
    PageRecord.objects.create(
        page_id=stored.page_id, site=site, url=at, title=f"第{number}页", version_id=stored.version_id,
        first_seen=now, last_seen=now,
    )
"""
COUNT = (
    "from webadmin.sites.models import Address, CrawlRun, PageRecord; "
    "print(*(model.objects.count() for model in (PageRecord, CrawlRun, Address)))"
)


@pytest.fixture(scope="module")
def web(loopback: None) -> Iterator[WebServer]:
    routes: Routes = {
        "/good": page("第一章 渡口", own_text(1)),
        "/slider": page("验证", "<p>请拖动滑块</p>"),
        "/empty": page("空", "<p>hi</p>"),
        "/picture": Answer(b"\x89PNG", "image/png"),
        "/ways": page(
            "第二章 夜渡",
            '<a href="/n/1">一</a><p onclick="location.href=\'/n/2\'">二</p><iframe src="/n/3"></iframe>'
            "<select><option value='/n/4.html'>四</option></select>"
            f"<script>var all = ['/n/5', '/n/6', '/n/7', '/n/8']; var text = '{own_text(2)}';</script>",
        ),
    }
    with WebServer(routes) as server:
        yield server


@pytest.fixture(scope="module")
def zhuiwen(with_stores: Callable[..., CommandLine], web: WebServer) -> CommandLine:
    command = with_stores(ZHUIWEN_ALLOW_PRIVATE_HOSTS=web.netloc, ZHUIWEN_CRAWL_TIMEOUT_S="5")
    command.in_django(FILL, web.url())
    return command


def test_the_rules_are_tried_on_the_stored_pages(zhuiwen: CommandLine, web: WebServer) -> None:
    web.requested.clear()
    tried = zhuiwen("site", "try", "落霞", "--json").json()
    assert {(each["url"].rpartition("/")[2], each["rule"]) for each in tried} == {("1", "滑块"), ("2", "")}
    shown = zhuiwen("site", "try", "落霞")
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.splitlines()[-1] == "pages that these rules recognise as refusals: 1 of 2"
    one = zhuiwen("site", "try", "落霞", web.url("/stored/1"), "--stored", "--json").json()
    assert [each["rule"] for each in one] == ["滑块"]
    assert web.requested == [], "no registry is asked"


def test_one_page_from_the_web_is_read_and_nothing_of_it_is_kept(zhuiwen: CommandLine, web: WebServer) -> None:
    before = zhuiwen.in_django(COUNT)
    done = zhuiwen("site", "try", "落霞", web.url("/good"), "--json")
    assert done.code == 0, done.err
    record = done.json()
    assert (record["is_read"], record["title"], record["login"]) == (True, "第一章 渡口", "none")
    assert (record["refusals"], record["faults"], record["proxies"]) == ([], [], {})
    assert "read: 第一章 渡口" in zhuiwen("site", "try", "落霞", web.url("/good")).out
    assert zhuiwen.in_django(COUNT) == before


def test_it_is_said_how_the_text_and_each_link_were_found(zhuiwen: CommandLine, web: WebServer) -> None:
    record = zhuiwen("site", "try", "落霞", web.url("/ways"), "--json").json()
    assert (record["text_by"], record["is_rendered"], record["parts"]) == ("scripts", False, 1)
    places = {link["url"].rpartition("/")[2]: link["place"] for link in record["links"]}
    ways = {"1": "link", "2": "attribute", "3": "frame", "4.html": "choice"}
    assert places == ways | dict.fromkeys("5678", "script")
    said = zhuiwen("site", "try", "落霞", web.url("/ways")).out.splitlines()
    assert "text: from JSON or scripts in the page (scripts)" in said
    (line,) = (line for line in said if line.startswith("links in scripts"))
    assert ": 4;" in line
    assert "/n/7" in line
    assert "/n/8" not in line


def test_a_refusal_is_named_with_its_rule(zhuiwen: CommandLine, web: WebServer) -> None:
    done = zhuiwen("site", "try", "落霞", web.url("/slider"), "--json")
    assert done.code == 1
    record = done.json()
    assert record["is_read"] is False
    assert any("滑块" in sentence for sentence in record["refusals"]), record
    shown = zhuiwen("site", "try", "落霞", web.url("/slider"))
    assert (shown.code, shown.out.splitlines()[0]) == (1, "no page was read")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/nowhere", "returned HTTP status 404"),
        ("/empty", "has no main text"),
        ("/picture", "its content type is image/png"),
    ],
)
def test_what_is_no_page_is_one_sentence(path: str, words: str, zhuiwen: CommandLine, web: WebServer) -> None:
    done = zhuiwen("site", "try", "落霞", web.url(path), "--json")
    assert done.code == 1
    assert any(words in fault for fault in done.json()["faults"]), done.out
    assert done.err == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("无此站",), "there is no site 无此站"),
        (("落霞", "no-address"), "no-address"),
        (("落霞", "ftp://a.example/x"), "only http and https are"),
        (("落霞", "http://169.254.169.254/latest/"), "metadata service"),
        (("落霞", "http://127.0.0.1:9/"), "loopback address"),
        (("落霞", "http://user:s3cret@a.example/"), "contains a user name or password"),
        (("落霞", "https://else.example/1"), "is not part of the site"),
        (("落霞", "https://never.example/1", "--stored"), "https://never.example/1"),
        (("空山",), "no page of the site is stored yet"),
        ((), "SITE"),
        (("落霞", "a", "b"), "b"),
    ],
)
def test_bad_input_is_one_sentence(arguments: tuple[str, ...], words: str, zhuiwen: CommandLine) -> None:
    done = zhuiwen("site", "try", *arguments)
    (sentence,) = done.complaints
    assert done.code == 2, done
    assert sentence.startswith("zhuiwen: ")
    assert words in sentence
    assert "s3cret" not in done.out + done.err


TREAT = """
import json
from webadmin.sites.models import Site, SiteProxy, SiteRules
given = json.loads(sys.argv[1])
site = Site.objects.get(name="落霞")
SiteProxy.objects.filter(site=site).delete()
SiteRules.objects.update_or_create(site=site, defaults=given.get("rules", {"login_steps": "", "windows": ""}))
for place in given.get("proxies", []):
    SiteProxy.objects.create(site=site, place=place)
"""


@pytest.fixture
def treat(zhuiwen: CommandLine) -> Iterator[object]:
    """Sets how the site is treated, and puts it back."""

    def to(**given: object) -> None:
        zhuiwen.in_django(TREAT, json.dumps(given))

    yield to
    to()


def test_a_proxy_that_is_not_allowed_and_a_login_that_fails_are_told(
    zhuiwen: CommandLine, web: WebServer, treat: object
) -> None:
    treat(proxies=["127.0.0.1:9"])  # type: ignore[operator]
    done = zhuiwen("site", "try", "落霞", web.url("/good"), "--json")
    assert (done.code, done.json()["ended"]) == (1, "no_proxy")
    assert any("the proxy 127.0.0.1:9 cannot be used" in fault for fault in done.json()["faults"])
    treat(rules={"login_steps": f"open {web.url('/good')}\ncheck a.logout", "windows": ""})  # type: ignore[operator]
    record = zhuiwen("site", "try", "落霞", web.url("/good"), "--json").json()
    assert (record["login"], record["is_read"]) == ("fails", False)
    assert any("a.logout is not on" in fault for fault in record["faults"])


def test_hours_and_budgets_are_for_crawls_not_for_a_person_who_asks(
    zhuiwen: CommandLine, web: WebServer, treat: object
) -> None:
    treat(rules={"login_steps": "", "windows": "00:00-00:01", "zone": "Pacific/Kiritimati", "pages_a_day": 1})  # type: ignore[operator]
    assert zhuiwen("site", "try", "落霞", web.url("/good"), "--json").json()["is_read"] is True
