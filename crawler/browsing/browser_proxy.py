"""The browser's only way to the network: a proxy on loopback that resolves names and checks addresses.

A browser resolves names again after a check, follows redirects and opens sockets on its own. So addresses are checked
where the connection is made. Each connection carries one request; a second request is not forwarded, because it would
show this proxy's credentials to the site. Bodies are forwarded without being read.
"""

import asyncio
import base64
import secrets
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from core.captures import NameAnswer
from core.circumstances import NetworkRoute
from core.errors import UnsafeUrl
from core.hosts import host_key
from core.politeness import Proxy
from crawler.fetching.addresses import AddressGuard
from crawler.fetching.names import NameResolver
from crawler.fetching.routes import RouteFinder

MAX_HEAD_BYTES = 65_536
_CHUNK_BYTES = 65_536
_HEAD_TIMEOUT_S = 10.0
# Covers everything that a page loads; its text is also limited by ZHUIWEN_MAX_BODY_BYTES.
MAX_BYTES_A_CONNECTION = 64 * 1024 * 1024
MAX_INTERIM_HEADS = 10  # before the final response; servers send one
MAX_REFUSED = 100
MAX_REACHED = 1_000  # hosts whose addresses are stored; a crawl connects to tens
REFUSED_HEADER = "x-zhuiwen-refused"
_HOP_BY_HOP = ("proxy-connection", "proxy-authorization", "connection", "keep-alive")

Reader = asyncio.StreamReader
Writer = asyncio.StreamWriter


class _ProxyRefusal(Exception):
    """An error response to the browser's request, with its status line and reason."""

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


@dataclass(frozen=True, slots=True)
class _ProxyRequest:
    method: str
    target: str
    headers: tuple[str, ...]
    scheme: str
    host: str
    port: int

    @property
    def url(self) -> str:
        return self.target if self.scheme == "http" else f"https://{self.target}/"


@dataclass(frozen=True, slots=True)
class ConnectedAddress:
    """The address of a connection.

    address: "" for a connection through a proxy, where the site's address is unknown.
    """

    address: str
    answer: NameAnswer | None
    is_through_proxy: bool
    way: NetworkRoute | None = None


