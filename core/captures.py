"""What only the connection knows of a fetched page: what was asked, what was answered first, and who answered.

A capture is taken while a page is fetched (crawler.fetching.capture, crawler.browsing.page_capture) or read from an
archive (crawler.sources.archive_records), and kept beside its raw body (pagestore.captures). What would let somebody
else in, cookies and logins, is not in it: each such value is replaced by `WITHHELD`, in records of an archive by as
many asterisks as it had bytes, since they state their length.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.circumstances import BrowserProfile, Machine, NetworkRoute

WITHHELD = "[withheld]"


@dataclass(frozen=True, slots=True)
class NameAnswer:
    """What a host's name stood for when the connection was made; only addresses that may be fetched."""

    name: str
    addresses: tuple[str, ...]
    asked_at: datetime
    resolver: str = "system"  # or the operator's name servers, "address:port" with commas between them


@dataclass(frozen=True, slots=True)
class TlsSession:
    """How the connection was secured. `certificates`: DER, as the server sent them, its own first; not judged here."""

    protocol: str  # "TLSv1.3"
    cipher: str
    cipher_bits: int
    server_name: str  # that was asked for (SNI)
    certificates: tuple[bytes, ...]


class CaptureSource(StrEnum):
    """Who took a page down, which decides what its capture is worth."""

    CONNECTION = "connection"  # this product's own connection; heads are the bytes that went over it
    BROWSER = "browser"  # a browser that ran the page's scripts; heads are written down from what it told
    ARCHIVE = "archive"  # a WARC or WACZ that somebody else made: exchanges are what its records say
    UNKNOWN = "unknown"  # nobody wrote it down: status, headers and body are the page store's


@dataclass(frozen=True, slots=True)
class ArchivedRecord:
    """One record of an archive file, byte for byte once the file's own compression is undone: `head` then `payload`.

    head: the WARC header and, of a response, the HTTP header. file: its name without folders; member: of the archive
    in it, where it is a WACZ. offset: where the record begins there, of what is unpacked where `is_unpacked`.
    """

    file: str
    member: str
    offset: int
    is_unpacked: bool
    head: bytes
    payload: bytes

    @property
    def content(self) -> bytes:
        """The whole record."""
        return self.head + self.payload


@dataclass(frozen=True, slots=True)
class CapturedResource:
    """What a page refers to and was fetched to read it: a style sheet, a font, a picture."""

    url: str
    content_type: str
    fetched_at: datetime
    body: bytes


@dataclass(frozen=True, slots=True)
class WireExchange:
    """One request and its response.

    request_head, response_head: the bytes of the connection up to and with the empty line, in their order; b"" where
    something else than this product's own connection fetched the page.
    body_digest, body_bytes: of the body as it came, before its content coding (gzip) was undone; "" and 0: not known.
    body: of a response that redirects, at most MAX_HOP_BODY_BYTES of crawler.fetching.capture; b"" of the last, whose
    body is the page's, unless a browser fetched it: then the page's body is the DOM that was read, and this is what the
    browser received, with its content coding undone.
    """

    url: str
    status: int
    request_head: bytes
    response_head: bytes
    connected_at: datetime | None
    sent_at: datetime
    answered_at: datetime  # when the response's head was complete
    ended_at: datetime
    server_address: str  # "" behind a proxy, where the address is not the site's
    server_port: int
    body_digest: str
    body_bytes: int
    body: bytes = b""
    is_through_proxy: bool = False
    is_truncated: bool = False  # the body is known to be longer than what was had of it
    name_answer: NameAnswer | None = None
    tls: TlsSession | None = None
    way: NetworkRoute | None = None  # None: nobody took it down


@dataclass(frozen=True, slots=True)
class Capture:
    """How a page was fetched. `exchanges`: the redirects in order, the page's own last.

    made_with: the browser, "Chromium 150.0.7871.100". records: of an archive, all that were used, the response first.
    machine: that fetched it; None: an archive's. profile: of a browser.
    """

    exchanges: tuple[WireExchange, ...]
    source: CaptureSource = CaptureSource.CONNECTION
    made_with: str = ""
    records: tuple[ArchivedRecord, ...] = ()
    resources: tuple[CapturedResource, ...] = ()
    machine: Machine | None = None
    profile: BrowserProfile | None = None
