"""Bytes that are to be a page, a feed, a sitemap or an archive of pages, and are a weapon."""

import gzip
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import brotli
import pytest
from backports import zstd

from core.errors import BadInput
from crawler.fetching.bodies import declares_entities
from crawler.fetching.exchange import fetch
from crawler.sources.feeds import read_feed
from crawler.sources.sitemaps import named_in_robots, read_sitemap
from tests.crawler.crawl_process import crawl, plan_of, settings_of
from tests.crawler.test_safety_limits import RawServer
from tests.crawler.test_warc_import import MAX_BODY_BYTES, Archive, imported, url
from tests.crawler.texts import own_text
from tests.support.web_server import Answer, Routes, WebServer, page

SWOLLEN = own_text(1).encode() + b" " * 30_000_000
LAUGHS = '<!ENTITY a "哈哈哈哈哈哈哈哈哈哈">' + "".join(
    f'<!ENTITY {after} "{("&" + before + ";") * 20}">' for before, after in zip("abcdefg", "bcdefgh", strict=True)
)
QUADRATIC = f'<!ENTITY h "{"哈" * 60_000}">'
PARAMETER = '<!ENTITY % p SYSTEM "URL/p.dtd"> %p;'
EXTERNAL = '<!ENTITY h SYSTEM "URL/h">'
FILE = '<!ENTITY h SYSTEM "file:///etc/passwd">'
PADDING = f"<!-- {'x' * 70_000} -->"


def _deflated_raw(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


# In the order in which a server says that it applied them.
CODED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "br": brotli.compress,
    "gzip, gzip": lambda body: gzip.compress(gzip.compress(body)),
    "gzip, br": lambda body: brotli.compress(gzip.compress(body)),
    "zstd": zstd.compress,
    "x-gzip": gzip.compress,
    "deflate": _deflated_raw,
    "zstd, gzip": lambda body: gzip.compress(zstd.compress(body)),
    "br, zstd": lambda body: zstd.compress(brotli.compress(body)),
}


# Pages


@pytest.mark.usefixtures("processes")
def test_in_every_coding_an_honest_page_is_read_and_what_swells_is_refused() -> None:
    routes: Routes = {}
    for number, (coding, pack) in enumerate(CODED.items()):
        headers = {"Content-Encoding": coding}
        routes[f"/{number}"] = Answer(pack(page("页", own_text(number)).body), headers=headers)
        routes[f"/swollen/{number}"] = Answer(pack(SWOLLEN), headers=headers)
    routes["/"] = page("目录", "".join(f'<a href="{path}">第</a>' for path in routes))
    with WebServer(routes) as site:
        counts = crawl(plan_of(site.url(), obey_robots=False), settings_of(site.netloc)).counts
        assert (counts.rejected["too_large"], counts.stored) == (len(CODED), len(CODED) + 1), counts  # and the list


@pytest.mark.usefixtures("processes")
def test_a_bomb_that_comes_in_drops_is_refused_or_ends_with_the_time_limit() -> None:
    bomb = gzip.compress(SWOLLEN)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"

    def drops(stopped: threading.Event, pause_s: float) -> Iterator[bytes]:
        yield head
        for at in range(0, len(bomb), 1_000):
            stopped.wait(pause_s)
            piece = bomb[at : at + 1_000]
            yield b"%x\r\n%s\r\n" % (len(piece), piece)
        yield b"0\r\n\r\n"

    for pause_s, reason in ((0.001, "too_large"), (0.2, "no_answer")):
        with RawServer(lambda stopped, pause_s=pause_s: drops(stopped, pause_s)) as server:
            settings = settings_of(server.netloc, timeout_s=3.0)
            counts = crawl(plan_of(f"http://{server.netloc}/", obey_robots=False), settings).counts
            assert counts.rejected == {reason: 1}, counts


FIRST_BYTES = {
    "zip": b"PK\x03\x04" + b"0" * 99,
    "empty zip": b"PK\x05\x06" + b"\x00" * 18,
    "rar": b"Rar!\x1a\x07\x01\x00" + b"0" * 99,
    "7z": b"7z\xbc\xaf'\x1c" + b"0" * 99,
    "pdf": b"%PDF-1.7\n" + b"0" * 99,
    "zstd": zstd.compress(b"0" * 99),
    "cab": b"MSCF" + b"0" * 99,
    "lz4": b"\x04\x22\x4d\x18" + b"0" * 99,
    "program": b"\x7fELF" + b"0" * 99,
    "old office": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"0" * 99,
}


