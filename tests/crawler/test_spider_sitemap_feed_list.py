"""Sites that say themselves what they have: sitemaps, feeds, and lists of pages; from real local servers."""

import gzip
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.errors import BadConfiguration
from core.pages import CrawlPlan
from crawler.run import run_crawl
from crawler.sources.feeds import named_feeds, read_feed
from crawler.sources.sitemaps import ListedPage
from tests.crawler.crawl_process import RecordingStore, crawl, plan_of, recording_services, settings_of
from tests.crawler.texts import SIMPLIFIED, TRADITIONAL, own_text, paragraphs
from tests.support.books import epub_of
from tests.support.web_server import Answer, Routes, WebServer, page

URL, FAR = "http://a.example/feed.xml", "http://else.example/1"


def article(number: int, links: str = "") -> Answer:
    return page(f"第{number}篇报道", f"<h1>第{number}篇报道</h1>{own_text(number)}{links}")


def plan(site: WebServer, kind: str, *paths: str, **changes: object) -> CrawlPlan:
    return replace(plan_of("", kind=kind, **changes), start_urls=tuple(site.url(path) for path in paths))


# Sitemaps


def sitemap_site(site: WebServer) -> Routes:
    news = (
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
        'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" '
        'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">'
        f"<url><loc>{site.url('/n/1')}</loc><image:image><image:loc>{site.url('/i.png')}</image:loc></image:image>"
        "<news:news><news:publication><news:name>江城报</news:name></news:publication>"
        "<news:publication_date>2026-11-20T08:30:00+08:00</news:publication_date>"
        "<news:title>渡口重开</news:title></news:news></url></urlset>"
    )
    pages = "".join(f"<url><loc>{site.url(f'/a/{n}')}</loc><lastmod>2026-0{n}-01</lastmod></url>" for n in range(1, 6))
    index = f"<sitemapindex><sitemap><loc>{site.url('/news.xml')}</loc></sitemap>"
    index += f"<sitemap><loc>{site.url('/pages.xml.gz')}</loc></sitemap></sitemapindex>"
    routes: Routes = {f"/a/{n}": article(n, '<a href="/hidden">更多</a>') for n in range(1, 6)}
    return routes | {
        "/": page("首页", '<a href="/hidden">更多</a>'),
        "/hidden": article(90),
        "/n/1": page("", paragraphs()),
        "/robots.txt": Answer(f"User-agent: *\nSitemap: {site.url('/index.xml')}\n".encode(), "text/plain"),
        "/index.xml": Answer(index.encode(), "application/xml"),
        "/news.xml": Answer(news.encode(), "application/xml"),
        "/pages.xml.gz": Answer(gzip.compress(f"<urlset>{pages}</urlset>".encode()), "application/gzip"),
    }


@pytest.mark.usefixtures("processes")
def test_sitemap_index_gzipped_and_news_sitemaps_are_read_without_following_links() -> None:
    with WebServer({}) as site:
        site.routes.update(sitemap_site(site))
        crawled = crawl(plan(site, "sitemap", "/"), settings_of(site.netloc))
        assert crawled.counts.stored == 6
        assert not {"/hidden", "/", "/i.png"} & set(site.requested)
    reading = crawled.reading("/n/1")
    assert reading.title == "渡口重开", "the page itself says neither its title nor its time"
    assert reading.published == datetime(2026, 11, 20, 0, 30, tzinfo=UTC)


