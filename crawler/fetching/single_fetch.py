"""One page from the web, for `check`, `read` and discovery: through the address guard, with limits of time and size.

The name is resolved once and the address that was judged is the one connected to. No robots.txt is asked here: a person
names one page.
"""

import http.client
import socket
import ssl
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from w3lib.url import safe_url_string

from core.errors import BadInput, RetryLater, UnsafeUrl
from core.hosts import host_key
from core.settings import CrawlSettings
from crawler.fetching.addresses import AddressGuard
from crawler.fetching.names import Names

PAGES = "text/html, text/plain;q=0.9, */*;q=0.1"  # of the header Accept
MAX_REDIRECTS = 5
CHUNK_BYTES = 65_536
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A response with status 200: where it came from after redirects, its headers, its body."""

    url: str
    headers: dict[str, str]
    body: bytes


def fetch(url: str, settings: CrawlSettings, accept: str = PAGES) -> FetchedPage:
    """The page at `url`. Raises UnsafeUrl, BadInput for a page that is not there, RetryLater where nothing answers."""
    guard, deadline = AddressGuard(settings.allow_private_hosts), time.monotonic() + settings.timeout_s
    current = safe_url_string(url.strip())
    for _ in range(MAX_REDIRECTS + 1):
        target = _Target(current, guard, deadline, settings, accept)
        try:
            answer = target.ask()
        except (TimeoutError, OSError, http.client.HTTPException) as error:
            raise RetryLater(f"{current} does not answer ({_reason(error)}); try again later") from error
        if isinstance(answer, FetchedPage):
            return answer
        current = safe_url_string(urljoin(current, answer))
    raise BadInput(f"{url} redirects more than {MAX_REDIRECTS} times; give the address that it ends at")


class _Target:
    """One request of one URL."""

    def __init__(self, url: str, guard: AddressGuard, deadline: float, settings: CrawlSettings, accept: str) -> None:
        guard.check_url(url)
        self._url, self._guard, self._deadline, self._settings = url, guard, deadline, settings
        self._accept = accept
        self._host, self._port = host_key(url)

    def ask(self) -> FetchedPage | str:
        """The page, or where it redirects to."""
        parts = urlsplit(self._url)
        connection = http.client.HTTPConnection(self._host, self._port, timeout=self._left())
        connection.sock = self._socket(parts.scheme)
        try:
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            headers = {"User-Agent": self._settings.user_agent, "Accept": self._accept}
            connection.request("GET", path, headers={**headers, "Accept-Encoding": "gzip", "Host": parts.netloc})
            response = connection.getresponse()
            location = response.headers.get("Location", "")
            if response.status in _REDIRECTS and location:
                return location
            self._require_found(response.status)
            body = b"".join(self._body(response))
            return FetchedPage(self._url, dict(response.headers.items()), body)
        finally:
            connection.close()

    def _socket(self, scheme: str) -> socket.socket:
        """A connection to an address of the host that may be fetched."""
        addresses = self._addresses()
        for number, address in enumerate(addresses, 1):
            try:
                plain = socket.create_connection((address, self._port), timeout=self._left())
            except OSError:
                if number == len(addresses):
                    raise
                continue
            if scheme == "http":
                return plain
            return ssl.create_default_context().wrap_socket(plain, server_hostname=self._host)
        raise UnsafeUrl(self._url, "its host has no address")

    def _addresses(self) -> list[str]:
        try:
            addresses = Names(self._settings.name_servers).addresses(self._host, self._port)
        except (socket.gaierror, UnicodeError) as error:
            raise BadInput(f"{self._url}: there is no host {self._host}; look at its spelling") from error
        for address in addresses:
            self._guard.check_address(self._url, self._host, self._port, address)
        return addresses

    def _body(self, response: http.client.HTTPResponse) -> Iterator[bytes]:
        coding = response.headers.get("Content-Encoding", "").strip().lower()
        if coding not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise BadInput(f"{self._url} is sent in the coding {coding}, which was not asked for")
        unpack = zlib.decompressobj(wbits=47) if coding in ("gzip", "x-gzip", "deflate") else None
        limit, size = self._settings.max_body_bytes, 0
        while chunk := response.read1(CHUNK_BYTES):
            data = unpack.decompress(chunk, limit + 1 - size) if unpack else chunk
            size += len(data)
            if size > limit or (unpack is not None and unpack.unconsumed_tail):
                raise BadInput(f"{self._url} is larger than {limit:,} bytes (ZHUIWEN_MAX_BODY_BYTES)")
            self._left()
            yield data

    def _require_found(self, status: int) -> None:
        if status >= 500 or status == 429:
            raise RetryLater(f"{self._url} answers with error {status}; try again later")
        if status != 200:
            raise BadInput(f"{self._url} answers with status {status}; there is no page to read")

    def _left(self) -> float:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"not done within {self._settings.timeout_s:g} s")
        return left


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return str(error) or "it took too long"
    if isinstance(error, ssl.SSLError):
        return f"its certificate or encryption is not accepted: {error.reason or error}"
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
