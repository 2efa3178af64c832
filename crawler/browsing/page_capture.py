"""Records how a browser loaded one page: its requests for documents, the responses, and its style sheets.

A browser reports its requests, but not the bytes of its connections. So heads are reconstructed from its reports, with
names and values in its order, and the capture states that. Addresses and names come from `browser_proxy`, which
forwards every connection. Certificates are the browser's copies of those that the server presented.
"""

import base64
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import CDPSession, Page, Request, Response
from playwright.async_api import Error as PlaywrightError

from core.captures import Capture, CapturedResource, CaptureSource, TlsSession, WireExchange
from core.circumstances import BrowserProfile
from core.hosts import host_key
from crawler.browsing.browser_proxy import ConnectedAddress
from crawler.fetching.resources import MAX_BYTES, MAX_COUNT, ResourceKind
from crawler.fetching.wire import MAX_CERTIFICATES
from crawler.fetching.withheld_secrets import without_secrets

MAX_DOCUMENTS = 20  # including redirects by scripts; Chromium itself stops after 20 redirects
_TLS_NAMES = {"TLS 1.2": "TLSv1.2", "TLS 1.3": "TLSv1.3", "QUIC": "QUIC"}


WhereReached = Callable[[str, int], ConnectedAddress | None]  # returns the last connection to a host and port, or None


