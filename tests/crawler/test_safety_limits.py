"""Limits on what a site may do to the crawler: every one of them is tried against a real server."""

import bz2
import gzip
import io
import lzma
import socket
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator

import pytest

from crawler.fetching.bodies import MAX_RATIO
from crawler.fetching.wire import MAX_HEADER_BYTES
from tests.crawler.crawl_process import crawl, plan_of, settings_of
from tests.crawler.texts import own_text
from tests.support.socket_server import SocketServer
from tests.support.web_server import Answer, Routes, WebServer, page, redirect

pytestmark = pytest.mark.usefixtures("processes")

ZEROS = b"0" * 99


class RawServer(SocketServer):
    """Sends what `talk` yields to whoever connects, until it ends or the other side goes."""

    def __init__(self, talk: Callable[[threading.Event], Iterator[bytes]]) -> None:
        super().__init__()
        self._talk = talk
        self.sent = 0

    def answer(self, connection: socket.socket) -> None:
        if b"GET /robots.txt" in connection.recv(65_536):
            connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return
        for piece in self._talk(self.stopped):
            connection.sendall(piece)
            self.sent += len(piece)


def _headers_without_end(stopped: threading.Event) -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    for number in range(1_000_000):
        if stopped.is_set():
            return
        yield b"X-%d: %s\r\n" % (number, b"a" * 1_000)


def _one_endless_line(stopped: threading.Event) -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nX: "
    while not stopped.is_set():
        yield b"a" * 65_536


def test_headers_without_end_are_given_up_at_the_limit() -> None:
    with RawServer(_headers_without_end) as server:
        counts = crawl(plan_of(f"http://{server.netloc}/"), settings_of(server.netloc)).counts
        assert counts.rejected == {"too_large": 1}, counts
        assert list(map(str, counts.faults)) == [f"http://{server.netloc}/ sent endless headers"]
        assert server.sent < 3 * (MAX_HEADER_BYTES + 8_000_000)  # what the sockets buffer, three tries


def test_a_header_line_without_end_is_given_up() -> None:
    with RawServer(_one_endless_line) as server:
        counts = crawl(plan_of(f"http://{server.netloc}/"), settings_of(server.netloc)).counts
        assert counts.fetched == 0
        assert sum(counts.rejected.values()) == 1


def test_bytes_that_swell_out_of_proportion_or_are_coded_again_and_again_are_refused() -> None:
    body = own_text(1).encode() + b" " * 3_000_000
    packed, often = gzip.compress(body, 9), own_text(1).encode()
    assert len(body) / len(packed) > MAX_RATIO
    for _ in range(9):
        often = gzip.compress(often)
    routes: Routes = {
        "/1": Answer(packed, headers={"Content-Encoding": "gzip"}),
        "/2": Answer(often, headers={"Content-Encoding": ", ".join(["gzip"] * 9)}),
    }
    routes["/"] = page("目录", "".join(f'<a href="{path}">第</a>' for path in routes))
    with WebServer(routes) as site:
        counts = crawl(plan_of(site.url()), settings_of(site.netloc, max_body_bytes=16_000_000)).counts
        assert (counts.rejected["too_large"], counts.stored) == (2, 0)
        told = " ".join(map(str, counts.faults))
        assert "times its size when decompressed" in told
        assert "compressed 9 times over" in told


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


def test_no_redirect_leads_into_the_operators_network() -> None:
    with WebServer({"/x": page("内部", own_text(50))}) as inside:
        targets = [to.replace("PORT", inside.netloc.partition(":")[2]) for to in INWARDS]
        routes: Routes = {f"/{number}": redirect(to.encode().decode("latin-1")) for number, to in enumerate(targets)}
        for number, to in enumerate(targets):
            routes[f"/refresh/{number}"] = page("转", f'<meta http-equiv="refresh" content="0; url={to}">')
        routes["/"] = page("目录", "".join(f'<a href="{path}">第</a>' for path in routes))
        with WebServer(routes) as site:
            counts = crawl(plan_of(site.url()), settings_of(site.netloc)).counts
            assert inside.requested == []
            assert counts.stored == 1, "the list"
            assert set(routes) <= set(site.requested)


def test_redirects_without_end_are_counted_once() -> None:
    routes: Routes = {f"/{n}": redirect(f"/{n + 1}") for n in range(1, 40)}
    with WebServer({"/": redirect("/1"), **routes}) as site:
        counts = crawl(plan_of(site.url()), settings_of(site.netloc)).counts
        assert counts.rejected == {"redirect_loop": 1}
        assert len(site.requested) <= 12
