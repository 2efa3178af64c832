"""One HTTP request and its whole response, including redirects. All requests outside of crawls are made here.

Every address is checked before a connection to it is made, the size of the body is limited before and after
decompression, and one time limit covers the whole exchange. Environment variables are ignored: they set neither proxies
nor credentials.
"""

import socket
import ssl
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpcore
import httpx
from w3lib.url import safe_url_string

from core.errors import BadInput, RetryLater, UnsafeUrl
from core.hosts import host_key
from core.settings import CrawlSettings
from core.wording import Message
from crawler.fetching.addresses import AddressGuard
from crawler.fetching.names import Deadline, NameResolver

_CODINGS = ("gzip", "x-gzip", "deflate")
_FAULTS = (OSError, httpx.TransportError)


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A GET request, or a POST request if it has a body. shown: the URL for messages; "" for `url` itself."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = field(default=None, repr=False)
    shown: str = ""


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """The limits of an exchange.

    timeout_s: in total. max_body_bytes: after decompression. hint: the setting that raises this limit, for messages
    """

    timeout_s: float
    max_body_bytes: int
    max_redirects: int = 0
    hint: str = ""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """A response. url: the URL after redirects. headers: by names in lower case."""

    url: str
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def content_type(self) -> str:
        """The media type without parameters, in lower case."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


def exchange(ask: HttpRequest, bounds: FetchLimits, guard: AddressGuard, names: NameResolver) -> HttpAnswer:
    """Send a request, follow redirects, and return the final response, whatever its status.

    Raises UnsafeUrl if a URL or address must not be fetched; BadInput for permanent errors such as an unknown host, a
    body that is too large or too many redirects; RetryLater if no complete response arrives in time.
    """
    return _Exchange(ask, bounds, guard, names).run()


class _Exchange:
    """One request and its redirects, up to the final response."""

    def __init__(self, ask: HttpRequest, bounds: FetchLimits, guard: AddressGuard, names: NameResolver) -> None:
        self._ask, self._bounds, self._guard = ask, bounds, guard
        self._deadline = Deadline(bounds.timeout_s)
        context = ssl.create_default_context()
        network = PinnedNetwork(guard, names, self._deadline)
        pool = httpcore.ConnectionPool(ssl_context=context, network_backend=network, http2=False, retries=0)
        self._client = httpx.Client(transport=_Transport(pool), trust_env=False)
        self._client.headers.clear()  # httpx would send its own User-Agent
        self._url = ask.url

    def run(self) -> HttpAnswer:
        try:
            with self._client:
                return self._final_answer()
        except UnsafeUrl as error:
            raise UnsafeUrl(self._displayed_url, error.reason) from error
        except socket.gaierror as error:
            raise self._unknown_host(error) from error
        except (httpx.InvalidURL, UnicodeError) as error:
            raise BadInput("fetch.no-address", url=self._displayed_url, error=error) from error
        except _FAULTS as error:
            raise RetryLater("fetch.no-answer", url=self._displayed_url, reason=self._failure_reason(error)) from error

    def _final_answer(self) -> HttpAnswer:
        request: httpx.Request | None = self._first_request()
        for _ in range(self._bounds.max_redirects + 1):
            assert request is not None
            self._url = str(request.url)
            self._guard.check_url(self._url)
            with_answer = self._client.send(request, stream=True, follow_redirects=False)
            try:
                request = with_answer.next_request if self._bounds.max_redirects else None
                if request is None:
                    body = b"".join(self._read_body(with_answer))
                    return HttpAnswer(self._url, with_answer.status_code, dict(with_answer.headers), body)
            finally:
                with_answer.close()
        most = self._bounds.max_redirects
        raise BadInput("fetch.too-many-redirects", url=self._display_url(self._ask.url), most=most)

    def _first_request(self) -> httpx.Request:
        self._guard.check_url(self._url)  # the URL as given is checked, because a parser may drop a part of it
        method = "GET" if self._ask.body is None else "POST"
        headers = {"Accept-Encoding": "gzip", "Connection": "close", **self._ask.headers}
        return self._client.build_request(method, safe_url_string(self._url), headers=headers, content=self._ask.body)

    def _read_body(self, answer: httpx.Response) -> Iterator[bytes]:
        coding = answer.headers.get("Content-Encoding", "").strip().lower()
        if coding not in ("", "identity", *_CODINGS):
            raise BadInput("fetch.other-coding", url=self._displayed_url, coding=coding)
        unpack = zlib.decompressobj(wbits=47) if coding in _CODINGS else None
        limit, size = self._bounds.max_body_bytes, 0
        for chunk in answer.iter_raw():
            data = self._unpack_chunk(unpack, chunk, limit + 1 - size) if unpack else chunk
            size += len(data)
            if size > limit or (unpack is not None and unpack.unconsumed_tail):
                if self._bounds.hint:
                    raise BadInput(
                        "fetch.larger-than-set", url=self._displayed_url, bytes=limit, setting=self._bounds.hint
                    )
                raise BadInput("fetch.larger", url=self._displayed_url, bytes=limit)
            self._deadline.remaining_s()
            yield data

    def _unpack_chunk(self, unpack: Any, chunk: bytes, most: int) -> bytes:
        try:
            data: bytes = unpack.decompress(chunk, most)
        except zlib.error as error:
            raise BadInput("fetch.broken-coding", url=self._displayed_url) from error
        return data

    def _unknown_host(self, error: socket.gaierror) -> BadInput | RetryLater:
        if error.errno == socket.EAI_AGAIN:
            return RetryLater("fetch.no-answer", url=self._displayed_url, reason=Message("fetch.name-servers"))
        host = urlsplit(self._url).hostname or ""
        return BadInput("fetch.no-host", url=self._displayed_url, host=host)

    def _failure_reason(self, error: Exception) -> Message | str:
        """Return in a few words why no complete response arrived."""
        if isinstance(error, (TimeoutError, httpx.TimeoutException)):
            return Message("fetch.over-time", seconds=self._bounds.timeout_s)
        # The exceptions of httpcore and of the system.
        causes = (error.__cause__, getattr(error.__cause__, "__cause__", None))
        fault = next((each for each in causes if isinstance(each, OSError)), error)
        if isinstance(fault, ssl.SSLError):
            return Message("fetch.certificate", error=fault.reason or fault)
        return getattr(fault, "strerror", None) or str(fault) or type(fault).__name__

    @property
    def _displayed_url(self) -> str:
        return self._display_url(self._url)

    def _display_url(self, url: str) -> str:
        return self._ask.shown or url


class _Transport(httpx.HTTPTransport):
    """An httpx transport with a custom connection pool, because httpx's own pool accepts no network backend."""

    def __init__(self, pool: httpcore.ConnectionPool) -> None:
        self._pool = pool