class BrowserProxy:
    """The browser's proxy for one crawl.

    upstream: returns the site's proxy for the next connection, or None if it has none.
    """

    def __init__(
        self, guard: AddressGuard, names: NameResolver, timeout_s: float, upstream: Callable[[], Proxy | None]
    ) -> None:
        self._guard, self._names, self._timeout_s, self._upstream = guard, names, timeout_s, upstream
        self._route_finder = RouteFinder()
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()
        self.user, self.password = "zhuiwen", secrets.token_urlsafe(24)  # refuses other programs on this machine
        self.refused: dict[tuple[str, int], UnsafeUrl] = {}  # by host and port
        self.reached: dict[tuple[str, int], ConnectedAddress] = {}  # the last connection to each host and port
        self.bytes_passed = 0

    async def start(self) -> str:
        """Start to listen on loopback. Return the proxy's URL for the browser."""
        self._server = await asyncio.start_server(self._accept_connection, "127.0.0.1", 0, limit=MAX_HEAD_BYTES)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in list(self._open):
            task.cancel()

    async def _accept_connection(self, reader: Reader, writer: Writer) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            await self._serve_connection(reader, writer)
        except _ProxyRefusal as refusal:
            with suppress(OSError):
                writer.write(
                    f"HTTP/1.1 {refusal.status}\r\n{REFUSED_HEADER}: {_one_line(refusal.reason)}\r\n"
                    "Content-Length: 7\r\nConnection: close\r\n\r\nrefused".encode("latin-1", "replace")
                )
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError, ValueError):
            pass
        finally:
            self._open.discard(task)
            with suppress(OSError):
                writer.close()

    async def _serve_connection(self, reader: Reader, writer: Writer) -> None:
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), _HEAD_TIMEOUT_S)
        ask = self._parse_request(head.decode("latin-1"))
        try:
            self._guard.check_url(ask.url)
            upstream = self._upstream()
            far_reader, far_writer = await asyncio.wait_for(self._connect_upstream(ask, upstream), self._timeout_s)
        except UnsafeUrl as fault:
            if len(self.refused) < MAX_REFUSED:
                self.refused[ask.host, ask.port] = fault
            raise _ProxyRefusal("403 Forbidden", str(fault.reason)) from fault
        except (OSError, TimeoutError) as fault:
            raise _ProxyRefusal("502 Bad Gateway", type(fault).__name__) from fault
        try:
            if ask.method != "CONNECT":
                far_writer.write(_forwarded_head(ask, upstream))
                up = self._forward_bytes(reader, far_writer, _body_bytes(ask))
                await self._join_streams(up, self._forward_response(far_reader, writer))
            elif upstream is None or await self._opens_tunnel(ask, upstream, far_reader, far_writer):
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await self._join_streams(
                    self._forward_bytes(reader, far_writer), self._forward_bytes(far_reader, writer)
                )
            else:
                raise _ProxyRefusal("502 Bad Gateway", "the proxy opens no tunnel")
        finally:
            with suppress(OSError):
                far_writer.close()

    def _parse_request(self, head: str) -> _ProxyRequest:
        first, *headers = head.rstrip("\r\n").split("\r\n")
        method, target, _ = first.split(" ", 2)
        given = next(
            (line.partition(":")[2].strip() for line in headers if _header_name(line) == "proxy-authorization"), ""
        )
        if not secrets.compare_digest(given, _basic_credentials(self.user, self.password)):
            raise _ProxyRefusal(
                "407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=zhuiwen", "no login"
            )
        scheme = "https" if method == "CONNECT" else urlsplit(target).scheme
        if scheme not in ("http", "https"):
            raise _ProxyRefusal("400 Bad Request", "no address")
        host, port = host_key(f"https://{target}/" if method == "CONNECT" else target)
        return _ProxyRequest(method, target, tuple(headers), scheme, host, port)

    async def _connect_upstream(self, ask: _ProxyRequest, upstream: Proxy | None) -> tuple[Reader, Writer]:
        """Connect to the requested host or, if given, the upstream proxy; only to an address that passed the check."""
        url, host, port = ask.url, ask.host, ask.port
        if upstream is not None:
            url = f"http://{upstream.place}/"
            self._guard.check_url(url)
            host, port = host_key(url)
        asked_at = datetime.now(UTC)
        addresses = await asyncio.to_thread(self._names.addresses, host, port)
        faults: list[Exception] = []
        for address in addresses:
            try:
                self._guard.check_address(url, host, port, address)
                connection = await asyncio.open_connection(address, port, limit=MAX_HEAD_BYTES)
                own = str((connection[1].get_extra_info("sockname") or ("",))[0])
                proxy = f"{upstream.scheme}://{upstream.place}" if upstream is not None else ""
                way = self._route_finder.find_route(ask.host, own, address, proxy)
                self._note_exchange(
                    ask, NameAnswer(ask.host, tuple(addresses), asked_at, self._names.resolver), address, way
                )
                return connection
            except (UnsafeUrl, OSError) as fault:
                faults.append(fault)
        raise next((fault for fault in faults if isinstance(fault, UnsafeUrl)), OSError("nothing answers"))

    def _note_exchange(self, ask: _ProxyRequest, answer: NameAnswer, address: str, way: NetworkRoute) -> None:
        if len(self.reached) >= MAX_REACHED:
            del self.reached[next(iter(self.reached))]
        if way.proxy:
            self.reached[ask.host, ask.port] = ConnectedAddress("", None, is_through_proxy=True, way=way)
            return
        self.reached[ask.host, ask.port] = ConnectedAddress(address, answer, is_through_proxy=False, way=way)

    async def _opens_tunnel(self, ask: _ProxyRequest, upstream: Proxy, far: Reader, far_writer: Writer) -> bool:
        far_writer.write(_forwarded_head(ask, upstream))
        return _response_status(await self._read_head(far)).startswith("2")

    async def _forward_response(self, far: Reader, writer: Writer) -> None:
        """Forward a response with "Connection: close", which forbids a second request on this connection."""
        first, *headers = (await self._read_head(far)).rstrip("\r\n").split("\r\n")
        kept = [line for line in headers if _header_name(line) not in _HOP_BY_HOP]
        writer.write("\r\n".join([first, *kept, "Connection: close", "", ""]).encode("latin-1"))
        await self._forward_bytes(far, writer)

    async def _read_head(self, far: Reader) -> str:
        """Return the head of the final response; informational responses such as 103 Early Hints are skipped.

        Raises ValueError if the bytes are not an HTTP response.
        """
        for _ in range(MAX_INTERIM_HEADS):
            head = (await asyncio.wait_for(far.readuntil(b"\r\n\r\n"), self._timeout_s)).decode("latin-1")
            if not _response_status(head).startswith("1"):
                return head
        raise ValueError("an answer that only announces itself")

    async def _join_streams(self, up: Coroutine[Any, Any, None], down: Coroutine[Any, Any, None]) -> None:
        """Forward bytes in both directions until one side closes, is silent for too long, or has sent too much."""
        ways = asyncio.ensure_future(up), asyncio.ensure_future(down)
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            if ways[0].done() and not ways[1].done():  # the request is sent completely; the response is not
                await asyncio.wait(ways[1:], timeout=self._timeout_s)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)

    async def _forward_bytes(self, source: Reader, sink: Writer, most: int = MAX_BYTES_A_CONNECTION) -> None:
        """Forward at most `most` bytes to `sink`. Read and discard the rest."""
        passed = 0
        with suppress(OSError, TimeoutError):
            while chunk := await asyncio.wait_for(source.read(_CHUNK_BYTES), self._timeout_s):
                self.bytes_passed += len(chunk)
                sink.write(chunk[: max(0, most - passed)])
                passed += len(chunk)
                if passed > MAX_BYTES_A_CONNECTION:
                    return
                await sink.drain()


def _body_bytes(ask: _ProxyRequest) -> int:
    """Return the length of a request's body. Raises _ProxyRefusal if the request states no length."""
    stated = {_header_name(line): line.partition(":")[2].strip() for line in ask.headers}
    if "transfer-encoding" in stated:
        raise _ProxyRefusal("411 Length Required", "no length")
    length = stated.get("content-length", "0")
    return int(length) if length.isdecimal() else 0


def _response_status(head: str) -> str:
    """Return the status code of a response. Raises ValueError if the head is not HTTP."""
    protocol, status = head.split(maxsplit=2)[:2]
    if not protocol.startswith("HTTP/"):
        raise ValueError("no HTTP")
    return status


def _forwarded_head(ask: _ProxyRequest, upstream: Proxy | None) -> bytes:
    kept = [line for line in ask.headers if _header_name(line) not in _HOP_BY_HOP]
    target = ask.target
    if upstream is None:
        parts = urlsplit(ask.target)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    elif upstream.user:
        kept.append(f"Proxy-Authorization: {_basic_credentials(upstream.user, upstream.password)}")
    end = [] if ask.method == "CONNECT" else ["Connection: close"]
    return "\r\n".join([f"{ask.method} {target} HTTP/1.1", *kept, *end, "", ""]).encode("latin-1")


def _header_name(line: str) -> str:
    return line.partition(":")[0].strip().lower()


def _basic_credentials(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def _one_line(text: str) -> str:
    return " ".join(text.split())[:300]
