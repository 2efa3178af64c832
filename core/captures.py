"""What only the connection knows of a fetched page: what was asked, what was answered first, and who answered.

A capture is taken while a page is fetched (crawler.fetching.capture) and kept beside its raw body
(pagestore.captures). What would let somebody else in, cookies and logins, is not in it: each such value is replaced by
`WITHHELD`.
"""

from dataclasses import dataclass
from datetime import datetime

WITHHELD = "[withheld]"


@dataclass(frozen=True, slots=True)
class NameAnswer:
    """What a host's name stood for when the connection was made; only addresses that may be fetched."""

    name: str
    addresses: tuple[str, ...]
    asked_at: datetime


@dataclass(frozen=True, slots=True)
class TlsSession:
    """How the connection was secured. `certificates`: DER, as the server sent them, its own first; not judged here."""

    protocol: str  # "TLSv1.3"
    cipher: str
    cipher_bits: int
    server_name: str  # that was asked for (SNI)
    certificates: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class WireExchange:
    """One request and its response.

    request_head, response_head: the bytes of the connection up to and with the empty line, in their order; b"" where
    something else than this product's own connection fetched the page.
    body_digest, body_bytes: of the body as it came, before its content coding (gzip) was undone.
    body: of a response that redirects, at most MAX_HOP_BODY_BYTES of crawler.fetching.capture; b"" of the last, whose
    body is the page's.
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
    name_answer: NameAnswer | None = None
    tls: TlsSession | None = None


@dataclass(frozen=True, slots=True)
class Capture:
    """How a page was fetched. `exchanges`: the redirects in order, the page's own last."""

    exchanges: tuple[WireExchange, ...]
