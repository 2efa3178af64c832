"""HTTPS through a proxy's CONNECT: a real proxy on loopback, a real TLS site under an authority of our own."""

import base64
import select
import signal
import socket
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.errors import BadConfiguration
from core.politeness import Politeness, Proxy
from crawler.fetching.proxies import MAX_FAILURES_IN_A_ROW
from crawler.run import run_crawl
from tests.crawler.crawl_process import (
    crawl,
    finish,
    kill,
    plan_of,
    recording_services,
    settings_of,
    start,
    wait_until,
)
from tests.crawler.texts import own_text
from tests.support.certificates import make_chain
from tests.support.name_server import NameServer
from tests.support.socket_server import SocketServer
from tests.support.web_server import Routes, WebServer, page

PAGES = 6


class ConnectProxy(SocketServer):
    """Opens tunnels for who has its login. `dies_after`: so many tunnels, then it is gone; `status`: refuses all."""

    def __init__(
        self, login: str = "", dies_after: int | None = None, status: str = "", ports: Iterable[int] = (0,)
    ) -> None:
        super().__init__(_listening(ports))
        self.login, self.dies_after, self.status = login, dies_after, status
        self.heads: list[str] = []
        self.opened: list[str] = []  # where tunnels were opened to

    def answer(self, near: socket.socket) -> None:
        head = near.recv(65_536).decode("latin-1")
        self.heads.append(head)
        refusal = self._refusal(head)
        if refusal:
            near.sendall(f"HTTP/1.1 {refusal}\r\nContent-Length: 0\r\n\r\n".encode())
            return
        target = head.split(" ", 2)[1]
        self.opened.append(target)
        if self.dies_after is not None and len(self.opened) > self.dies_after:
            self.close()
            return
        host, _, port = target.rpartition(":")
        with socket.create_connection((host, int(port)), timeout=60) as far:
            near.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            _join(near, far)

    def _refusal(self, head: str) -> str:
        wanted = "Basic " + base64.b64encode(self.login.encode()).decode()
        given = next((line for line in head.split("\r\n") if line.lower().startswith("proxy-authorization:")), "")
        if self.login and given.partition(":")[2].strip() != wanted:
            return "407 Proxy Authentication Required"
        return self.status or ("" if head.startswith("CONNECT ") else "405 Method Not Allowed")


def _listening(ports: Iterable[int]) -> socket.socket:
    """At the first of the ports that is free."""
    for port in ports:
        with suppress(OSError):
            return socket.create_server(("127.0.0.1", port))
    raise AssertionError("no port is free")


def _join(one: socket.socket, other: socket.socket) -> None:
    while True:
        ready, _, _ = select.select([one, other], [], [], 30)
        for source in ready:
            data = source.recv(65_536)
            if not data:
                return
            (other if source is one else one).sendall(data)
        if not ready:
            return


@pytest.fixture
def site(tmp_path: Path, loopback: None) -> Iterator[WebServer]:
    """A site that speaks HTTPS alone."""
    routes: Routes = {f"/p/{n}": page(f"第{n}篇", own_text(n)) for n in range(1, PAGES + 1)}
    routes["/"] = page("目录", "".join(f'<a href="/p/{n}">第{n}篇</a>' for n in range(1, PAGES + 1)))
    server = WebServer(routes)
    context = make_chain(tmp_path).server_context()
    server._server.socket = context.wrap_socket(server._server.socket, server_side=True, do_handshake_on_connect=False)
    with server:
        yield server


def _plan(site: WebServer, *proxies: Proxy, **more: Any) -> Any:
    changes = {"concurrency": 1, "obey_robots": False, "politeness": Politeness(proxies=proxies)} | more
    return plan_of(f"https://{site.netloc}/", **changes)


def test_pages_come_through_a_tunnel_that_shows_the_proxy_nothing_but_the_host(site: WebServer) -> None:
    with ConnectProxy("crawler:t0p-s3cret") as proxy:
        plan = _plan(site, Proxy(proxy.netloc, user="crawler", password="t0p-s3cret"))
        crawled = crawl(plan, settings_of(site.netloc, proxy.netloc))
        assert crawled.counts.stored == PAGES, crawled.counts
        assert set(proxy.opened) == {site.netloc}
        assert not any("/p/" in head for head in proxy.heads)
        assert set(crawled.connected) == {proxy.netloc}
        secret = base64.b64encode(b"crawler:t0p-s3cret").decode()
        evidence = repr([(fetched.headers, fetched.capture) for fetched, _ in crawled.store.versions.values()])
        told = repr(plan) + repr(crawled.counts) + crawled.output + evidence
        assert not any(word in told for word in ("t0p-s3cret", secret))
        for fetched, _ in crawled.store.versions.values():
            exchange = fetched.capture.exchanges[-1]
            assert (exchange.is_through_proxy, exchange.server_address) == (True, "")
            assert exchange.tls.certificates
            assert (exchange.way.proxy, exchange.way.interface) == (f"http://{proxy.netloc}", "lo")


