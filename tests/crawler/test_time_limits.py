"""One time limit for all of an answer, wherever it drips: each caller against each place.

The server sends a drop twenty times a second for longer than any limit here, and says who waited to the end.
"""

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from core.errors import RetryLater
from core.politeness import Politeness, Proxy
from core.settings import CrawlSettings
from crawler.fetching.exchange import fetch
from crawler.fetching.names import NameResolver
from crawler.fetching.resources import ResourceKind
from crawler.sources.search import search
from deploy.cli.source import page_resources
from tests.crawler.crawl_process import crawl, plan_of, settings_of
from tests.support.dripping_server import HOPS, PATIENCE_S, PLACES, TLS_HANDSHAKE, DrippingServer
from tests.support.name_server import NameServer
from tests.support.time_stamp_authority import TO_LOOPBACK

pytestmark = pytest.mark.usefixtures("processes")

LIMIT_S = 0.5
PATHS = [*PLACES, "redirected/body", "redirected/header-lines", f"{HOPS}/1"]


def _page(url: str, settings: CrawlSettings) -> object:
    return fetch(url, settings)


def _found(url: str, settings: CrawlSettings) -> object:
    return search(url, "雨停了", settings)


def _stamp(url: str, settings: CrawlSettings) -> object:
    """As an authority is asked, and where it is kept which certificates are revoked."""
    try:
        return TO_LOOPBACK.ask(
            url, "the authority", url, timeout_s=settings.timeout_s, max_bytes=100_000, body=b"query"
        )
    except OSError as error:
        raise RetryLater(str(error)) from error


@pytest.mark.parametrize(
    ("call", "path"), [*((call, path) for call in (_page, _found) for path in PATHS), *((_stamp, at) for at in PLACES)]
)
def test_an_answer_that_drips_ends_with_the_time_limit(call: Callable[[str, CrawlSettings], object], path: str) -> None:
    with DrippingServer() as server:
        with pytest.raises(RetryLater, match=f"not finished within {LIMIT_S:g} s"):
            call(server.url(path), settings_of(server.netloc, timeout_s=LIMIT_S))
        assert server.outlasted == []


@pytest.mark.parametrize("call", [_page, _found, _stamp])
def test_a_handshake_that_drips_ends_with_the_time_limit(call: Callable[[str, CrawlSettings], object]) -> None:
    with DrippingServer(TLS_HANDSHAKE) as server:
        with pytest.raises(RetryLater, match="not finished within"):
            call(server.url("", "https"), settings_of(server.netloc, timeout_s=LIMIT_S))
        assert server.outlasted == []


def test_what_a_page_refers_to_is_not_waited_for_either() -> None:
    with DrippingServer() as server:
        settings = settings_of(server.netloc, timeout_s=LIMIT_S)
        page = page_resources(server.url("page"), "", settings)
        assert page.get(server.url("body"), ResourceKind.STYLE) is None
        assert server.given_up.acquire(timeout=PATIENCE_S / 2)


# Name servers


class SlowNames:
    """Answers a name once `may_answer` is set, or after longer than anybody may wait."""

    def __init__(self) -> None:
        self.may_answer = threading.Event()

    def __call__(self, number: int) -> tuple[str, ...]:
        self.may_answer.wait(PATIENCE_S)
        return ("127.0.0.1",)


def test_aliases_that_each_take_their_time_are_within_one_limit() -> None:
    """Each alias is answered at once to itself, and all of them together would take longer than one look-up may."""
    stopped = threading.Event()

    def alias(number: int) -> Callable[[int], tuple[str, ...]]:
        def told(_: int) -> tuple[str, ...]:
            stopped.wait(LIMIT_S * 0.6)
            return (f"alias:a{number + 1}.test",)

        return told

    with NameServer({f"a{number}.test": alias(number) for number in range(8)}) as names:
        with pytest.raises(OSError, match="do not answer"):
            NameResolver((names.place,), LIMIT_S).places("a0.test", 80)
        stopped.set()
    assert ("a4.test", "A") not in names.asked


def test_a_name_server_that_drips_over_tcp_is_within_the_limit() -> None:
    many = tuple(f"192.0.2.{number}" for number in range(1, 200))
    with (
        NameServer({"long.test": many}, drips_over_tcp=True) as names,
        pytest.raises(OSError, match="do not answer"),
    ):
        NameResolver((names.place,), LIMIT_S).places("long.test", 80)


# Crawls


def test_a_crawl_gives_up_every_answer_that_drips() -> None:
    with DrippingServer() as server:
        urls = tuple(server.url(path) for path in PATHS)
        plan = replace(plan_of("", kind="list", concurrency=16, obey_robots=False), start_urls=urls)
        # Time for each of the redirects on a busy machine, and half of what the server drips for.
        counts = crawl(plan, settings_of(server.netloc, timeout_s=PATIENCE_S / 2)).counts
        # Redirects are requests of their own in a crawl, each with its own limit, and lead to places that are known.
        assert counts.rejected == {"no_answer": len(PLACES), "redirect_loop": 1}, counts
        assert counts.fetched == 0
        assert server.outlasted == []


def test_a_crawl_gives_up_a_handshake_that_drips() -> None:
    with DrippingServer(TLS_HANDSHAKE) as server:
        plan = plan_of(server.url("", "https"), obey_robots=False)
        counts = crawl(plan, settings_of(server.netloc, timeout_s=1.0)).counts
        assert counts.rejected == {"no_answer": 1}, counts
        assert server.outlasted == []


def test_a_robots_txt_that_drips_holds_no_crawl() -> None:
    with DrippingServer(PLACES["body"]) as server:
        counts = crawl(plan_of(server.url("")), settings_of(server.netloc, timeout_s=1.0)).counts
        assert sum(counts.rejected.values()) == 1, counts
        assert server.outlasted == []


def test_a_name_that_is_not_looked_up_in_time_is_given_up() -> None:
    slow = SlowNames()
    with NameServer({"slow.test": slow}) as names, DrippingServer() as server:
        port = server.netloc.partition(":")[2]
        settings = settings_of(f"slow.test:{port}", timeout_s=LIMIT_S, name_servers=(names.place,))
        with pytest.raises(RetryLater, match="the name servers are not responding"):
            fetch(f"http://slow.test:{port}/body", settings)
        counts = crawl(plan_of(f"http://slow.test:{port}/body", obey_robots=False), settings).counts
        slow.may_answer.set()
    assert counts.rejected == {"no_answer": 1}, counts
    assert server.asked == []


def test_a_proxy_whose_tunnel_never_opens_is_hung_up_on() -> None:
    with DrippingServer(PLACES["header-lines"]) as proxy:
        politeness = Politeness(proxies=(Proxy(proxy.netloc),))
        plan = plan_of("https://127.0.0.1:9/", obey_robots=False, politeness=politeness)
        counts = crawl(plan, settings_of("127.0.0.1:9", proxy.netloc, timeout_s=1.0)).counts
        assert counts.fetched == 0
        assert proxy.given_up.acquire(timeout=PATIENCE_S / 2)