# Connects httpcore to checked addresses, within one overall time limit.
#
# httpcore's own timeouts limit each period of silence, so a server that sends a byte a second never exceeds them. Here,
# each wait for the socket, including the TLS handshake, is limited to the time that is left in total. A name is looked
# up once, and the connection is made to the address that was checked.


class PinnedNetwork(httpcore.NetworkBackend):
    """The network backend of one exchange: it connects only to allowed addresses."""

    def __init__(self, guard: AddressGuard, names: NameResolver, deadline: Deadline) -> None:
        self._guard, self._names, self._deadline = guard, names, deadline
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> "_TimedStream":
        """Connect to the first of the host's allowed addresses that accepts the connection.

        Raises UnsafeUrl if no address is allowed, OSError (socket.gaierror) if the name has no address, and httpcore's
        ConnectError or ConnectTimeout if no address accepts the connection.
        """
        name = host_key(f"http://{f'[{host}]' if ':' in host else host}/")[0]
        addresses = self._guard.allowed_addresses(
            host, name, port, self._names.addresses(name, port, self._deadline.remaining_s())
        )
        for left in range(len(addresses), 0, -1):
            share_s = self._deadline.remaining_s() / left  # an address that does not respond leaves time for the others
            try:
                connected = self._inner.connect_tcp(addresses[-left], port, share_s, None, socket_options)
                return _TimedStream(connected, self._deadline)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if left == 1:
                    raise
        raise AssertionError("the last address returns or raises")


class _TimedStream(httpcore.NetworkStream):
    """A connection on which every wait ends at the overall deadline. httpcore's own `timeout` is ignored."""

    def __init__(self, inner: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._inner, self._deadline = inner, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._deadline.remaining_s())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._deadline.remaining_s())

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> "_TimedStream":
        return _TimedStream(
            self._inner.start_tls(ssl_context, server_hostname, self._deadline.remaining_s()), self._deadline
        )

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


# Fetches one page for `check`, `read` and discovery, with checked addresses and limits on time and size.
#
# robots.txt is not read here, because a person requests the page.

PAGES = "text/html, text/plain;q=0.9, */*;q=0.1"  # the value of the header Accept
MAX_REDIRECTS = 5


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A response with status 200: its URL after redirects, its headers and its body."""

    url: str
    headers: dict[str, str]
    body: bytes


class NoPage(BadInput):
    """Raised if a response has a status other than 200, 429 and 5xx, so that there is no page."""

    def __init__(self, url: str, status: int) -> None:
        self.url, self.status = url, status
        super().__init__("fetch.no-page", url=url, status=status)


def fetch(url: str, settings: CrawlSettings, accept: str = PAGES) -> FetchedPage:
    """Fetch a page.

    Raises UnsafeUrl if its address is not allowed, NoPage for a status other than 200, another BadInput for permanent
    errors, and RetryLater if the server does not respond or responds with 429 or 5xx. accept: the value of the header
    Accept.
    """
    ask = HttpRequest(url.strip(), {"User-Agent": settings.user_agent, "Accept": accept})
    bounds = FetchLimits(settings.timeout_s, settings.max_body_bytes, MAX_REDIRECTS, "ZHUIWEN_MAX_BODY_BYTES")
    answer = exchange(ask, bounds, AddressGuard(settings.allow_private_hosts), NameResolver(settings.name_servers))
    _require_found(answer.url, answer.status)
    return FetchedPage(answer.url, answer.headers, answer.body)


def _require_found(url: str, status: int) -> None:
    if status >= 500 or status == 429:
        raise RetryLater("fetch.error-status", url=url, status=status)
    if status != 200:
        raise NoPage(url, status)