@pytest.mark.usefixtures("processes")
def test_what_is_called_a_page_and_is_none_is_refused_by_its_first_bytes() -> None:
    routes: Routes = {f"/{number}": Answer(mark) for number, mark in enumerate(FIRST_BYTES.values())}
    routes["/"] = page("目录", "".join(f'<a href="{path}">第</a>' for path in routes))
    with WebServer(routes) as site:
        counts = crawl(plan_of(site.url(), obey_robots=False), settings_of(site.netloc)).counts
        assert (sum(counts.rejected.values()), counts.stored) == (len(routes), 0), counts
        assert all(site.requested.count(f"/{number}") == 1 for number in range(len(FIRST_BYTES)))


@pytest.mark.usefixtures("processes")
def test_a_style_sheet_that_swells_costs_the_page_nothing() -> None:
    line = "清晨的雾还没有散尽，老渡口的石阶上已经坐满了等船的人，谁也不说话，只听见水声。"
    strewn = "".join(f'{char}<i class="k">的</i>' if char in "雾渡等船" else char for char in line)
    markup = page("渡", f'<link rel="stylesheet" href="/read.css"><p>{strewn}</p>{own_text(1)}')
    bomb = Answer(gzip.compress(b"/*" + b" " * 30_000_000), "text/css", headers={"Content-Encoding": "gzip"})
    with WebServer({"/": markup, "/read.css": bomb}) as site:
        counts = crawl(plan_of(site.url(), obey_robots=False), settings_of(site.netloc)).counts
        assert site.requested.count("/read.css") == 1
        assert counts.stored == 1, counts
        assert counts.bytes_fetched < 1_000_000


@pytest.mark.usefixtures("loopback")
@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_one_page_from_the_web_does_not_swell_either(coding: str) -> None:
    body = gzip.compress(SWOLLEN) if coding == "gzip" else zlib.compress(SWOLLEN)
    with WebServer({"/": Answer(body, headers={"Content-Encoding": coding})}) as site:
        with pytest.raises(BadInput, match="is larger than 400,000 bytes"):
            fetch(site.url(), settings_of(site.netloc))
        assert site.requested == ["/"]


# Documents with entities of their own


def _subset(declared: str) -> tuple[str, ...]:
    """The same declarations in every place and obfuscation that a parser takes them from."""
    return (
        f"<!DOCTYPE r [{declared}]>",
        f'<?xml version="1.0"?>\n<?xml-stylesheet href="a"?>{PADDING}<!DOCTYPE r [{declared}]>',
        f"<!DOCTYPE r [{PADDING}{declared}]>",
        f"{' ' * 70_000}<!doctype r SYSTEM 'a>b[' [{declared}]>",
        f'<!DOCTYPE r PUBLIC "-//a//b" "URL/r.dtd" [{declared}]>',
    )


DECLARED = [head for declared in (LAUGHS, QUADRATIC, PARAMETER, EXTERNAL, FILE) for head in _subset(declared)]


@pytest.fixture
def far(loopback: None) -> Iterator[WebServer]:
    """Where external entities and document types would come from."""
    with WebServer({}) as server:
        server.fallback = lambda path: Answer(b'<!ENTITY h "from afar">', "application/xml-dtd")
        yield server


def test_no_declaration_of_entities_goes_unseen_and_no_page_is_taken_for_one() -> None:
    for head in DECLARED:
        for codec in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"):
            assert declares_entities(f"{head}<urlset>&h;</urlset>".encode(codec)), (head[:60], codec)
    for harmless in (
        "<!DOCTYPE html><p>how to write <!ENTITY a 'b'></p>",
        "<!-- <!ENTITY a 'b'> --><html></html>",
        '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">',
        "<p>[ <!ENTITY a 'b'> ]</p>",
        "",
    ):
        assert not declares_entities(harmless.encode())


@pytest.mark.parametrize("is_gzipped", [False, True])
def test_no_sitemap_expands_opens_or_fetches_what_it_declares(is_gzipped: bool, far: WebServer) -> None:
    for head in DECLARED:
        body = f'{head}<urlset a="{"&h;" * 900}"><url><loc>http://a.example/&h;</loc></url></urlset>'
        plain = body.replace("URL", far.url()).encode()
        assert read_sitemap(gzip.compress(plain) if is_gzipped else plain, 1_000_000) is None, head[:60]
    typed = f'<!DOCTYPE urlset SYSTEM "{far.url("/s.dtd")}"><urlset><url><loc>http://a.example/&h;</loc></url></urlset>'
    read_sitemap(typed.encode(), 1_000_000)
    assert far.requested == []


