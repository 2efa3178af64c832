"""Addresses that a page has outside of its links, and what only looks like one."""

import pytest

from crawler.links import LinkPlace, links, script_addresses
from crawler.markup import parse

URL = "http://a.example/book/"


def _links(markup: str, encoding: str = "utf-8"):  # type: ignore[no-untyped-def]
    tree = parse(markup)
    assert tree is not None
    return links(tree, URL, encoding=encoding)


@pytest.mark.parametrize(
    ("markup", "place"),
    [
        ("<div onclick=\"location.href='/read/7.html'\">读</div>", LinkPlace.ATTRIBUTE),
        ("<div onclick=\"go('/read/7.html', 1)\">读</div>", LinkPlace.ATTRIBUTE),
        ("<li data-href='/read/7.html'>读</li>", LinkPlace.ATTRIBUTE),
        ("<a href=\"javascript:window.open('/read/7.html')\">读</a>", LinkPlace.ATTRIBUTE),
        ("<select><option value='/read/7.html'>读</select>", LinkPlace.CHOICE),
        ("<iframe src='/read/7.html'></iframe>", LinkPlace.FRAME),
        ("<form action='/read/7.html'><button>读</button></form>", LinkPlace.FRAME),
        ('<script>var all = ["\\/read\\/7.html"]</script>', LinkPlace.SCRIPT),
        ("<script>document.write('<a href=\"/read/7.html\">')</script>", LinkPlace.SCRIPT),
        ('<script type="application/json">{"next": "/read/7.html"}</script>', LinkPlace.SCRIPT),
        ("<a href='/read/7.html'>读</a><script>var now = '/read/7.html'</script>", LinkPlace.LINK),
    ],
)
def test_an_address_is_found_with_its_place(markup: str, place: LinkPlace) -> None:
    found = _links(markup)
    assert [*found.chapters, *found.others] == ["http://a.example/read/7.html"]
    assert found.place("http://a.example/read/7.html") is place


@pytest.mark.parametrize(
    "script",
    [
        "var a = '/read/' + id + '.html'",
        "var a = base + '/7.html'",
        "var a = `/read/${id}.html`",
        "document.write('<a href=\"/read/' + id + '\">')",
        "fetch('/api/list/7')",
        "$.ajax({url: '/list/7'})",
        "var style = '/static/7.css', hook = '/wp-admin/7'",
        "require(['./utils', './pc2wap'])",
        "var root = '/', date = '2026/11/25', kind = 'text/html', share = 'a b/7.html'",
    ],
)
def test_what_is_put_together_or_asked_for_by_scripts_is_no_page(script: str) -> None:
    assert script_addresses([script]) == []


def test_a_list_of_names_is_known_by_its_folder() -> None:
    assert script_addresses(["var all = ['/book/qiao', '/book/he']; var home = '/about'"]) == ["/book/qiao", "/book/he"]


def test_words_on_what_is_clicked_say_what_follows() -> None:
    found = _links(
        "<button onclick=\"location='/2.html'\">下一章</button><p data-url='/9.html'>第九章 渡口</p>"
        "<option value='/8.html'>第八章 夜</option>"
    )
    assert found.next_pages == ("http://a.example/2.html",)
    assert found.chapters == ("http://a.example/9.html", "http://a.example/8.html")


def test_no_address_elsewhere_is_followed_against_the_page() -> None:
    assert _links("<meta name=robots content=nofollow><iframe src='/7.html'></iframe>").others == ()
    assert _links("<a rel=nofollow onclick=\"location='/7.html'\">读</a>").others == ()


@pytest.mark.parametrize(
    ("encoding", "address"),
    [
        ("gb18030", "http://a.example/%E8%AF%BB?n=%B5%DA1%D5%C2"),
        ("big5hkscs", "http://a.example/%E8%AF%BB?n=%B2%C41%B3%B9"),
        ("utf-8", "http://a.example/%E8%AF%BB?n=%E7%AC%AC1%E7%AB%A0"),
    ],
)
def test_a_query_is_in_the_encoding_of_the_page(encoding: str, address: str) -> None:
    (found,) = _links("<a href='/读?n=第1章'>读</a>", encoding).others
    assert found.replace("读", "%E8%AF%BB").replace("第", "%E7%AC%AC").replace("章", "%E7%AB%A0") == address


@pytest.mark.parametrize("piece", ['"/', "'/a", '"/1"', "<a href=/1>"])
def test_whatever_a_script_is_its_addresses_are_few(piece: str) -> None:
    assert len(script_addresses([piece * 100_000])) <= 1
