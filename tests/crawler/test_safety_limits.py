"""Limits on what a site may do to the crawler: every one of them is tried against a real server."""

import bz2
import gzip
import io
import lzma
import socket
import tarfile
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Self

import brotli
import pytest

from crawler.fetching.bodies import MAX_RATIO, declares_entities, swells
from crawler.fetching.header_limit import MAX_HEADER_BYTES
from tests.crawler.crawl_process import crawl, plan_of, settings_of
from tests.crawler.texts import own_text
from tests.support.web_server import Answer, Routes, WebServer, page, redirect

pytestmark = pytest.mark.usefixtures("processes")

BIG = b"<p>" + b" " * 30_000_000
ZEROS = b"0" * 99
ZEROS = b"0" * 99
BOMB_XML = (
    b'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "aaaaaaaaaa">'
    + b"".join(b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9))
    + b"]><urlset><url><loc>&j;</loc></url></urlset>"
)


class RawServer:
    """Sends what `talk` yields to whoever connects, until it ends or the other side goes."""

    def __init__(self, talk: object) -> None:
        self._talk = talk
        self.sent = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._stopped = threading.Event()

    @property
    def netloc(self) -> str:
        return f"127.0.0.1:{self._socket.getsockname()[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._socket.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection:
            asked = connection.recv(65_536)
            if b"GET /robots.txt" in asked:
                connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                return
            try:
                for piece in self._talk(self._stopped):  # type: ignore[operator]
                    connection.sendall(piece)
                    self.sent += len(piece)
            except OSError:
                return


def _headers_without_end(stopped: threading.Event) -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    for number in range(1_000_000):
        if stopped.is_set():
            return
        yield b"X-%d: %s\r\n" % (number, b"a" * 1_000)


def _body_drop_by_drop(stopped: threading.Event) -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>"
    while not stopped.wait(0.05):
        yield b"a"


def _headers_drop_by_drop(stopped: threading.Event) -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\n"
    while not stopped.wait(0.05):
        yield b"X"


def _one_endless_line(stopped: threading.Event) -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nX: "
    while not stopped.is_set():
        yield b"a" * 65_536


def test_headers_without_end_are_given_up_at_the_limit() -> None:
    with RawServer(_headers_without_end) as server:
        counts = crawl(plan_of(f"http://{server.netloc}/"), settings_of(server.netloc)).counts
        assert counts.rejected == {"too_large": 1}, counts
        assert list(map(str, counts.faults)) == [f"http://{server.netloc}/ sends headers without end"]
        assert server.sent < 3 * (MAX_HEADER_BYTES + 8_000_000)  # what the sockets buffer, three tries


@pytest.mark.parametrize("talk", [_body_drop_by_drop, _headers_drop_by_drop])
def test_an_answer_that_only_drips_ends_with_the_time_limit(talk: object) -> None:
    with RawServer(talk) as server:
        counts = crawl(plan_of(f"http://{server.netloc}/"), settings_of(server.netloc, timeout_s=1.0)).counts
        assert counts.rejected == {"no_answer": 1}, counts
        assert "does not answer within 1 seconds" in str(counts.faults[0])


def test_a_header_line_without_end_is_given_up() -> None:
    with RawServer(_one_endless_line) as server:
        counts = crawl(plan_of(f"http://{server.netloc}/"), settings_of(server.netloc)).counts
        assert counts.fetched == 0
        assert sum(counts.rejected.values()) == 1


# In the order in which a server says that it applied them.
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "gzip, gzip": lambda body: gzip.compress(gzip.compress(body)),
    "gzip, br": lambda body: brotli.compress(gzip.compress(body)),
}


@pytest.mark.parametrize("coding", PACKED)
def test_bytes_that_swell_are_refused(coding: str) -> None:
    with WebServer({"/": Answer(PACKED[coding](BIG), headers={"Content-Encoding": coding})}) as site:
        counts = crawl(plan_of(site.url()), settings_of(site.netloc)).counts
        assert counts.rejected == {"too_large": 1}, counts


def test_bytes_within_the_limit_that_swell_out_of_proportion_are_refused() -> None:
    body = own_text(1).encode() + b" " * 3_000_000
    packed = gzip.compress(body, 9)
    assert len(body) / len(packed) > MAX_RATIO
    with WebServer({"/": Answer(packed, headers={"Content-Encoding": "gzip"})}) as site:
        counts = crawl(plan_of(site.url()), settings_of(site.netloc, max_body_bytes=16_000_000)).counts
        assert counts.rejected == {"too_large": 1}
        assert "times its size when decompressed" in str(counts.faults[0])


