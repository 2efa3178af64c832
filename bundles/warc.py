"""Writes a page with its exchanges, resources and renderings as WARC 1.1 records, each compressed separately.

Source: ISO 28500:2017 (iipc.github.io/warc-specifications, WARC 1.1). The names of renderings (`urn:fullPage:` and so
on) are from Browsertrix.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from uuid import UUID

from warcio.recordloader import ArcWarcRecord
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from bundles.records import CapturedPage, Part, Rendering
from bundles.secrets_withheld import REQUEST_HEADERS, RESPONSE_HEADERS, Headers, public_url, withheld
from core.captures import CapturedResource, NameAnswer, WireExchange
from core.ids import digest

FULL_PAGE, PDF, TEXT = "urn:fullPage:", "urn:pdf:", "urn:text:"
DOM = "urn:dom:"  # defined here, because archives have no name for the document in a browser
_REQUEST, _RESPONSE = "application/http; msgtype=request", "application/http; msgtype=response"
_FIELDS = "application/warc-fields"
# Headers that describe the transferred bytes, and are wrong for a decoded body.
_OF_THE_WIRE = frozenset({"content-encoding", "transfer-encoding", "content-length"})
_KEPT_AS = "X-Archive-Orig-"


@dataclass(frozen=True, slots=True)
class WrittenRecord:
    """A written record as the index describes it. offset, length: of its compressed bytes in the archive."""

    kind: str
    id: str
    url: str
    date: str
    mime: str
    status: int | None
    payload_digest: str  # "sha256:" and hex
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class _Record:
    """A record before it is written. payload: the part of `block` after the HTTP headers."""

    kind: str
    url: str
    at: datetime
    content_type: str
    block: bytes
    payload: bytes
    headers: tuple[tuple[str, str], ...] = ()
    mime: str = ""
    status: int | None = None


@dataclass(slots=True)
class _Archive:
    """An archive to which records are appended; ids derive from the salt, so that equal input gives equal bytes."""

    salt: str
    out: BytesIO = field(default_factory=BytesIO)
    written: list[WrittenRecord] = field(default_factory=list)

    def next_id(self, ahead: int = 0) -> str:
        """Return the id of the next record, or of a later one that follows `ahead` other records."""
        source = f"{self.salt} {len(self.written) + ahead}".encode()
        return f"<urn:uuid:{UUID(bytes=hashlib.sha256(source).digest()[:16], version=4)}>"

    def write_record(self, record: _Record) -> WrittenRecord:
        """Write one record with SHA-256 digests, which keep warcio from adding SHA-1 digests."""
        offset, record_id, payload_digest = self.out.tell(), self.next_id(), _label_digest(record.payload)
        headers = [
            ("WARC-Type", record.kind),
            ("WARC-Record-ID", record_id),
            *([("WARC-Target-URI", record.url)] if record.url else []),
            ("WARC-Date", warc_date(record.at)),
            *record.headers,
            *([] if record.kind == "warcinfo" else [("WARC-Payload-Digest", payload_digest)]),
            ("WARC-Block-Digest", _label_digest(record.block)),
        ]
        head = StatusAndHeaders("", headers, protocol="WARC/1.1")
        stream, length = BytesIO(record.block), len(record.block)
        whole = ArcWarcRecord("warc", record.kind, head, stream, None, record.content_type, length)
        WARCWriter(self.out, gzip=True, warc_version="1.1").write_record(whole)
        mime = record.mime if record.status is not None else record.content_type.partition(";")[0]
        place = (offset, self.out.tell() - offset)
        said = (record.kind, record_id, record.url, warc_date(record.at), mime, record.status, payload_digest)
        self.written.append(WrittenRecord(*said, *place))
        return self.written[-1]


def archive(capture: CapturedPage, salt: str, software: str, made_at: datetime) -> tuple[bytes, list[WrittenRecord]]:
    """Return the content of data.warc.gz, and its records in order. salt: determines the ids of the records."""
    target = _Archive(salt)
    target.write_record(_warcinfo_record(software, made_at))
    first, *following = capture.parts
    responses, read_from = _add_part(target, first)
    answered = [responses[-1].id, *(_add_part(target, part)[0][-1].id for part in following)]
    for answer in dict.fromkeys(each.name_answer for each in capture.exchanges if each.name_answer is not None):
        target.write_record(_dns_record(answer))
    for resource in capture.resources:
        target.write_record(_resource_record(resource))
    page_url = public_url(capture.page.url)
    target.write_record(_metadata_record(capture, responses))
    text = capture.text.encode("utf-8", "surrogatepass")
    refers = (("WARC-Refers-To", read_from.id),)
    at = capture.page.ended_at
    target.write_record(_Record("conversion", TEXT + page_url, at, "text/plain; charset=utf-8", text, text, refers))
    for part, response_id in zip(capture.parts, answered, strict=True):
        for prefix, rendering in ((FULL_PAGE, part.drawing.screenshot), (PDF, part.drawing.pdf)):
            if rendering is not None:
                target.write_record(_rendering_record(prefix + public_url(part.page.url), rendering, response_id))
    return target.out.getvalue(), target.written


def warc_date(moment: datetime) -> str:
    """Return a time in the format of WARC 1.1, with microseconds.

    >>> warc_date(datetime(2026, 11, 21, 8, 0, tzinfo=UTC))
    '2026-11-21T08:00:00.000000Z'
    """
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def withheld_names(exchange: WireExchange) -> list[str]:
    """Return the names of the headers of an exchange whose values are withheld."""
    requested = withheld(exchange.request.headers, REQUEST_HEADERS)[1]
    return [*requested, *withheld(exchange.response.headers, RESPONSE_HEADERS)[1]]


def _add_part(target: _Archive, part: Part) -> tuple[list[WrittenRecord], WrittenRecord]:
    """Write the records of a page; return its responses, redirects first, and the record with its text."""
    responses = [_add_exchange(target, exchange) for exchange in part.capture.exchanges]
    if part.dom is None:
        return responses, responses[-1]
    url, refers = DOM + public_url(part.page.url), (("WARC-Refers-To", responses[-1].id),)
    record = _Record("conversion", url, part.page.ended_at, "text/html", part.dom, part.dom, refers)
    return responses, target.write_record(record)


def _add_exchange(target: _Archive, exchange: WireExchange) -> WrittenRecord:
    """Write the request of an exchange, if it is known, and its response, and return the record of the response."""
    url, at = public_url(exchange.url), exchange.ended_at
    address = (("WARC-IP-Address", exchange.server_address),) if exchange.server_address else ()
    related: tuple[tuple[str, str], ...] = ()
    if exchange.request_head:
        answer_id = target.next_id(ahead=1)
        request = _request_block(exchange, url)
        target.write_record(
            _Record("request", url, at, _REQUEST, request, b"", (*address, ("WARC-Concurrent-To", answer_id)))
        )
        related = (("WARC-Concurrent-To", target.written[-1].id),)
    truncated = (("WARC-Truncated", "length"),) if exchange.is_truncated else ()
    block = _response_head(exchange) + exchange.body
    extra = (*address, *related, *truncated)
    mime = _media_type(exchange.response.headers)
    return target.write_record(
        _Record("response", url, at, _RESPONSE, block, exchange.body, extra, mime, exchange.status)
    )


def _request_block(exchange: WireExchange, url: str) -> bytes:
    request = exchange.request
    headers, _ = withheld(request.headers, REQUEST_HEADERS)
    method, _, rest = request.line.partition(" ")
    line = f"{method} {public_url(rest.rpartition(' ')[0]) or url} HTTP/{_http_version(rest)}"
    return http_head(line, headers)


def _http_version(rest: str) -> str:
    return rest.rpartition("HTTP/")[2].strip() if "HTTP/" in rest else "1.1"


def _response_head(exchange: WireExchange) -> bytes:
    response = exchange.response
    headers, _ = withheld(response.headers, RESPONSE_HEADERS)
    if exchange.is_decoded:
        renamed = tuple((_KEPT_AS + name if name.lower() in _OF_THE_WIRE else name, value) for name, value in headers)
        headers = (*renamed, ("Content-Length", str(len(exchange.body))))
    reason = " ".join(response.line.split(" ", 2)[2:])
    return http_head(f"HTTP/1.1 {exchange.status} {reason}".rstrip(), headers)


def http_head(line: str, headers: Headers) -> bytes:
    """Return the head of a request or response as bytes, each header on one line."""
    lines = [line, *(f"{name}: {value}" for name, value in headers)]
    return b"".join(_one_line(each) + b"\r\n" for each in lines) + b"\r\n"


def _one_line(text: str) -> bytes:
    """Return a header as bytes on one line, because a line feed in a value would start a forged header."""
    flat = text.replace("\r", " ").replace("\n", " ").replace("\x00", "")
    try:
        return flat.encode("latin-1")
    except UnicodeEncodeError:
        return flat.encode("utf-8", "replace")


def _warcinfo_record(software: str, made_at: datetime) -> _Record:
    conforms = "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"
    block = _header_fields([("software", software), ("format", "WARC File Format 1.1"), ("conformsTo", conforms)])
    return _Record("warcinfo", "", made_at, _FIELDS, block, block, (("WARC-Filename", "data.warc.gz"),))


def _dns_record(answer: NameAnswer) -> _Record:
    """Return a DNS response as zone lines (RFC 4027), as Heritrix stores it."""
    lines = [answer.asked_at.astimezone(UTC).strftime("%Y%m%d%H%M%S")]
    lines += [f"{answer.name}. IN {'AAAA' if ':' in each else 'A'} {each}" for each in answer.addresses]
    block = b"".join(_one_line(line) + b"\n" for line in lines)
    return _Record("resource", public_url(f"dns:{answer.name}"), answer.asked_at, "text/dns", block, block)


def _metadata_record(capture: CapturedPage, responses: Sequence[WrittenRecord]) -> _Record:
    first, *following = capture.parts
    page = first.page
    pairs = [("title", capture.title), ("charsetForLinkExtraction", capture.encoding), ("extractor", capture.extractor)]
    pairs += [("via", each.url) for each in responses[:-1]]
    pairs += [("source", f"{first.capture.source} {first.capture.made_with}".strip())]
    pairs += [("following", part.page.url) for part in following]
    for exchange in first.capture.exchanges:
        pairs += [("withheld", name) for name in withheld_names(exchange)]
    if page.tls is not None:
        pairs += [("tls", f"{page.tls.protocol} {page.tls.cipher}")]
    pairs += [("absent", f"{name}: {why}") for name, why in sorted(capture.absent.items())]
    undrawn = [(part.number, part.drawing) for part in capture.parts if part.drawing.undrawn]
    pairs += [("undrawn", f"page {number}: {drawing.undrawn} {drawing.limit or ''}") for number, drawing in undrawn]
    block = _header_fields(pairs)
    concurrent = (("WARC-Concurrent-To", responses[-1].id),)
    return _Record("metadata", public_url(page.url), page.ended_at, _FIELDS, block, block, concurrent)


def _resource_record(resource: CapturedResource) -> _Record:
    """Return the record of a resource for which only the content was recorded, not the exchange."""
    url, content = public_url(resource.url), resource.body
    return _Record("resource", url, resource.fetched_at, resource.content_type, content, content)


def _rendering_record(url: str, rendering: Rendering, response_id: str) -> _Record:
    content = rendering.content
    related = (("WARC-Concurrent-To", response_id),)
    return _Record("resource", url, rendering.rendered_at, rendering.content_type, content, content, related)


def _header_fields(pairs: Sequence[tuple[str, str]]) -> bytes:
    lines = (f"{name}: {' '.join(value.split())}\r\n" for name, value in pairs if value)
    return "".join(lines).encode("utf-8", "replace")


def _media_type(headers: Headers) -> str:
    value = next((value for name, value in headers if name.lower() == "content-type"), "")
    return value.partition(";")[0].strip().lower()


def _label_digest(content: bytes) -> str:
    return f"sha256:{digest(content)}"
