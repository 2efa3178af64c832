"""The proxy in front of the browser, spoken to as a browser does, by a site that means harm."""

import asyncio
import base64
from collections.abc import Awaitable, Callable

import pytest

from core.politeness import Proxy
from crawler.browsing.browser_proxy import BrowserProxy
from crawler.fetching.addresses import AddressGuard
from crawler.fetching.names import NameResolver

WAIT_S = 20.0
EARLY = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
ANSWER = b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok"
Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter, str], Awaitable[None]]

pytestmark = pytest.mark.usefixtures("loopback")


class Site:
    """Answers each head that comes with the same bytes, and keeps all that it was sent."""

    def __init__(self, answer: bytes) -> None:
        self.answer, self.seen = answer, b""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.read(65_536):
            self.seen += line
            if b"\r\n\r\n" in line:
                writer.write(self.answer)
        writer.close()


def through_proxy(site: Site, talk: Talk, *, is_upstream: bool = False) -> None:
    async def run() -> None:
        server = await asyncio.start_server(site.serve, "127.0.0.1", 0)
        place = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        upstream = Proxy(place, user="u", password="p") if is_upstream else None
        proxy = BrowserProxy(AddressGuard((place,)), NameResolver(()), 2.0, lambda: upstream)
        port = int((await proxy.start()).rpartition(":")[2])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        login = base64.b64encode(f"{proxy.user}:{proxy.password}".encode()).decode()
        headers = f"Host: {place}\r\nProxy-Authorization: Basic {login}\r\n"
        try:
            await asyncio.wait_for(talk(reader, writer, f"{place}\n{headers}"), WAIT_S)
        finally:
            writer.close()
            await proxy.close()
            server.close()
        assert login.encode() not in site.seen, "the site learnt how to go through the proxy"

    asyncio.run(run())


@pytest.mark.parametrize("before", [b"", EARLY, b"HTTP/1.1 100 Continue\r\n\r\n" + EARLY])
def test_a_second_request_of_a_connection_never_reaches_the_site(before: bytes) -> None:
    site = Site(before + ANSWER)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, given: str) -> None:
        place, _, headers = given.partition("\n")
        request = f"GET http://{place}/1 HTTP/1.1\r\n{headers}\r\n".encode()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 OK\r\n"), "what only announces an answer is none"
        assert b"Connection: close" in head
        assert b"keep-alive" not in head
        writer.write(request.replace(b"/1 ", b"/2 "))
        assert await reader.readexactly(2) == b"ok"
        await reader.read()

    through_proxy(site, talk)
    assert site.seen.startswith(b"GET /1 HTTP/1.1\r\n")
    assert b"/2" not in site.seen


def test_the_body_of_a_request_reaches_the_site_and_no_byte_behind_it() -> None:
    site = Site(ANSWER)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, given: str) -> None:
        place, _, headers = given.partition("\n")
        writer.write(f"POST http://{place}/ HTTP/1.1\r\n{headers}Content-Length: 4\r\n\r\nbodyGET /2".encode())
        await reader.read()

    through_proxy(site, talk)
    assert site.seen.endswith(b"\r\n\r\nbody")


@pytest.mark.parametrize("answer", [b"HTTP/1.1 407 No\r\n\r\n", b"HTTP/1.1 103 Early\r\n\r\n" * 11, b"no HTTP\r\n\r\n"])
def test_a_proxy_of_the_site_that_opens_no_tunnel_is_told_nothing_more(answer: bytes) -> None:
    site = Site(answer)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, given: str) -> None:
        _, _, headers = given.partition("\n")
        request = f"CONNECT a.example:443 HTTP/1.1\r\n{headers}\r\n".encode()
        writer.write(request)
        writer.write(request)
        assert b" 200 " not in await reader.read()

    through_proxy(site, talk, is_upstream=True)
    assert site.seen.count(b"CONNECT") == 1