def test_a_body_coded_again_and_again_is_refused() -> None:
    body = own_text(1).encode()
    for _ in range(9):
        body = gzip.compress(body)
    with WebServer({"/": Answer(body, headers={"Content-Encoding": ", ".join(["gzip"] * 9)})}) as site:
        counts = crawl(plan_of(site.url()), settings_of(site.netloc)).counts
        assert counts.rejected == {"too_large": 1}
        assert "compressed 9 times over" in str(counts.faults[0])


def _zip() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("a.html", own_text(1))
    return made.getvalue()


def _tar() -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        archive.addfile(tarfile.TarInfo("a.html"))
    return made.getvalue()


def test_no_archive_but_zip_is_opened_and_that_is_whatever_it_is_called() -> None:
    archives = [
        _zip(),
        _tar(),
        gzip.compress(ZEROS),
        lzma.compress(ZEROS),
        bz2.compress(ZEROS),
        b"7z\xbc\xaf'\x1c" + ZEROS,
    ]
    kinds = ("text/html", "application/octet-stream", "application/zip")
    routes: Routes = {
        f"/{place}/{number}": Answer(body, kind)
        for place, kind in enumerate(kinds)
        for number, body in enumerate(archives)
    }
    routes["/"] = page("目录", "".join(f'<a href="{path}">第</a>' for path in routes))
    with WebServer(routes) as site:
        counts = crawl(plan_of(site.url()), settings_of(site.netloc)).counts
        # The list, and what stands in three zip files.
        assert (counts.rejected, counts.stored) == ({"not_html": 15}, 4), counts
        assert {path for path in site.requested if path != "/robots.txt"} == set(routes)


@pytest.mark.parametrize("wide", [False, True])
def test_a_sitemap_with_entities_of_its_own_is_refused(wide: bool) -> None:
    body = BOMB_XML.decode().replace('"1.0"', '"1.0" encoding="utf-16"').encode("utf-16") if wide else BOMB_XML
    routes: Routes = {"/": page("一", own_text(1)), "/sitemap.xml": Answer(body, "application/xml")}
    with WebServer(routes) as site:
        plan = plan_of(site.url(), sitemap_urls=(site.url("/sitemap.xml"),))
        counts = crawl(plan, settings_of(site.netloc)).counts
        assert counts.rejected == {"not_html": 1}, counts
        assert any("declares entities of its own" in fault for fault in map(str, counts.faults))
        assert counts.stored == 1


def test_what_is_no_bomb_is_let_through() -> None:
    assert not declares_entities(b"<!DOCTYPE html><p>&lt;!ENTITY a&gt;")
    assert not declares_entities(b"<p>about <!ENTITY a> in a text")
    assert not swells(100, 90_000)


INWARDS = (
    "http://127.0.0.1:PORT/x",
    "http://2130706433:PORT/x",
    "http://[::ffff:7f00:1]:PORT/x",
    "//0x7f.1:PORT/x",
    "http://①②⑦.0.0.1:PORT/x",
    "http://user@127.0.0.1:PORT/x",
    "http:\\\\127.0.0.1:PORT/x",
    "file:///etc/passwd",
)


@pytest.mark.parametrize("way", ["redirect", "refresh"])
def test_no_redirect_leads_into_the_operators_network(way: str) -> None:
    with WebServer({"/x": page("内部", own_text(50))}) as inside:
        port = inside.netloc.partition(":")[2]
        routes: Routes = {}
        for number, to in enumerate(INWARDS):
            target = to.replace("PORT", port)
            refresh = page("转", f'<meta http-equiv="refresh" content="0; url={target}">')
            answer = redirect(target.encode().decode("latin-1")) if way == "redirect" else refresh
            routes[f"/{number}"] = answer
        routes["/"] = page("目录", "".join(f'<a href="{path}">第</a>' for path in routes))
        with WebServer(routes) as site:
            counts = crawl(plan_of(site.url()), settings_of(site.netloc)).counts
            assert inside.requested == []
            assert counts.stored == 0
            assert set(routes) <= set(site.requested)


def test_redirects_without_end_are_counted_once() -> None:
    routes: Routes = {f"/{n}": redirect(f"/{n + 1}") for n in range(1, 40)}
    with WebServer({"/": redirect("/1"), **routes}) as site:
        counts = crawl(plan_of(site.url()), settings_of(site.netloc)).counts
        assert counts.rejected == {"redirect_loop": 1}
        assert len(site.requested) <= 12
