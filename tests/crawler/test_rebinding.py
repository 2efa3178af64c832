"""Names that turn to the operator's own network after they were judged: a real name server, real crawls, a real trap.

the site          site.test    a server on loopback that the operator allows
the trap          *.test       a server on loopback that nobody allows; the names below lead to it, sooner or later
the name server   answers the first asking (the crawl's judgement) in one way and the second (the connection's) in
                  another; the public address is never connected to, since judging alone asks for it
"""

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec

import pytest

from core.errors import UnsafeUrl
from core.pages import CrawlPlan
from core.politeness import BrowserMode, Politeness
from core.settings import CrawlSettings
from crawler.browsing.chromium import find_chromium
from crawler.fetching.exchange import fetch
from tests.crawler.crawl_process import Crawled, crawl, plan_of, settings_of
from tests.crawler.texts import own_text
from tests.support.name_server import Answers, NameServer
from tests.support.web_server import Routes, WebServer, page, redirect

pytestmark = pytest.mark.usefixtures("processes")

PUBLIC = "8.8.8.8"  # judged and found good, and never connected to: the tests stay on this machine


def _turns_to(*private: str) -> Answers:
    """Public when it is asked for first, private ever after."""
    return lambda number: (PUBLIC,) if number == 1 else private


HOSTILE: dict[str, Answers] = {
    "loopback.test": _turns_to("127.0.0.1"),
    "metadata.test": _turns_to("169.254.169.254"),
    "private.test": _turns_to("10.0.0.1", "192.168.0.1", "127.0.0.1"),
    "six.test": _turns_to("fd00::1", "::1", "fe80::1"),
    "mapped.test": _turns_to("::ffff:127.0.0.1"),
    "nat64.test": _turns_to("64:ff9b::7f00:1", "64:ff9b:1::7f00:1", "2002:7f00:1::"),
    "alias.test": _turns_to("alias:inner.test"),
    "always.test": ("127.0.0.1", "::1"),
    "inner.test": ("127.0.0.1",),
}
# As the system, browsers and proxies read them: 127.0.0.1 all.
SPELLINGS = ("2130706433", "0x7f.1", "0177.0.0.1", "127.1", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0")
FORMS = ("[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[::]", "[fd00::1]", "169.254.169.254", "10.0.0.1")
has_browser = pytest.mark.skipif(
    find_spec("scrapy_playwright") is None or find_chromium() is None, reason="there is no browser to attack with"
)


@dataclass
class Scene:
    """A site, the trap that it sets, and the name server that both need."""

    site: WebServer
    trap: WebServer
    names: NameServer

    @property
    def port(self) -> str:
        return self.trap.netloc.partition(":")[2]

    @property
    def site_netloc(self) -> str:
        return f"site.test:{self.site.netloc.partition(':')[2]}"

    @property
    def settings(self) -> CrawlSettings:
        return settings_of(self.site_netloc, name_servers=(self.names.place,), timeout_s=5.0)

    def plan(self, *urls: str, **changes: object) -> CrawlPlan:
        hosts = (self.site_netloc, *(f"{name}:{self.port}" for name in (*HOSTILE, *SPELLINGS, *FORMS)))
        plan = plan_of(f"http://{self.site_netloc}/", concurrency=8, **changes)
        return replace(plan, start_urls=urls or plan.start_urls, allowed_hosts=hosts)

    def urls(self, path: str = "/x") -> list[str]:
        return [f"http://{name}:{self.port}{path}" for name in HOSTILE]

    def require_untouched(self, crawled: Crawled) -> None:
        """Nothing came to the trap, and no socket of the crawl went elsewhere than to the site and the name server."""
        assert self.trap.requested == []
        assert set(crawled.connected) <= {self.site.netloc, self.names.place}, crawled.connected
        assert all("site.test" in fetched.final_url for fetched, _ in crawled.store.versions.values())

    def require_asked_twice(self) -> None:
        """Each name was judged, and looked up once more to connect: the second answer is what was refused."""
        turning = [name for name, answers in HOSTILE.items() if callable(answers)]
        assert {name for name in turning if self.names.asked[name, "A"] < 2} == set()


@pytest.fixture
def scene(loopback: None) -> Iterator[Scene]:
    names = {"site.test": ("127.0.0.1",), **HOSTILE}
    secret: Routes = {"/x": page("内部", own_text(50)), "/robots.txt": page("内部", own_text(51))}
    with WebServer({}) as site, WebServer(secret) as trap, NameServer(names) as server:
        trap.fallback = lambda path: page("内部", own_text(52))
        yield Scene(site, trap, server)


@pytest.mark.parametrize("obey_robots", [False, True])
def test_no_name_that_turns_private_is_reached_by_a_start_page_or_its_robots_txt(
    scene: Scene, obey_robots: bool
) -> None:
    crawled = crawl(scene.plan(*scene.urls(), obey_robots=obey_robots), scene.settings)
    scene.require_untouched(crawled)
    scene.require_asked_twice()
    assert crawled.counts.rejected == {"unsafe_address": len(HOSTILE)}, crawled.counts
    assert all("was not fetched: " in fault for fault in map(str, crawled.counts.faults))


def test_no_name_that_turns_private_is_reached_by_a_link_a_redirect_or_a_sitemap(scene: Scene) -> None:
    links = "".join(f'<a href="{url}">第</a>' for url in scene.urls("/linked"))
    hops = "".join(f'<a href="/hop/{number}">第</a>' for number in range(len(HOSTILE)))
    listed = "".join(f"<url><loc>{url}</loc></url>" for url in scene.urls("/listed"))
    scene.site.routes = {f"/hop/{number}": redirect(url) for number, url in enumerate(scene.urls("/redirected"))}
    scene.site.routes["/"] = page("目录", links + hops)
    scene.site.routes["/sitemap.xml"] = replace(
        page("", ""), body=f"<urlset>{listed}</urlset>".encode(), content_type="application/xml"
    )
    crawled = crawl(replace(scene.plan(), use_sitemap=True), scene.settings)
    scene.require_untouched(crawled)
    scene.require_asked_twice()
    assert crawled.counts.rejected["unsafe_address"] == 3 * len(HOSTILE), crawled.counts


def test_no_private_address_is_reached_in_another_spelling(scene: Scene) -> None:
    urls = [f"http://{host}:{scene.port}/x" for host in (*SPELLINGS, *FORMS)]
    crawled = crawl(scene.plan(*urls), scene.settings)
    scene.require_untouched(crawled)
    assert crawled.counts.rejected == {"unsafe_address": len(urls)}, crawled.counts


def test_no_style_sheet_font_or_picture_reaches_a_name_that_turns_private(scene: Scene) -> None:
    style, font, picture = (f"http://{name}.test:{scene.port}" for name in ("loopback", "mapped", "metadata"))
    line = "清晨的雾还没有散尽，老渡口的石阶上已经坐满了等船的人，谁也不说话，只听见水声。"
    pictured = line.replace("雾", f'<img src="{picture}/w.png">').replace("船", f'<img src="{picture}/c.png">')
    strewn = "".join(f'{char}<i class="k">的</i>' if char in "雾渡等船" else char for char in line)
    shown = line.replace("老", "\ue001").replace("渡", "\ue002").replace("口", "\ue003").replace("人", "\ue004")
    head = (
        f'<link rel="stylesheet" href="{style}/read.css">'
        f"<style>@font-face{{font-family:x;src:url({font}/x.woff2)}} .f{{font-family:x}}</style>"
    )
    body = f"{head}<div><p>{strewn}</p><p>{pictured}</p><p class=f>{shown}</p>{own_text(1)}</div>"
    scene.site.routes = {"/": page("渡口", body)}
    crawled = crawl(scene.plan(), scene.settings)
    scene.require_untouched(crawled)
    assert crawled.counts.stored == 1, crawled.counts
    asked = {name for name in ("loopback.test", "mapped.test", "metadata.test") if scene.names.asked[name, "A"] > 1}
    assert asked == {"loopback.test", "mapped.test", "metadata.test"}


@has_browser
def test_no_name_that_turns_private_is_reached_by_the_browser_itself(scene: Scene) -> None:
    spelt = [f"http://{host}:{scene.port}/x" for host in (*SPELLINGS, *FORMS)]
    politeness = Politeness(browser=BrowserMode.ALWAYS)
    plan = scene.plan(*scene.urls(), *spelt, politeness=politeness, obey_robots=False)
    crawled = crawl(plan, scene.settings)
    assert scene.trap.requested == []
    assert not any(place.endswith(f":{scene.port}") for place in crawled.connected), crawled.connected
    assert crawled.counts.rejected == {"unsafe_address": len(HOSTILE) + len(spelt)}, crawled.counts
    scene.require_asked_twice()


@has_browser
def test_no_script_of_a_page_reaches_a_name_that_turns_private(scene: Scene) -> None:
    # The browser's way out asks once and connects to what it judged: it gets what turns up second.
    scene.names.names |= {name: answers(2) for name, answers in HOSTILE.items() if callable(answers)}
    spelt = [f"http://{host}:{scene.port}/x" for host in (*SPELLINGS, *FORMS)]
    asks = "".join(f"fetch('{url}').catch(() => 0);" for url in [*scene.urls(), *scene.urls("/again"), *spelt])
    frames = "".join(f'<iframe src="{url}"></iframe>' for url in scene.urls("/frame"))
    sheets = "".join(f'<link rel="stylesheet" href="{url}">' for url in scene.urls("/sheet"))
    scene.site.routes = {"/": page("攻击", f"{sheets}{own_text(1)}{frames}<script>{asks}</script>")}
    crawled = crawl(scene.plan(politeness=Politeness(browser=BrowserMode.ALWAYS)), scene.settings)
    assert crawled.counts.stored == 1, crawled.counts
    assert scene.trap.requested == []
    assert not any(place.endswith(f":{scene.port}") for place in crawled.connected), crawled.connected
    assert all(scene.names.asked[name, "A"] for name in HOSTILE if name != "inner.test")


def test_a_host_is_resolved_once_and_fetched_from_the_checked_address(scene: Scene) -> None:
    """Nothing is asked between judging and connecting: there is no second answer to turn to."""
    addresses = iter(f"127.0.0.{number}" for number in range(1, 50))
    scene.names.names["site.test"] = lambda number: (next(addresses),)
    scene.site.routes = {"/": page("渡口", own_text(1))}
    assert own_text(1).encode() in fetch(f"http://{scene.site_netloc}/", scene.settings).body
    assert scene.names.asked["site.test", "A"] == 1


@pytest.mark.parametrize("name", [name for name, answers in HOSTILE.items() if not callable(answers)])
def test_one_page_from_the_web_is_not_fetched_from_within(scene: Scene, name: str) -> None:
    with pytest.raises(UnsafeUrl, match="is a loopback address"):
        fetch(f"http://{name}:{scene.port}/x", scene.settings)
    scene.site.routes = {"/": redirect(f"http://{name}:{scene.port}/x")}
    with pytest.raises(UnsafeUrl, match="is a loopback address"):
        fetch(f"http://{scene.site_netloc}/", scene.settings)
    assert scene.trap.requested == []


def test_the_connection_uses_the_resolved_address_and_the_capture_names_it() -> None:
    """A server that hears every address of 127/8 and a name that has another one at each asking."""
    taken: list[str] = []
    with socket.create_server(("0.0.0.0", 0)) as listening, NameServer({}) as names:
        port = listening.getsockname()[1]
        names.names["moving.test"] = lambda number: (f"127.0.0.{number + 1}",)
        body = page("渡口", own_text(1)).body
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"

        def serve() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    taken.append(connection.getsockname()[0])
                    connection.recv(65_536)
                    connection.sendall(head.encode() + body)

        threading.Thread(target=serve, daemon=True).start()
        settings = settings_of(f"moving.test:{port}", name_servers=(names.place,))
        crawled = crawl(plan_of(f"http://moving.test:{port}/", obey_robots=False), settings)
        listening.shutdown(socket.SHUT_RDWR)
    ((fetched, _),) = crawled.store.versions.values()
    exchange = fetched.capture.exchanges[-1]
    assert taken == [exchange.server_address] == list(exchange.name_answer.addresses)
    assert exchange.name_answer.resolver == names.place


RESOLVE = """
import sys
from twisted.internet import asyncioreactor
asyncioreactor.install()
from twisted.internet import reactor
from crawler.fetching.addresses import AddressGuard
from crawler.fetching.names import NameResolver
from crawler.fetching.resolver import GuardedResolver
class Receiver:
    def resolutionBegan(self, resolution): pass
    def addressResolved(self, address): print(address.host)
    def resolutionComplete(self): reactor.stop()
resolver = GuardedResolver(reactor, AddressGuard(), NameResolver([sys.argv[1]]))
reactor.callWhenRunning(resolver.resolveHostName, Receiver(), sys.argv[2], 80)
reactor.run()
"""


def test_of_a_mixed_answer_only_the_public_addresses_are_given_out() -> None:
    mixed = ("127.0.0.1", PUBLIC, "10.0.0.1", "169.254.169.254", "2400:3200::1", "::ffff:10.0.0.1", "64:ff9b::a00:1")
    with NameServer({"mixed.test": mixed, "within.test": ("10.0.0.1", "fd00::1")}) as names:
        for name, given in (("mixed.test", [PUBLIC, "2400:3200::1"]), ("within.test", [])):
            ended = subprocess.run(
                [sys.executable, "-c", RESOLVE, names.place, name],
                capture_output=True,
                text=True,
                check=True,
                timeout=60,
            )
            assert ended.stdout.split() == given