@pytest.mark.parametrize("fault", ["refuses the login", "dies", "answers 502", "is not there"])
def test_a_proxy_that_opens_no_tunnel_rests_and_the_others_carry_on(fault: str, site: WebServer) -> None:
    makes = {
        "refuses the login": ConnectProxy("crawler:right"),
        "dies": ConnectProxy(dies_after=2),
        "answers 502": ConnectProxy(status="502 Bad Gateway", ports=range(40_700, 40_800)),  # 407 is final at once
        "is not there": ConnectProxy(),
    }
    with ConnectProxy() as good, makes[fault] as bad:
        place = "127.0.0.1:9" if fault == "is not there" else bad.netloc
        plan = _plan(site, Proxy(place, user="crawler", password="wrong"), Proxy(good.netloc))
        crawled = crawl(plan, settings_of(site.netloc, place, good.netloc))
        assert crawled.counts.stored == PAGES, crawled.counts
        health = crawled.counts.proxies[place]
        if fault == "refuses the login":
            assert health["failures"] == 1
        else:
            assert int(str(health["failures"])) >= (MAX_FAILURES_IN_A_ROW if fault == "answers 502" else 1)
        assert health["cools_until"] or fault == "dies", health  # after three failures in a row, or a login refused
        assert site.netloc not in crawled.connected, "nothing went past the proxies"


def test_if_the_only_proxy_refuses_the_login_nothing_is_fetched_without_it(site: WebServer) -> None:
    with ConnectProxy("crawler:right") as proxy:
        plan = _plan(site, Proxy(proxy.netloc, user="crawler", password="wrong"))
        process, pipe = start(plan, settings_of(site.netloc, proxy.netloc))
        wait_until(lambda: len(proxy.heads) == 1)
        kill(process, signal.SIGTERM)
        crawled = finish(process, pipe)
        assert (crawled.counts.finish_reason, crawled.counts.stored) == ("stopped", 0), crawled.counts
        assert crawled.counts.proxies[proxy.netloc]["cools_until"]
        assert len(proxy.heads) == 1
        assert set(crawled.connected) == {proxy.netloc}
        assert (site.requested, proxy.opened) == ([], [])


@pytest.mark.usefixtures("processes")
def test_no_tunnel_is_asked_for_into_the_operators_network() -> None:
    with ConnectProxy() as proxy:
        hosts = ("169.254.169.254", "2130706433", "localhost", "metadata.google.internal", "[::ffff:10.0.0.1]")
        plan = plan_of("", obey_robots=False, politeness=Politeness(proxies=(Proxy(proxy.netloc),)))
        plan = replace(plan, start_urls=tuple(f"{scheme}://{host}/" for scheme in ("http", "https") for host in hosts))
        counts = crawl(plan, settings_of(proxy.netloc)).counts
        assert counts.rejected == {"unsafe_address": 2 * len(hosts)}, counts
        assert proxy.heads == []


@pytest.mark.parametrize("scheme", ["socks5", "socks4", "socks5h", "ftp"])
def test_a_proxy_that_is_spoken_to_otherwise_is_refused_in_one_sentence(scheme: str) -> None:
    plan = plan_of(
        "https://a.example/", politeness=Politeness(proxies=(Proxy("10.0.0.1:1080", scheme, "a", "s3cret"),))
    )
    with pytest.raises(BadConfiguration) as caught:
        run_crawl(plan, recording_services(), settings_of())
    (sentence,) = caught.value.faults
    assert str(sentence).startswith(f"the proxy 10.0.0.1:1080 uses {scheme}; the crawler supports")
    assert "s3cret" not in repr(sentence)


def test_a_page_by_https_through_a_proxy_by_https_is_refused_in_one_sentence(site: WebServer) -> None:
    with ConnectProxy() as proxy:
        counts = crawl(_plan(site, Proxy(proxy.netloc, "https")), settings_of(site.netloc, proxy.netloc)).counts
        assert counts.rejected == {"no_answer": 1}, counts
        assert "which is itself reached over https; set it to http" in str(counts.faults[0])
        assert proxy.heads == []


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_private_proxy_is_let_through_at_its_own_port_alone(scheme: str, site: WebServer) -> None:
    """The operator lets one port of a host through; what listens at another one is none of the crawl's business."""
    with ConnectProxy() as proxy, NameServer({"proxy.test": ("127.0.0.1",)}) as names:
        port = proxy.netloc.partition(":")[2]
        plan = replace(_plan(site, Proxy(f"proxy.test:{port}")), start_urls=(f"{scheme}://{site.netloc}/",))
        allowed = settings_of(site.netloc, f"proxy.test:{port}", name_servers=(names.place,))
        other = settings_of(site.netloc, "proxy.test:9", name_servers=(names.place,))
        counts = crawl(plan, other).counts
        assert (counts.finish_reason, proxy.heads) == ("no_proxy", []), counts
        assert "loopback address" in str(counts.end_sentence)
        if scheme == "https":
            assert crawl(plan, allowed).counts.stored == PAGES
