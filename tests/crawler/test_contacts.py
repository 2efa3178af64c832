"""Test what pages say of where their site can be reached: many layouts, and what is not the site's."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.contacts import Contact, ContactKind
from crawler.contacts.about_pages import about_page_kind
from crawler.contacts.emails import MAX_EMAILS, emails
from crawler.contacts.reading import (
    MAX_ABOUT_PAGES,
    MAX_ANY_PAGES,
    MAX_KEPT,
    ContactGatherer,
    ContactPages,
    PageContacts,
    numbers,
    page_contacts,
)
from crawler.markup import parse
from tests.crawler.crawl_process import crawl, plan_of, settings_of
from tests.support.web_server import WebServer, page

CASES = sorted(path.parent for path in (Path(__file__).parent / "contacts").glob("*/page.html"))
NOW = datetime(2026, 11, 20, 3, 0, tzinfo=UTC)


def read(markup: str, url: str = "https://a.example/about") -> list[tuple[str, str]]:
    tree = parse(markup)
    assert tree is not None
    return [(str(each.kind), each.value) for each in page_contacts(tree, url).contacts]


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_a_page_says_what_is_the_sites_and_nothing_else(folder: Path) -> None:
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    found = read((folder / "page.html").read_text("utf-8"), expected["url"])
    assert sorted(found) == sorted(map(tuple, expected["contacts"]))


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("邮箱：kefu@a.example", "kefu@a.example"),
        ("kefu(at)a.example", "kefu@a.example"),
        ("kefu [AT] a [DOT] example", "kefu@a.example"),
        ("kefu＠a．example", "kefu@a.example"),
        ("kefu艾特a.example", "kefu@a.example"),
        ("E-mail: kefu#a.example", "kefu@a.example"),
        ("请发邮件到 kefu*a.example （*改成@）", "kefu@a.example"),
    ],
)
def test_addresses_are_read_as_people_write_them(text: str, address: str) -> None:
    assert [each.value for each in emails(text)] == [address]


@pytest.mark.parametrize(
    "text",
    [
        "page#section.html 第三节",
        "noreply@a.example",
        "user@example.com",
        "举报 jubao@12377.cn",
        "某局 a@beijing.gov.cn",
        "@微博 @a.example",
        "mail@",
    ],
)
def test_what_is_no_address_of_the_site_is_none(text: str) -> None:
    assert emails(text) == []


def test_an_address_has_the_words_before_it_and_those_for_complaints_come_first() -> None:
    found = emails("商务：bd@a.example\n版权投诉邮箱：ts@a.example")
    assert [(each.value, each.label) for each in found] == [("ts@a.example", "版权投诉邮箱"), ("bd@a.example", "商务")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("京ICP备12345678号", [("icp", "京ICP备12345678号")]),
        ("粤ＩＣＰ備 ２０２１１２３４５６ 號－３", [("icp", "粤ICP备2021123456号-3")]),
        ("京ICP证030173号", [("icp_licence", "京ICP证030173号")]),
        ("合字B2-20210001 号", [("icp_licence", "合字B2-20210001")]),
        ("京公网安备11010502012345号", [("police", "京公网安备11010502012345号")]),
        ("ICP备12345678号", []),
        ("京ICP备123号", []),
        (" ".join(f"京ICP备1234567{n}号" for n in range(10)), []),
    ],
)
def test_numbers_of_three_registers_are_kept_apart(text: str, found: list[tuple[str, str]]) -> None:
    assert [(str(each.kind), each.value) for each in numbers(text)] == found


@pytest.mark.parametrize(
    ("url", "title", "kind"),
    [
        ("https://a.example/contact-us.html", "", ContactKind.CONTACT_PAGE),
        ("https://a.example/help/dmca", "", ContactKind.COMPLAINT_PAGE),
        ("https://a.example/p?id=3", "侵权投诉 - 甲网", ContactKind.COMPLAINT_PAGE),
        ("https://a.example/copyright/2026/1.html", "版权局发布新规", None),
        ("https://a.example/book/1/2.html", "第三章 投诉", None),
        ("https://a.example/", "甲网 - 小说", None),
        ("http://[", "", None),
    ],
)
def test_pages_that_speak_of_the_site_are_known_by_address_or_title(
    url: str, title: str, kind: ContactKind | None
) -> None:
    assert about_page_kind(url, title) == kind


def test_a_page_of_a_million_addresses_is_a_list_and_takes_no_time() -> None:
    text = " ".join(f"user{number}@pirate.example" for number in range(300_000))
    assert read(f"<title>联系我们</title><p>{text}</p><div class=footer>{text}</div>") == [
        ("contact_page", "https://a.example/about")
    ]
    assert len(emails(" ".join(f"版权 u{number}@a.example" for number in range(1_000)))) == MAX_EMAILS


@pytest.mark.parametrize(
    "text",
    [
        "a" * 400_000,
        "a." * 200_000,
        "a@" * 200_000,
        "a-" * 200_000 + "@",
        "(at)" * 100_000,
        "京ICP" * 100_000,
        "@" * 400_000,
    ],
    ids=["letters", "dots", "ats", "hyphens", "brackets", "records", "signs"],
)
def test_no_text_keeps_the_reader_busy(text: str) -> None:
    """Seconds at most on a busy machine; what is quadratic takes longer than any test may."""
    emails(text)
    numbers(text)


def gatherer() -> ContactGatherer:
    return ContactGatherer(lambda: NOW)


def one(value: str, label: str = "", *, is_about_page: bool = False) -> PageContacts:
    return PageContacts((Contact(ContactKind.EMAIL, value, label),), is_about_page)


def test_what_one_page_carries_is_not_the_sites_unless_it_speaks_of_it() -> None:
    seen = gatherer()
    seen.add_page("https://a.example/1", one("foot@a.example"))
    seen.add_page("https://a.example/1", one("foot@a.example"))
    assert seen.site_contacts() == []
    seen.add_page("https://a.example/2", one("foot@a.example", "客服"))
    seen.add_page("https://a.example/about", one("about@a.example", is_about_page=True))
    found = {each.contact.value: (each.contact.label, each.url, each.at) for each in seen.site_contacts()}
    assert found == {
        "foot@a.example": ("客服", "https://a.example/1", NOW),
        "about@a.example": ("", "https://a.example/about", NOW),
    }


def test_a_crawl_keeps_no_more_than_its_bound() -> None:
    seen = gatherer()
    for number in range(MAX_KEPT + 50):
        seen.add_page("https://a.example/about", one(f"{number}@a.example", is_about_page=True))
    assert len(seen.site_contacts()) == MAX_KEPT


def test_pages_that_speak_of_the_site_are_read_behind_the_first_ones_too() -> None:
    pages = ContactPages()
    assert [pages.admit_page(f"https://a.example/{n}.html") for n in range(MAX_ANY_PAGES + 2)].count(
        True
    ) == MAX_ANY_PAGES
    assert [pages.admit_page("https://a.example/dmca") for _ in range(MAX_ABOUT_PAGES + 2)].count(
        True
    ) == MAX_ABOUT_PAGES


def test_a_page_that_a_link_names_is_read_whatever_its_address() -> None:
    pages = ContactPages()
    for number in range(MAX_ANY_PAGES):
        pages.admit_page(f"https://a.example/{number}.html")
    assert not pages.admit_page("https://a.example/p/7")
    pages.note(PageContacts((Contact(ContactKind.CONTACT_PAGE, "https://a.example/p/7"),)))
    pages.note(None)
    assert pages.admit_page("https://a.example/p/7")


TEXT = "渡口的灯是在立冬那天熄的。老周把船缆系在第三根桩上，数了数舱里的米袋，一共十七袋，比上个月少了两袋。" * 8
FOOT = (
    '<div class="footer"><a href="/about.html">关于我们</a> 京ICP备12345678号 客服 kefu@pirate.example'
    '<a href="/tousu.html">侵权投诉</a></div>'
)


@pytest.mark.usefixtures("processes")
def test_a_crawl_reads_them_on_the_pages_that_it_fetches_anyway() -> None:
    chapters = {
        f"/{n}.html": page(f"第{n}章", f"<p>{TEXT}{n}</p><p>投稿 author{n}@mail.example</p>{FOOT}") for n in range(4)
    }
    links = "".join(f'<a href="{path}">{path}</a>' for path in chapters)
    about = page("关于我们", "<p>法务 fawu[at]pirate.example</p>")
    routes = {**chapters, "/": page("首页", links + FOOT), "/about.html": about}
    with WebServer(routes) as site:
        crawled = crawl(plan_of(site.url()), settings_of(site.netloc))
        found = {(str(each.contact.kind), each.contact.value): each for each in crawled.contacts}
        requested = set(site.requested)
    assert set(found) == {
        ("email", "kefu@pirate.example"),
        ("email", "fawu@pirate.example"),
        ("icp", "京ICP备12345678号"),
        ("complaint_page", site.url("/tousu.html")),
        ("contact_page", site.url("/about.html")),
    }
    assert found["email", "fawu@pirate.example"].url == site.url("/about.html")
    assert found["email", "kefu@pirate.example"].at.tzinfo is not None
    assert requested <= {"/", "/robots.txt", "/about.html", "/tousu.html", *chapters}, "nothing is fetched for them"
