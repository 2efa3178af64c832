"""Test what is taken down of a fetched page, against real servers on loopback: plain, TLS, byte by byte."""

import gzip
import platform
import socket
from pathlib import Path

import pytest

from core.captures import Capture
from core.ids import digest
from core.program import code_version
from crawler.fetching.withheld_secrets import without_secrets
from tests.crawler.crawl_process import crawl, plan_of, settings_of
from tests.crawler.texts import own_text
from tests.support.certificates import Chain, make_chain
from tests.support.socket_server import SocketServer

pytestmark = pytest.mark.usefixtures("processes")

PAGE = f"<html><head><title>渡口</title></head><body>{own_text(1)}</body></html>".encode()
ZIPPED = gzip.compress(PAGE)
HEAD = (
    b"HTTP/1.1 200 Fine indeed\r\nX-Second: 2\r\nserver: Probe/1\r\nX-First: 1\r\nX-Second: again\r\n"
    b"Set-Cookie: session=geheim; Path=/\r\nContent-Type: text/html; charset=utf-8\r\n"
)


class RawServer(SocketServer):
    """Answers each path with the bytes given, to the byte; one request a connection. `asked`: the requests' bytes."""

    def __init__(self, answers: dict[str, bytes], chain: Chain | None = None) -> None:
        super().__init__()
        self.answers, self.asked = answers, list[bytes]()
        self._context = chain.server_context() if chain else None

    def url(self, path: str) -> str:
        return f"{'https' if self._context else 'http'}://{self.netloc}{path}"

    def answer(self, connection: socket.socket) -> None:
        if self._context is not None:
            connection = self._context.wrap_socket(connection, server_side=True)
        with connection:
            asked = b""
            while b"\r\n\r\n" not in asked and (data := connection.recv(65_536)):
                asked += data
            self.asked.append(asked)
            path = asked.split(b" ", 2)[1].decode() if asked else "/"
            connection.sendall(self.answers.get(path, b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"))


def whole(head: bytes, body: bytes) -> bytes:
    return head + b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(body) + body


def captured(server: RawServer, path: str = "/") -> Capture:
    crawled = crawl(plan_of(server.url(path), obey_robots=False), settings_of(server.netloc))
    [(fetched, _)] = crawled.store.versions.values()
    assert fetched.capture is not None
    return fetched.capture


def test_heads_are_kept_as_they_went_over_the_wire_with_who_answered_and_when() -> None:
    with RawServer({"/": whole(HEAD, PAGE)}) as server:
        [own] = captured(server).exchanges
        [asked] = server.asked
    assert own.request_head == asked
    assert b"Zhuiwen-Ticket" not in asked
    expected = whole(HEAD, PAGE).partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
    assert own.response_head == expected.replace(b"session=geheim", b"session=[withheld]")
    assert (own.status, own.url, own.body) == (200, server.url("/"), b"")
    assert (own.body_digest, own.body_bytes) == (digest(PAGE), len(PAGE))
    assert f"{own.server_address}:{own.server_port}" == server.netloc
    assert (own.name_answer.name, own.name_answer.addresses) == ("127.0.0.1", ("127.0.0.1",))
    assert own.connected_at is not None
    assert own.name_answer.asked_at <= own.connected_at <= own.sent_at <= own.answered_at <= own.ended_at
    assert own.tls is None
    assert (own.way.source_address, own.way.interface, own.way.proxy) == ("127.0.0.1", "lo", "")


def test_the_machine_is_noted_once_for_all_pages_of_a_crawl() -> None:
    pages = {f"/{n}": whole(HEAD, PAGE.replace("渡口".encode(), f"渡口{n}".encode())) for n in range(3)}
    links = "".join(f"<a href=/{n}>{n}</a>" for n in range(3)).encode()
    with RawServer({"/": whole(HEAD, b"<body>" + links), **pages}) as server:
        crawled = crawl(plan_of(server.url("/"), obey_robots=False), settings_of(server.netloc))
    captures = [fetched.capture for fetched, _ in crawled.store.versions.values()]
    assert len(captures) == 3
    machines = {each.machine for each in captures if each is not None}
    (machine,) = machines
    assert machine.host == platform.node()
    assert machine.program.version == code_version()
    assert not machine.has_response_cache
    assert machine.clock == ()


def test_the_whole_chain_of_certificates_is_kept_as_the_server_sent_it(tmp_path: Path) -> None:
    chain = make_chain(tmp_path)
    with RawServer({"/": whole(HEAD, PAGE)}, chain) as server:
        [own] = captured(server).exchanges
    assert own.tls.certificates == chain.sent
    assert own.tls.protocol == "TLSv1.3"
    assert own.tls.cipher.startswith("TLS_")
    assert own.tls.cipher_bits >= 128
    assert own.request_head.startswith(b"GET / HTTP/1.1\r\n")


def test_each_redirect_is_kept_with_its_response() -> None:
    def moved(to: str) -> bytes:
        body = f"moved to {to}".encode()
        return whole(b"HTTP/1.1 302 Found\r\nLocation: " + to.encode() + b"\r\n", body)

    refresh = b"<html><meta http-equiv=refresh content='0; url=/c'><body>wait</body></html>"
    answers = {"/": moved("/a"), "/a": moved("/b"), "/b": whole(HEAD, refresh), "/c": whole(HEAD, PAGE)}
    with RawServer(answers) as server:
        hops = captured(server).exchanges
    assert [(hop.url, hop.status) for hop in hops] == [
        (server.url("/"), 302),
        (server.url("/a"), 302),
        (server.url("/b"), 200),
        (server.url("/c"), 200),
    ]
    assert [hop.body for hop in hops] == [b"moved to /a", b"moved to /b", refresh, b""]
    assert b"Location: /a\r\n" in hops[0].response_head


def test_a_body_is_named_as_it_came_and_an_interim_response_is_no_answer() -> None:
    early = b"HTTP/1.1 103 Early Hints\r\nLink: </x.css>; rel=preload\r\n\r\n"
    with RawServer({"/": early + whole(HEAD + b"Content-Encoding: gzip\r\n", ZIPPED)}) as server:
        [own] = captured(server).exchanges
    assert own.response_head.startswith(b"HTTP/1.1 200 Fine indeed\r\n")
    assert (own.body_digest, own.body_bytes) == (digest(ZIPPED), len(ZIPPED))


def test_a_response_that_was_tried_again_counts_once() -> None:
    with RawServer({}) as server:
        answers = iter([b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", whole(HEAD, PAGE)])

        class Changing(dict[str, bytes]):
            def get(self, path: str, default: bytes = b"") -> bytes:  # type: ignore[override]
                return next(answers)

        server.answers = Changing()
        assert [hop.status for hop in captured(server).exchanges] == [200]


@pytest.mark.parametrize("name", ["Cookie", "Authorization", "proxy-authorization"])
def test_what_lets_somebody_in_is_withheld(name: str) -> None:
    head = f"GET / HTTP/1.1\r\nHost: a\r\n{name}: geheim; b=2\r\nAccept: c\r\n\r\n".encode()
    assert b"geheim" not in without_secrets(head)
    assert without_secrets(head).count(b"\r\n") == head.count(b"\r\n")
