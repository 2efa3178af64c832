"""A capture as the crawler takes it down -> exchanges of a bundle, every byte of their heads kept."""

from ssl import DER_cert_to_PEM_cert

from core.captures import Capture as WireCapture
from core.captures import NameAnswer, TlsSession, WireExchange
from evidence.records import DnsAnswer, Exchange, TlsConnection

Headers = tuple[tuple[str, str], ...]


def exchanges_of(capture: WireCapture, body: bytes) -> tuple[Exchange, ...]:
    """The redirects and the page, whose `body` is the page store's, after its content coding was undone."""
    *hops, page = capture.exchanges
    return (*(_exchange(hop, hop.body) for hop in hops), _exchange(page, body))


def _exchange(seen: WireExchange, body: bytes) -> Exchange:
    request_line, request_headers = head_of(seen.request_head)
    status_line, response_headers = head_of(seen.response_head)
    return Exchange(
        url=seen.url,
        request_line=request_line,
        request_headers=request_headers,
        status=seen.status,
        reason=status_line.split(" ", 2)[2] if status_line.count(" ") > 1 else "",
        response_headers=response_headers,
        body=body,
        fetched_at=seen.answered_at,
        server_address=seen.server_address,
        server_port=seen.server_port or None,
        is_through_proxy=seen.is_through_proxy,
        wire_digest=seen.body_digest,
        wire_bytes=seen.body_bytes,
        is_truncated=len(body) < seen.body_bytes and not _has_coding(response_headers),
        dns=_dns(seen.name_answer),
        tls=_tls(seen.tls),
    )


def head_of(head: bytes) -> tuple[str, Headers]:
    r"""The first line and the headers; each byte is one character, as `evidence.warc` writes it back.

    >>> head_of(b"HTTP/1.1 200 OK\r\nServer: a\r\n\r\n")
    ('HTTP/1.1 200 OK', (('Server', 'a'),))
    """
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    pairs = (line.partition(":") for line in lines if ":" in line)
    return first, tuple((name.strip(), value.strip()) for name, _, value in pairs)


def _has_coding(headers: Headers) -> bool:
    return any(name.lower() == "content-encoding" for name, _ in headers)


def _dns(answer: NameAnswer | None) -> DnsAnswer | None:
    return None if answer is None else DnsAnswer(answer.name, answer.addresses, answer.asked_at, resolver="system")


def _tls(session: TlsSession | None) -> TlsConnection | None:
    if session is None:
        return None
    chain = tuple(_pem(each) for each in session.certificates)
    return TlsConnection(session.protocol, f"{session.cipher} ({session.cipher_bits} bits)", chain)


def _pem(der: bytes) -> str:
    """Of whatever it is: a certificate that nobody can read, made up by a hostile server, is kept all the same."""
    return DER_cert_to_PEM_cert(der)
