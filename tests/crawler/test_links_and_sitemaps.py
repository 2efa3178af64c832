"""Test where a page leads, and what a site lists."""

import gzip

import pytest

from crawler.links import links
from crawler.markup import parse
from crawler.sources.sitemaps import named_in_robots, read_robots, read_sitemap

URL = "http://a.example/book/1.html"


def _links(markup: str, **selectors: str):  # type: ignore[no-untyped-def]
    tree = parse(markup)
    assert tree is not None
    return links(tree, URL, **selectors)


def test_the_next_page_is_known_by_its_words_or_its_rel() -> None:
    for anchor in (
        '<a href="2.html">下一章</a>',
        '<a href="2.html">[ 下一页 ]</a>',
        '<a rel="next" href="2.html">&gt;</a>',
        '<link rel="next" href="2.html">',
        '<a href="2.html">下一頁 &gt;&gt;</a>',
        '<a href="2.html">下页</a>',
    ):
        assert _links(anchor).next_pages == ("http://a.example/book/2.html",), anchor


def test_chapters_are_known_by_their_numbers() -> None:
    found = _links('<a href="1">第一章 渡口</a><a href="2">第12回 夜渡</a><a href="3">楔子</a><a href="4">关于我们</a>')
    assert [url[-1] for url in found.chapters] == ["1", "2", "3"]
    assert [url[-1] for url in found.others] == ["4"]


def test_selectors_of_the_site_win() -> None:
    found = _links(
        '<p id=n><a href="x">往后</a></p><ol><li><a href="y">其一</a></ol>',
        next_page_selector="#n a",
        chapter_list_selector="//ol",
    )
    assert found.next_pages == ("http://a.example/book/x",)
    assert found.chapters == ("http://a.example/book/y",)


def test_nofollow_is_obeyed_on_links_and_on_pages() -> None:
    assert _links('<a rel="nofollow" href="2.html">下一章</a>').next_pages == ()
    assert _links('<meta name="robots" content="noindex, nofollow"><a href="2.html">下一章</a>').next_pages == ()


def test_addresses_are_made_absolute_and_what_is_none_is_left_out() -> None:
    found = _links(
        '<base href="/x/"><a href="a b.html#c">一</a><a href="javascript:go()">二</a><a href="mailto:x@y">三</a>'
        '<a href="http://[bad">四</a><a>五</a><a href="http://h:port/">六</a>'
    )
    assert found.others == ("http://a.example/x/ab.html",)


def test_a_sitemap_its_index_and_a_list_of_lines_are_read() -> None:
    urls = b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    urls += b"<url><loc> http://a.example/1 </loc></url></urlset>"
    index = b"<sitemapindex><sitemap><loc>http://a.example/s1.xml.gz</loc></sitemap></sitemapindex>"
    assert read_sitemap(urls, 10_000).pages == ("http://a.example/1",)  # type: ignore[union-attr]
    assert read_sitemap(gzip.compress(urls), 10_000).pages == ("http://a.example/1",)  # type: ignore[union-attr]
    assert read_sitemap(index, 10_000).sitemaps == ("http://a.example/s1.xml.gz",)  # type: ignore[union-attr]
    assert read_sitemap(b"http://a.example/1\nhttp://a.example/2\n", 10_000).pages == (
        "http://a.example/1",
        "http://a.example/2",
    )  # type: ignore[union-attr]


def test_a_sitemap_that_swells_when_unpacked_or_is_none_is_refused() -> None:
    bomb = gzip.compress(b"<urlset>" + b" " * 50_000_000)
    assert len(bomb) < 100_000
    assert read_sitemap(bomb, 100_000) is None
    assert read_sitemap(b"<html><body>404</body></html>", 10_000) is None
    assert read_sitemap(b"\x1f\x8bbroken", 10_000) is None
    assert read_sitemap(b"", 10_000) is None


def test_robots_txt_names_sitemaps() -> None:
    text = "User-agent: *\nDisallow: /x\nSITEMAP: /s.xml\n sitemap: http://a.example/t.xml\n"
    text += "Site-map: /u.xml\nsitemaps /v.xml"
    assert named_in_robots(text) == ["/s.xml", "http://a.example/t.xml", "/u.xml", "/v.xml"]


def test_lines_of_a_plain_sitemap_that_are_no_address_are_skipped_and_counted() -> None:
    lines = "\ufeff# 我们的页面\nhttp://a.example/1\n\n首页\na.example/2\nftp://a.example/3\nhttps://a.example/4\n"
    sitemap = read_sitemap(lines.encode(), 10_000)
    assert (sitemap.pages, sitemap.skipped_lines) == (("http://a.example/1", "https://a.example/4"), 3)
    assert read_sitemap("页面不存在\n".encode(), 10_000) is None


@pytest.mark.parametrize(
    ("rules", "agent", "path", "is_allowed"),
    [
        ("User-agent: Foo\nUnknown-Line: x\nUser-agent: *\nDisallow: /", "Foo", "/", False),  # RFC 9309, 2.2.4
        ("User-agent: Foo\n一行说明：请勿抓取\nDisallow: /x", "Foo", "/x", False),
        ("User-agent: Foo\nSitemap: http://a.example/s.xml\nUser-agent: *\nDisallow: /", "Foo", "/", False),
        ("User-agent: *\nDisallow: /\nUser-agent: Foo Bar\nAllow: /x/\nDisallow: /", "Foo/1.0", "/x/y", True),
        ("User-agent: *\nDisallow: /\nUser-agent: Foo # ours\nAllow: /x/\nDisallow: /", "Foo", "/x/y", True),
        ("User-agent: Mozilla/5.0 (compatible; Bar)\nDisallow: /", "Mozilla/5.0 (compatible; Foo)", "/x", True),
        ("\ufeffuser-agent FooBot\rdisallow /\r", "FooBot", "/x/y", False),
        ("User-agent: *\nDisalow: /x\nCrawl-delay: 5", "Foo", "/x", False),
    ],
)
def test_a_line_that_robots_txt_does_not_know_ends_no_group(
    rules: str, agent: str, path: str, is_allowed: bool
) -> None:
    read = read_robots(rules.encode())
    assert read.can_fetch(f"http://a.example{path}", agent) is is_allowed