@pytest.mark.usefixtures("processes")
def test_files_that_a_listed_page_offers_are_fetched_though_its_links_are_not() -> None:
    book = epub_of("渡口", {"第一章": [own_text(2)], "第二章": [own_text(3)]})
    with WebServer({"/book.epub": Answer(book, "application/epub+zip"), "/hidden": article(90)}) as site:
        site.routes["/map.txt"] = Answer(f"文章\n{site.url('/1')}\n".encode(), "text/plain")
        site.routes["/1"] = article(1, '<a href="/hidden">更多</a><a href="/book.epub">下载</a>')
        crawled = crawl(plan(site, "sitemap", "/map.txt"), settings_of(site.netloc))
    assert crawled.reading("/book.epub").title == "渡口"
    assert crawled.counts.stored == 2
    skipped = f"{site.url('/map.txt')}: skipped sitemap lines that are not URLs (1)"
    assert list(map(str, crawled.counts.faults)) == [skipped]


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(
    ("kind", "sentence"),
    [("sitemap", "no sitemap was found at {}"), ("feed", "{} is not a feed and does not link to one")],
)
def test_a_site_without_what_its_kind_is_read_from_says_so(kind: str, sentence: str) -> None:
    with WebServer({"/": article(1)}) as site:
        crawled = crawl(plan(site, kind, "/"), settings_of(site.netloc))
    assert list(map(str, crawled.counts.faults)) == [sentence.format(site.url("/"))]


# Feeds


def rss(items: str, head: str = '<?xml version="1.0" encoding="utf-8"?>') -> str:
    content = 'xmlns:content="http://purl.org/rss/1.0/modules/content/"'
    return f'{head}<rss version="2.0" {content}><channel><title>江城旧事</title>{items}</channel></rss>'


def item(url: str, number: int, *, has_text: bool = False) -> str:
    text = f"<content:encoded><![CDATA[{own_text(number)}]]></content:encoded>" if has_text else ""
    date = f"<pubDate>Fri, {number + 10} Nov 2026 08:00:00 +0800</pubDate>"
    return f"<item><title>第{number}篇报道</title><link>{url}</link>{date}<description>摘要</description>{text}</item>"


@pytest.mark.usefixtures("processes")
def test_the_pages_of_a_feed_are_fetched_and_their_links_are_not() -> None:
    with WebServer({f"/p/{n}": article(n, '<a href="/p/9">更多</a>') for n in (1, 2, 9)}) as site:
        items = "".join(item(url, n) for n, url in enumerate((site.url("/p/1"), site.url("/p/2"), FAR), 1))
        site.routes["/feed"] = Answer(rss(items).encode(), "application/rss+xml")
        crawled = crawl(plan(site, "feed", "/feed"), settings_of(site.netloc))
        assert (crawled.counts.stored, crawled.counts.finish_reason) == (2, "finished")
        assert "/p/9" not in site.requested
    assert crawled.counts.rejected == {"off_site": 1}
    assert "else.example, which is not part of the site" in str(crawled.counts.faults[0])


@pytest.mark.usefixtures("processes")
def test_the_text_in_a_feed_is_kept_where_its_page_is_gone_and_only_there() -> None:
    with WebServer(
        {"/p/1": article(1), "/robots.txt": Answer(b"User-agent: *\nDisallow: /p/3\n", "text/plain")}
    ) as site:
        items = "".join(item(site.url(f"/p/{n}"), n, has_text=True) for n in (1, 2, 3))
        site.routes["/feed"] = Answer(rss(items).encode(), "application/rss+xml")
        crawled = crawl(plan(site, "feed", "/feed"), settings_of(site.netloc))
        kept = {fetched.canonical_url[-4:]: (fetched, reading) for fetched, reading in crawled.store.versions.values()}
        assert sorted(kept) == ["/p/1", "/p/2", "/p/3"]
        assert kept["/p/1"][1].extractor != "feed"
        fetched, reading = kept["/p/2"]
        assert (reading.extractor, reading.title) == ("feed", "第2篇报道")
        assert "这是第2页自己的开头" in reading.text
        assert reading.published == datetime(2026, 11, 12, tzinfo=UTC)
        assert fetched.body == site.routes["/feed"].body  # type: ignore[union-attr]
        assert fetched.final_url == site.url("/feed")
        assert crawled.counts.rejected == {"http_error": 1, "robots": 1}