class PageCapture:
    """Captures how one page loads. Call `begin` before the page navigates, and `take` while it is open."""

    def __init__(self, where_reached: WhereReached, max_body_bytes: int, profile: Callable[[], BrowserProfile]) -> None:
        """Create a capture. profile: returns the browser's profile; called once the page has loaded."""
        self._where_reached, self._max_bytes, self._profile = where_reached, max_body_bytes, profile
        self._cached: dict[str, bool] = {}  # whether the browser read a URL from its cache
        self._documents: list[Response] = []
        self._sheets: list[tuple[Response, datetime]] = []
        self._devtools: CDPSession | None = None
        self.capture: Capture | None = None
        self.has_crashed = False
        self.failed_url = ""  # URL of the last document that failed to load

    async def begin(self, page: Page, *_: object) -> None:
        """Record the responses, failures and crashes of the page from now on."""
        page.on("response", self._note_response)
        page.on("crash", self._note_crash)
        page.on("requestfailed", self._note_failure)
        self._devtools = await page.context.new_cdp_session(page)
        self._devtools.on("Network.responseReceived", self._note_cache)
        await self._devtools.send("Network.enable")  # otherwise the browser forgets certificates

    async def take(self, page: Page) -> None:
        """Collect the capture from the browser. A page that has closed meanwhile has no capture."""
        with suppress(PlaywrightError):
            certificates = await self._certificate_chains()
            last = len(self._documents) - 1
            exchanges = [
                await self._wire_exchange(each, certificates, is_page=number == last)
                for number, each in enumerate(self._documents)
            ]
            if exchanges:
                sheets = tuple([each async for each in self._style_sheets()])
                browser = page.context.browser
                made_with = f"Chromium {browser.version}" if browser is not None else "Chromium"
                profile = replace(self._profile(), is_from_cache=self._cached.get(exchanges[-1].url))
                self.capture = Capture(
                    tuple(exchanges), CaptureSource.BROWSER, made_with, resources=sheets, profile=profile
                )

    def _note_response(self, response: Response) -> None:
        request = response.request
        with suppress(PlaywrightError):  # a service worker's request has no frame
            is_document = request.is_navigation_request() and request.frame.parent_frame is None
            if is_document and len(self._documents) < MAX_DOCUMENTS:
                self._documents.append(response)
            is_sheet = request.resource_type == "stylesheet" and response.ok
            if is_sheet and len(self._sheets) < MAX_COUNT[ResourceKind.STYLE]:
                self._sheets.append((response, datetime.now(UTC)))

    def _note_cache(self, event: Mapping[str, Any]) -> None:
        said = event["response"]
        if event.get("type") == "Document" and len(self._cached) < MAX_DOCUMENTS:
            kinds = ("fromDiskCache", "fromPrefetchCache", "fromServiceWorker")
            self._cached[said["url"].partition("#")[0]] = any(said.get(kind) for kind in kinds)

    def _note_crash(self, _: Page) -> None:
        self.has_crashed = True

    def _note_failure(self, request: Request) -> None:
        with suppress(PlaywrightError):
            if request.is_navigation_request() and request.frame.parent_frame is None:
                self.failed_url = request.url

    async def _wire_exchange(
        self, response: Response, certificates: Mapping[str, tuple[bytes, ...]], *, is_page: bool
    ) -> WireExchange:
        request, url = response.request, response.url
        parts, (host, port) = urlsplit(url), host_key(url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        asked = [(each["name"], each["value"]) for each in await request.headers_array()]
        said = [(each["name"], each["value"]) for each in await response.headers_array()]
        reached = self._where_reached(host, port) or ConnectedAddress("", None, is_through_proxy=False)
        sent_at, answered_at, ended_at = _exchange_moments(request.timing)
        return WireExchange(
            url=url,
            status=response.status,
            request_head=without_secrets(head(f"{request.method} {target} HTTP/1.1", asked)),
            response_head=without_secrets(head(f"HTTP/1.1 {response.status} {response.status_text}".rstrip(), said)),
            sent_at=sent_at,
            answered_at=answered_at,
            ended_at=ended_at,
            server_address=reached.address,
            server_port=port if reached.address else 0,
            # The size is left out: the size that a browser reports differs by more than 100 bytes from that on the
            # socket.
            body=await _response_body(response, self._max_bytes) if is_page else b"",
            is_through_proxy=reached.is_through_proxy,
            name_answer=reached.answer,
            tls=await _tls_session(response, host, certificates.get(_url_origin(url), ())),
            way=reached.way,
        )

    async def _certificate_chains(self) -> dict[str, tuple[bytes, ...]]:
        """Return the certificate chain of each origin in DER. The site's own certificate comes first."""
        found: dict[str, tuple[bytes, ...]] = {}
        for origin in sorted({_url_origin(each.url) for each in self._documents if each.url.startswith("https:")}):
            if self._devtools is not None:
                said = await self._devtools.send("Network.getCertificate", {"origin": origin})
                found[origin] = tuple(base64.b64decode(each) for each in said["tableNames"][:MAX_CERTIFICATES])
        return found

    async def _style_sheets(self) -> Any:
        for response, at in self._sheets:
            body = await _response_body(response, MAX_BYTES[ResourceKind.STYLE])
            if body:
                yield CapturedResource(response.url, "text/css", at, body)


def head(first: str, headers: Iterable[tuple[str, str]]) -> bytes:
    r"""Format a message head as HTTP/1.1. Line feeds in values become spaces, because they would begin another header.

    >>> head("GET / HTTP/1.1", [("Host", "a.example"), ("X", "1\n2")])
    b'GET / HTTP/1.1\r\nHost: a.example\r\nX: 1 2\r\n\r\n'
    """
    lines = [first, *(f"{name}: {value}" for name, value in headers)]
    return "\r\n".join([*(" ".join(line.splitlines()) for line in lines), "", ""]).encode("latin-1", "replace")


async def _response_body(response: Response, limit: int) -> bytes:
    """Return the decompressed body, or b"" if the browser does not provide it or it is longer than `limit` bytes."""
    with suppress(PlaywrightError):
        body = await response.body()
        return body if len(body) <= limit else b""
    return b""


async def _tls_session(response: Response, host: str, certificates: tuple[bytes, ...]) -> TlsSession | None:
    """Return the connection's TLS session, or None without TLS. Browsers do not report the strength of the cipher."""
    details = await response.security_details()
    if not details or not details.get("protocol"):
        return None
    protocol = str(details["protocol"])
    return TlsSession(_TLS_NAMES.get(protocol, protocol), "", 0, host, certificates)


def _exchange_moments(timing: Any) -> tuple[datetime, datetime, datetime]:
    """Return when a request was sent and its response began and ended; the time now if it is not reported."""
    now = datetime.now(UTC)
    started = float(timing.get("startTime", 0))
    if started <= 0:
        return now, now, now
    at = datetime.fromtimestamp(started / 1_000, UTC)
    sent, answered, ended = (float(timing.get(name, -1)) for name in ("requestStart", "responseStart", "responseEnd"))
    answered_at = at + timedelta(milliseconds=max(answered, 0))
    return at + timedelta(milliseconds=max(sent, 0)), answered_at, max(answered_at, at + timedelta(milliseconds=ended))


def _url_origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
