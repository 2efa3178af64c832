"""Twisted's HTTP client connection, extended to record the heads of requests and responses byte for byte."""

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from cryptography.hazmat.primitives.serialization import Encoding
from OpenSSL import SSL
from scrapy.core.downloader.handlers.http11 import _LenientHTTP11ClientFactory, _LenientHTTP11ClientProtocol
from twisted.internet.defer import Deferred
from twisted.internet.protocol import connectionDone
from twisted.python.failure import Failure
from twisted.web._newclient import Request as WireRequest
from twisted.web.http_headers import Headers

from core.captures import TlsSession
from crawler.fetching.reactor import running_reactor

# Chosen, not measured. Chromium accepts 256 KiB and Node 16 KiB; Twisted accepts lines of 16 KiB in any number.
MAX_HEADER_BYTES = 65_536
_END = re.compile(rb"\r?\n\r?\n")
# The header that identifies the record of a request: Scrapy's agent and Twisted's pool pass on only headers. The
# connection removes it before sending, so servers do not receive it.
TICKET = b"X-Zhuiwen-Ticket"
_INFORMATIONAL = range(100, 200)


class HeadersTooLarge(Exception):
    """Raised if the head of a response exceeds MAX_HEADER_BYTES."""


@dataclass(slots=True)
class ExchangeRecord:
    """The record of one request and its response. It is completed while they are exchanged."""

    request_head: bytes = b""
    response_head: bytes = b""
    connected_at: datetime | None = None
    sent_at: datetime | None = None
    answered_at: datetime | None = None
    server: tuple[str, int] = ("", 0)  # address and port of the server
    own_address: str = ""
    tls: TlsSession | None = None


class RecordingProtocol(_LenientHTTP11ClientProtocol):
    """A connection, which serves requests in turn.

    max_idle_s: a new connection that no request uses is closed after this time
    """

    def __init__(self, quiescent: Any, records: dict[bytes, ExchangeRecord], max_idle_s: float) -> None:
        super().__init__(quiescent)  # type: ignore[no-untyped-call]
        self._records, self._max_idle_s = records, max_idle_s
        self._unused: Any = None
        self._record: ExchangeRecord | None = None
        self._head, self._head_bytes = bytearray(), 0
        self._connected_at: datetime | None = None
        self._tls: TlsSession | None = None

    def connectionMade(self) -> None:  # noqa: N802, Twisted's name
        reactor = running_reactor()
        later: Any = reactor
        transport: Any = self.transport
        self._connected_at = datetime.now(UTC)
        # A proxy may never open its tunnel. Once the caller has given up, nothing else would close the connection.
        self._unused = later.callLater(self._max_idle_s, transport.abortConnection)
        super().connectionMade()

    def connectionLost(self, reason: Any = connectionDone) -> None:  # noqa: N802
        self._is_used()
        super().connectionLost(reason)  # type: ignore[no-untyped-call]

    def _is_used(self) -> None:
        if self._unused is not None and self._unused.active():
            self._unused.cancel()

    def request(self, request: Any) -> "Deferred[Any]":
        self._is_used()
        ticket = (request.headers.getRawHeaders(TICKET) or [b""])[0]
        record = self._records.get(ticket, ExchangeRecord())
        record.connected_at, record.sent_at = self._connected_at, datetime.now(UTC)
        record.request_head = record.response_head = b""
        self._record, self._head = record, bytearray()
        return super().request(_RecordedRequest.wrap(request, record))

    def dataReceived(self, data: bytes) -> None:  # noqa: N802
        if self._exceeds_limit(data):
            self._giveUp(Failure(HeadersTooLarge()))  # type: ignore[no-untyped-call]
            return
        if self._record is not None:
            self._take_down(data, self._record)
        super().dataReceived(data)  # type: ignore[no-untyped-call]

    def _exceeds_limit(self, data: bytes) -> bool:
        """Return True if the status line and the headers exceed the limit. Twisted has no such limit."""
        if self._parser is None or self._parser.state not in ("STATUS", "HEADER"):
            self._head_bytes = 0
        else:
            end = _END.search(data)
            self._head_bytes += end.start() if end else len(data)
        return self._head_bytes > MAX_HEADER_BYTES

    def _take_down(self, data: bytes, record: ExchangeRecord) -> None:
        self._head += data
        while (end := _end_of_head(self._head)) and parse_status(self._head) in _INFORMATIONAL:
            del self._head[:end]
        if end:
            record.response_head, record.answered_at = bytes(self._head[:end]), datetime.now(UTC)
            # The connection provides this only while it is open.
            self._tls = self._tls or tls_session(self.transport)
            record.server, record.tls = peer_address(self.transport), self._tls
            record.own_address = local_address(self.transport)
        if end or len(self._head) > MAX_HEADER_BYTES:
            self._record, self._head = None, bytearray()