def test_no_feed_expands_opens_or_fetches_what_it_declares(far: WebServer) -> None:
    nested = "<!DOC<!ENTITY x>TYPE r [<!ENT<!ENTITY y>ITY h 'from afar'>]>"  # what is left when the inner is cut out
    for head in [*DECLARED, nested]:
        items = f"<item><title>题{'&h;' * 900}</title><link>/1</link></item>"
        body = f"{head}<rss version='2.0'><channel><title>文</title>{items}</channel></rss>"
        feed = read_feed(body.replace("URL", far.url()).encode(), "text/xml", "http://a.example/")
        assert feed is not None, head[:60]
        title = feed.entries[0].listed.title
        assert "哈" not in title, head[:60]
        assert "afar" not in title
        assert "root:" not in title
    assert far.requested == []


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("kind", ["feed", "sitemap", "generic"])
def test_a_crawl_refuses_a_list_that_declares_entities_hides_them_or_swells(kind: str, far: WebServer) -> None:
    root = "rss version='2.0'" if kind == "feed" else "urlset"
    bodies = [f"{head}<{root}>&h;</{root.split(maxsplit=1)[0]}>".encode() for head in DECLARED[:2]]
    routes: Routes = {
        "/a.xml": Answer(bodies[1], "application/xml"),
        "/b.xml.gz": Answer(gzip.compress(bodies[0]), "application/gzip"),
        "/c.xml.gz": Answer(gzip.compress(b"<urlset>" + b" " * 30_000_000), "application/gzip"),
    }
    with WebServer(routes) as site:
        plan = replace(plan_of("", kind=kind, obey_robots=False), start_urls=tuple(map(site.url, routes)))
        counts = crawl(plan, settings_of(site.netloc, far.netloc)).counts
        assert (counts.rejected, counts.stored) == ({"not_html": 3}, 0), counts
        assert any("declares its own entities" in str(fault) for fault in counts.faults)
    assert far.requested == []


def test_a_megabyte_of_empty_lines_is_read_in_one_go() -> None:
    """Patterns that begin with blanks of any kind would be tried from each line to the last: hours."""
    lines = "\n" * 1_000_000
    assert named_in_robots(lines + "Sitemap: http://a.example/s.xml") == ["http://a.example/s.xml"]
    feed = read_feed(f"{lines}<rss version='2.0'><channel><title>文</title></channel></rss>".encode(), "", "http://a/")
    assert feed.title == "文"
    types = "<!DOCTYPE[" * 100_000
    assert read_feed(f"<rss version='2.0'><channel><title>文</title>{types}".encode(), "", "http://a/") is not None


# Archives


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_record_whose_body_swells_is_cut_in_either_coding(coding: str, tmp_path: Path) -> None:
    pack = {"gzip": gzip.compress, "deflate": zlib.compress}[coding]
    archive = Archive().response(url(1), pack(SWOLLEN), headers=(("Content-Encoding", coding),))
    counts, store, _ = imported(archive.response(url(2), page("二", own_text(2)).body).save(tmp_path / "a.warc.gz"))
    assert all(len(fetched.body) <= MAX_BODY_BYTES for fetched, _ in store.versions.values())
    assert counts.truncated == 1
    assert any(fetched.final_url == url(2) for fetched, _ in store.versions.values())


@pytest.mark.usefixtures("processes")
def test_records_in_a_coding_within_a_coding_or_that_are_archives_are_no_pages(tmp_path: Path) -> None:
    archive = Archive().response(
        url(1), gzip.compress(gzip.compress(SWOLLEN)), headers=(("Content-Encoding", "gzip, gzip"),)
    )
    for number, body in enumerate(FIRST_BYTES.values(), 2):
        archive.response(url(number), body)
    counts, store, _ = imported(archive.save(tmp_path / "a.warc.gz"))
    assert (counts.stored, store.versions) == (0, {})
    assert sum(counts.passed_by.values()) >= len(FIRST_BYTES)


def test_a_wacz_whose_member_swells_ends_with_a_sentence(tmp_path: Path) -> None:
    inner = Archive(is_gzipped=False).response(url(1), b" " * 150_000_000).buffer.getvalue()
    path = tmp_path / "a.wacz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("datapackage.json", '{"profile": "data-package", "resources": []}')
        for number in range(3):
            archive.writestr(f"archive/{number}.warc", inner[:50_000_000])
    with pytest.raises(BadInput, match="unpacks to more than 200 times"):
        imported(path)
