"""Captures: the requests, responses and connections by which a page was fetched.

A capture is made while a page is fetched (crawler.fetching.capture, crawler.browsing.page_capture) or read from an
archive (crawler.sources.archive_records). It is stored with the raw body (pagestore.captures). It contains no
credentials: each cookie and login is replaced by `WITHHELD`. In records of an archive, which state their length,
asterisks of the same length replace it.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.circumstances import BrowserProfile, Machine, NetworkRoute

WITHHELD = "[withheld]"


@dataclass(frozen=True, slots=True)
class NameAnswer:
    """The DNS response for a host at the time of the connection. It lists only addresses that may be fetched."""

    name: str
    addresses: tuple[str, ...]
    asked_at: datetime
    resolver: str = "system"  # or the operator's name servers, "address:port" with commas between them


@dataclass(frozen=True, slots=True)
class TlsSession:
    """The TLS session of a connection.

    certificates: DER, as sent, the server's own first; not verified here.
    """

    protocol: str  # "TLSv1.3"
    cipher: str
    cipher_bits: int
    server_name: str  # SNI of the request
    certificates: tuple[bytes, ...]


class CaptureSource(StrEnum):
    """The source of a capture, which decides its weight as evidence."""

    CONNECTION = "connection"  # the product's own connection; heads are the bytes sent and received
    BROWSER = "browser"  # a browser that ran the page's scripts; heads are rebuilt from its reports
    ARCHIVE = "archive"  # a WARC or WACZ by a third party; exchanges are read from its records
    UNKNOWN = "unknown"  # no capture was made: status, headers and body come from the page store


@dataclass(frozen=True, slots=True)
class ArchivedRecord:
    """One record of an archive file, byte for byte after decompression: `head`, then `payload`.

    head: the WARC header and, for a response, the HTTP header. file: the file name without folders. member: the name of
    the archive inside a WACZ file, otherwise "". offset: the position of the record in the archive.
    """

    file: str
    member: str
    offset: int
    head: bytes
    payload: bytes

    @property
    def content(self) -> bytes:
        """The whole record."""
        return self.head + self.payload


@dataclass(frozen=True, slots=True)
class CapturedResource:
    """A style sheet, font or image that a page references and that was fetched to read the page."""

    url: str
    content_type: str
    fetched_at: datetime
    body: bytes


@dataclass(frozen=True, slots=True)
class HttpHead:
    """The first line of a request or response, without its line ending, and the headers in order."""

    line: str
    headers: tuple[tuple[str, str], ...]


def parse_head(head: bytes) -> HttpHead:
    r"""Parse the head of a request or response. A folded line (RFC 9112, 5.2) continues the previous one.

    >>> parse_head(b"GET / HTTP/1.1\r\nHost: a.example\r\nX: 1\r\n\x00 2\r\n\r\n").headers
    (('Host', 'a.example'), ('X', '1 2'))
    """
    # Archives are written without NUL: with it, a folded line would be one only in the archive.
    lines = head.decode("latin-1").replace("\x00", "").replace("\r\n", "\n").split("\n")
    headers: list[tuple[str, str]] = []
    for line in lines[1:]:
        if line[:1] in (" ", "\t") and headers:
            headers[-1] = (headers[-1][0], f"{headers[-1][1]} {line.strip()}")
        elif ":" in line:
            name, _, value = line.partition(":")
            headers.append((name.strip(), value.strip()))
    return HttpHead(lines[0], tuple(headers))


@dataclass(frozen=True, slots=True)
class WireExchange:
    """One request and its response.

    request_head, response_head: the bytes of the connection up to and including the empty line; b"" if the page was not
    fetched over the product's own connection. body_digest, body_bytes: of the body as received, before content decoding
    (gzip); "" and 0 if unknown. body: for a redirect, at most MAX_HOP_BODY_BYTES (crawler.fetching.capture); for the
    last response b"", because its body is the page's. If a browser fetched the page, the page's body is its DOM, and
    `body` is what the browser received, after content decoding. Evidence (webadmin.evidence.services.material) adds the
    page's body.
    """

    url: str
    status: int
    sent_at: datetime
    answered_at: datetime  # when the response's head was complete
    ended_at: datetime
    request_head: bytes = b""
    response_head: bytes = b""
    connected_at: datetime | None = None
    server_address: str = ""  # "" behind a proxy, where the address is not the site's
    server_port: int = 0
    body_digest: str = ""
    body_bytes: int = 0
    body: bytes = b""
    is_decoded: bool = False  # the body has no content coding, whatever the head says; not stored
    is_through_proxy: bool = False
    is_truncated: bool = False  # the body is longer than the part received
    name_answer: NameAnswer | None = None
    tls: TlsSession | None = None
    way: NetworkRoute | None = None  # None: not recorded

    @property
    def request(self) -> HttpHead:
        return parse_head(self.request_head)

    @property
    def response(self) -> HttpHead:
        return parse_head(self.response_head)


@dataclass(frozen=True, slots=True)
class Capture:
    """The record of fetching one page. exchanges: the redirects in order, the page's own exchange last.

    made_with: the browser, "Chromium 150.0.7871.100". records: the archive records that were used, the response first.
    machine: the machine that fetched the page, or None for an archive. profile: the profile of the browser.
    """

    exchanges: tuple[WireExchange, ...]
    source: CaptureSource = CaptureSource.CONNECTION
    made_with: str = ""
    records: tuple[ArchivedRecord, ...] = ()
    resources: tuple[CapturedResource, ...] = ()
    machine: Machine | None = None
    profile: BrowserProfile | None = None