class RecordingFactory(_LenientHTTP11ClientFactory):
    """Creates connections that write to `records`, which map the ticket of each request to its record."""

    def __init__(self, records: dict[bytes, ExchangeRecord], max_idle_s: float, quiescent: Any, endpoint: str) -> None:
        super().__init__(quiescent, endpoint)  # type: ignore[no-untyped-call]
        self._records, self._max_idle_s = records, max_idle_s

    def buildProtocol(self, addr: Any) -> RecordingProtocol:  # noqa: N802
        return RecordingProtocol(self._quiescentCallback, self._records, self._max_idle_s)


class _RecordedRequest(WireRequest):
    """A request that records its head as it is sent, without its ticket."""

    record: ExchangeRecord

    @classmethod
    def wrap(cls, request: Any, record: ExchangeRecord) -> "_RecordedRequest":
        headers: Headers = request.headers.copy()
        headers.removeHeader(TICKET)
        made = cls._construct(  # type: ignore[no-untyped-call]
            request.method, request.uri, headers, request.bodyProducer, request.persistent, request._parsedURI
        )
        made.record = record
        return made  # type: ignore[no-any-return]

    def _writeHeaders(self, transport: Any, TEorCL: bytes | None) -> None:  # noqa: N802, N803
        super()._writeHeaders(_Tee(transport, self.record), TEorCL)  # type: ignore[no-untyped-call]


class _Tee:
    """The part of a transport to which Twisted writes a head. It records what is written."""

    def __init__(self, transport: Any, record: ExchangeRecord) -> None:
        self._transport, self._record = transport, record

    def writeSequence(self, pieces: list[bytes]) -> None:  # noqa: N802
        self._record.request_head += b"".join(pieces)
        self._transport.writeSequence(pieces)


def _end_of_head(data: bytearray) -> int:
    """Return the index after the empty line that ends a head, or 0 if it is incomplete.

    Some servers use bare line feeds.
    """
    ends = [place + len(mark) for mark in (b"\r\n\r\n", b"\n\n", b"\n\r\n") if (place := data.find(mark)) >= 0]
    return min(ends, default=0)


def parse_status(head: bytearray) -> int:
    """Return the status code in the head of a response, or 0 if there is none."""
    words = bytes(head[:64]).split(None, 2)
    return int(words[1]) if len(words) > 1 and words[1].isdigit() else 0


# Reads facts about a connection: the addresses of both sides, and its TLS session.

MAX_CERTIFICATES = 12  # a chain has two to four; further certificates are dropped


def peer_address(transport: Any) -> tuple[str, int]:
    """Return the address and port of the server, or ("", 0) if the connection has none."""
    with suppress(AttributeError):
        peer = transport.getPeer()
        return str(peer.host), int(peer.port)
    return "", 0


def local_address(transport: Any) -> str:
    """Return the address of this machine on a connection, or "" if the connection has none."""
    with suppress(AttributeError):
        return str(transport.getHost().host)
    return ""


def tls_session(transport: Any) -> TlsSession | None:
    """Return the TLS session of a connection, or None without TLS."""
    handle = transport.getHandle() if hasattr(transport, "getHandle") else None
    if not isinstance(handle, SSL.Connection):
        return None
    chain = handle.get_peer_cert_chain(as_cryptography=True) or []
    return TlsSession(
        protocol=handle.get_protocol_version_name(),
        cipher=handle.get_cipher_name() or "",
        cipher_bits=handle.get_cipher_bits() or 0,
        server_name=(handle.get_servername() or b"").decode("ascii", "replace"),
        certificates=tuple(each.public_bytes(Encoding.DER) for each in chain[:MAX_CERTIFICATES]),
    )