@pytest.mark.usefixtures("processes")
def test_a_page_that_names_feeds_and_a_feed_in_several_documents_are_followed() -> None:
    with WebServer({f"/p/{n}": article(n) for n in (1, 2, 3)}) as site:
        atom = '<feed xmlns="http://www.w3.org/2005/Atom"><title>江城旧事</title><link rel="next" href="/atom2"/>'
        entry = (
            '<entry><title>第{0}篇报道</title><link href="/p/{0}"/><updated>2026-11-0{0}T00:00:00Z</updated></entry>'
        )
        site.routes["/atom1"] = Answer(f"{atom}{entry.format(1)}</feed>".encode(), "application/atom+xml")
        stated = {"version": "https://jsonfeed.org/version/1.1", "items": [{"id": "3", "url": "/p/3"}]}
        site.routes["/feed.json"] = Answer(json.dumps(stated).encode(), "application/feed+json")
        site.routes["/atom2"] = Answer(
            f"{atom.replace('atom2', 'atom1')}{entry.format(2)}</feed>".encode(), "application/atom+xml"
        )
        head = '<link rel="alternate" type="application/atom+xml" href="/atom1">'
        head += '<link rel="alternate" type="application/feed+json" href="/feed.json">'
        site.routes["/"] = page("首页", head + own_text(7))
        crawled = crawl(plan(site, "feed", "/"), settings_of(site.netloc))
        assert crawled.counts.stored == 3
        assert site.requested.count("/atom1") == 1


@pytest.mark.usefixtures("processes")
def test_a_feed_crawl_that_was_interrupted_still_has_the_texts_of_the_feed(tmp_path: Path) -> None:
    with WebServer({}) as site:
        items = "".join(item(site.url(f"/p/{n}"), n, has_text=True) for n in (1, 2, 3))
        site.routes["/feed"] = Answer(rss(items).encode(), "application/rss+xml")
        feed_plan = plan(site, "feed", "/feed")
        away = crawl(feed_plan, settings_of(site.netloc), RecordingStore(away_calls=1_000), tmp_path)
        assert away.counts.finish_reason == "store_unavailable"
        again = crawl(feed_plan, settings_of(site.netloc), None, tmp_path)
    assert len(again.store.pages) == 3


@pytest.mark.parametrize(
    ("encoding", "label", "declared"),
    [
        ("gb18030", "", "gb2312"),
        ("gb18030", "utf-8", "utf-8"),
        ("big5hkscs", "", "big5"),
        ("big5hkscs", "gbk", ""),
        ("utf-8", "gb2312", "utf-8"),
        ("utf-8", "", ""),
    ],
)
def test_feeds_are_read_in_every_encoding_whatever_they_call_it(encoding: str, label: str, declared: str) -> None:
    lines = TRADITIONAL if encoding.startswith("big5") else SIMPLIFIED
    head = f'<?xml version="1.0" encoding="{declared}"?>' if declared else ""
    text = "".join(lines)
    body = rss(f"<item><title>{text}</title><link>/1</link></item>", head).replace("江城旧事", lines[0])
    content_type = "application/rss+xml" + (f"; charset={label}" if label else "")
    feed = read_feed(body.encode(encoding), content_type, URL)
    assert (feed.entries[0].listed.title, feed.entries[0].listed.url) == (text, "http://a.example/1")


@pytest.mark.parametrize(
    "body",
    [
        '<?xml version="1.0"?><rss version="0.91"><channel><title>某</title>ITEM</channel></rss>',
        '<rss version="0.92"><channel><title>某</title>ITEM</channel></rss>',
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">'
        "<channel><title>某</title></channel>ITEM</rdf:RDF>",
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        'xmlns="http://my.netscape.com/rdf/simple/0.9/"><channel><title>某</title></channel>ITEM</rdf:RDF>',
        '<rss version="2.0"><channel><title>某 & 某</title>ITEM<item><title>断',
        '\n\n<rss version="2.0"><channel><title>某</title>ITEM</channel>',
    ],
)
def test_all_versions_and_broken_feeds_are_read(body: str) -> None:
    entry = "<item><title>渡口重开 &nbsp;之后</title><link>http://a.example/1?a=1&b=2</link></item>"
    feed = read_feed(body.replace("ITEM", entry).encode(), "text/xml", URL)
    assert feed.entries[0].listed.url == "http://a.example/1?a=1&b=2"


