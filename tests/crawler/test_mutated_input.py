"""Test that input spoilt at random gives errors of ours and no others, and that nothing hangs."""

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from core.errors import BadInput, ZhuiwenError
from crawler.sources.archive_records import ArchiveFile
from crawler.sources.archive_streams import RecordPosition
from crawler.sources.feeds import parse_feed_or_urls
from crawler.sources.search import read_answer
from crawler.sources.sitemaps import read_robots, read_sitemap
from laboratory.extraction.mutation import mutated
from tests.crawler.test_warc_import import Archive, url
from tests.crawler.texts import own_text
from tests.support.web_server import page

ROUNDS = 100  # of each kind; 1,500 of each found nothing more (2026-11)
MAX_BODY_BYTES = 400_000


def _warc(*, is_gzipped: bool) -> bytes:
    archive = Archive(is_gzipped=is_gzipped)
    for number in range(1, 4):
        archive.response(url(number), page("页", own_text(number)).body)
    return archive.buffer.getvalue()


def _wacz() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("datapackage.json", "{}")
        archive.writestr("archive/a.warc.gz", _warc(is_gzipped=True))
        archive.writestr("archive/b.warc", _warc(is_gzipped=False))
    return made.getvalue()


def _arc() -> bytes:
    body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page("页", own_text(1)).body
    version = b"1 0 X\nURL IP-address Archive-date Content-type Archive-length\n\n"
    head = b"filedesc://x.arc 0.0.0.0 20260101000000 text/plain %d\n" % len(version)
    return head + version + b"\nhttp://a.example/1 192.0.2.1 20260101000000 text/html %d\n" % len(body) + body + b"\n"


def _wet() -> bytes:
    text = own_text(1).encode()
    head = (
        "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://a.example/1\r\nWARC-Date: 2026-01-01T00:00:00Z"
        f"\r\nWARC-Record-ID: <urn:uuid:1>\r\nContent-Type: text/plain\r\nContent-Length: {len(text)}\r\n\r\n"
    )
    return head.encode() + text + b"\r\n\r\n"


ARCHIVES = {
    "warc.gz": _warc(is_gzipped=True),
    "warc": _warc(is_gzipped=False),
    "one gzip stream": gzip.compress(_warc(is_gzipped=False)),
    "wacz": _wacz(),
    "arc": _arc(),
    "wet": _wet(),
}


@pytest.mark.parametrize("kind", ARCHIVES)
def test_an_archive_that_is_spoilt_is_read_or_refused(kind: str, tmp_path: Path) -> None:
    rng, path = Random(kind), tmp_path / "a.warc"
    told: list[str] = []
    for _ in range(ROUNDS):
        path.write_bytes(mutated(ARCHIVES[kind], rng))
        try:
            archive = ArchiveFile(path, MAX_BODY_BYTES)
            try:
                list(archive.records(lambda _: True, RecordPosition()))
            finally:
                archive.close()
        except ZhuiwenError as error:
            told.append(str(error))
    assert 0 < len(told) < ROUNDS
    assert all(map(str.isprintable, told))


RSS = (
    "<?xml version='1.0'?><rss version='2.0' xmlns:content='http://purl.org/rss/1.0/modules/content/'><channel>"
    "<title>文</title><item><title>题</title><link>/1</link><pubDate>Sun, 01 Nov 2026 00:00:00 GMT</pubDate>"
    f"<content:encoded><![CDATA[<p>{own_text(1)}</p>]]></content:encoded></item></channel></rss>"
).encode()
ATOM = (
    "<feed xmlns='http://www.w3.org/2005/Atom'><title>文</title><link rel='next' href='/2'/><entry><title>题</title>"
    f"<link href='/1'/><updated>2026-01-01T00:00:00Z</updated><content type='html'>{own_text(1)}</content></entry>"
    "</feed>"
).encode()
SITEMAP = (
    b"<?xml version='1.0'?><urlset xmlns='s' xmlns:news='n'><url><loc>http://a.example/1</loc><lastmod>2026-01-01"
    b"</lastmod><news:news><news:publication_date>2026-01-01T00:00:00+08:00</news:publication_date><news:title>t"
    b"</news:title></news:news></url></urlset>"
)
ROBOTS = (
    b"User-agent: *\nDisallow: /a*b$\nCrawl-delay: 3\nRequest-rate: 1/5 0900-1000\nVisit-time: 0600-0845\n"
    b"Sitemap: http://a.example/s.xml\n"
)
SEARCH = json.dumps({"results": [{"url": "http://a/", "title": "t"}], "unresponsive_engines": [["g", "x"]]}).encode()


def _search(body: bytes) -> object:
    try:
        return read_answer(body)
    except (BadInput, ValueError):  # as it says
        return None


READERS: dict[str, tuple[bytes, Callable[[bytes], object]]] = {
    "rss": (RSS, lambda body: parse_feed_or_urls(body, "text/xml", "http://a.example/")),
    "atom": (ATOM, lambda body: parse_feed_or_urls(body, "text/html; charset=gbk", "http://a.example/")),
    "sitemap": (SITEMAP, lambda body: read_sitemap(body, 100_000)),
    "gzipped sitemap": (gzip.compress(SITEMAP), lambda body: read_sitemap(body, 100_000)),
    "robots": (ROBOTS, lambda body: read_robots(body).can_fetch("http://a.example/x", "Z")),
    "search": (SEARCH, _search),
}


@pytest.mark.parametrize("kind", READERS)
def test_lists_that_are_spoilt_are_read_or_refused(kind: str) -> None:
    rng, (whole, read) = Random(kind), READERS[kind]
    assert read(whole)
    for _ in range(ROUNDS):
        read(mutated(whole, rng))


def test_an_answer_to_a_search_that_is_nested_without_end_is_none() -> None:
    with pytest.raises(BadInput, match="nested too deeply"):
        read_answer(b'{"results": ' + b"[" * 500_000)


def test_a_sitemap_with_prefixes_that_were_never_declared_is_read_all_the_same() -> None:
    entry = b"<url><loc>http://a.example/1</loc><news:news><news:title>t</news:title></news:news></url>"
    sitemap = read_sitemap(b"<urlset>" + entry + b"</urlset>", 10_000)
    assert [(each.url, each.title) for each in sitemap.entries] == [("http://a.example/1", "t")]