JSON_FEED = """{"version": "https://jsonfeed.org/version/VERSION", "title": "江城旧事", AUTHOR
 "next_url": "/feed.json?page=2", "items": [
  {"id": 7, "url": "/1", "title": "渡口\n重开", "date_published": "2026-11-20T08:30:00+08:00",
   "date_modified": "2026-11-21T00:00:00Z", "content_html": "<p>正文</p>", "content_text": "别的"},
  {"id": "http://a.example/2", "content_text": "甲 < 乙\\n\\n丙", "authors": [{"name": "周行"}, {"name": "吴平"}],
   "author": {"name": "周行"}},
  {"id": "tag:3", "external_url": "http://else.example/3"}, "no item", {"id": "4", "url": ["/4"]}]}"""


@pytest.mark.parametrize(
    ("version", "author", "authors"),
    [("1", '"author": {"name": "何远"},', "周行"), ("1.1", '"authors": [{"name": "何远"}, 3],', "周行、吴平")],
)
def test_json_feed_is_read_in_both_versions(version: str, author: str, authors: str) -> None:
    body = JSON_FEED.replace("VERSION", version).replace("AUTHOR", author)
    if version == "1":
        body = body.replace('"authors": [{"name": "周行"}, {"name": "吴平"}],', "")
    feed = read_feed(b"\xef\xbb\xbf" + body.encode(), "application/json", URL)
    assert (feed.title, feed.next_page) == ("江城旧事", "http://a.example/feed.json?page=2")
    first, second = feed.entries
    assert first.listed == ListedPage(
        "http://a.example/1",
        "渡口 重开",
        datetime(2026, 11, 20, 0, 30, tzinfo=UTC),
        datetime(2026, 11, 21, tzinfo=UTC),
        "何远",
    )
    assert (first.content, second.content) == ("<p>正文</p>", "<p>甲 &lt; 乙</p><p>丙</p>")
    assert (second.listed.url, second.listed.author) == ("http://a.example/2", authors)


@pytest.mark.parametrize("body", ['{"items": [{"url": "/1"}]}', '{"version": "https://jsonfeed.org/ver', "{" * 90_000])
def test_json_that_is_no_feed_is_none(body: str) -> None:
    assert read_feed(body.encode(), "application/feed+json", URL) is None


def test_a_page_names_feeds_of_every_kind_and_no_other_interface() -> None:
    link = '<link rel="alternate" type="application/{}" href="{}">'
    named = [("rss+xml", "/a"), ("feed+json", "/b"), ("json", "/feed.json"), ("json", "/wp-json/posts/1")]
    markup = "".join(link.format(*each) for each in named)
    assert named_feeds(markup.encode(), URL) == tuple(f"http://a.example{path}" for path in ("/a", "/b", "/feed.json"))


# Lists


@pytest.mark.usefixtures("processes")
def test_only_the_pages_of_a_list_are_fetched_even_those_that_look_like_traps() -> None:
    routes: Routes = {"/search?q=1": article(1, '<a href="/2">二</a>'), "/2": article(2), "/login": article(3)}
    with WebServer(routes) as site, WebServer({"/x": article(4)}) as other:
        listed = plan(site, "list", "/search?q=1", "/login", use_sitemap=True)
        both = replace(listed, start_urls=(*listed.start_urls, other.url("/x")))
        crawled = crawl(both, settings_of(site.netloc, other.netloc))
        assert crawled.counts.stored == 3
        assert set(site.requested) == {"/robots.txt", "/search?q=1", "/login"}


def test_a_site_of_archives_is_not_crawled() -> None:
    with pytest.raises(BadConfiguration, match="archive files"):
        run_crawl(plan_of("http://a.example/", kind="archive"), recording_services(), settings_of())
