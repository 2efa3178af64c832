"""What a bundle is made of, gathered: how the page was fetched and what it took, proved by the digests of the case.

What the connection knew was taken down while the page was fetched (core.captures); where it was not, as for pages that
came from an archive or a browser, that is said in the bundle, never made up.
"""

import ssl
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any
from urllib.parse import urlsplit

from core.captures import Capture as WireCapture
from core.captures import NameAnswer, TlsSession, WireExchange
from core.errors import BrokenInvariant, NotFound
from core.ids import Digest, VersionId, WorkTextId, digest
from core.pages import PageVersion
from core.ports import PageStore, WorkStore
from evidence.records import Capture, DnsAnswer, Exchange, Finding, Passage, Rendering, TlsConnection
from fingerprint.algorithms import ALGORITHMS
from matcher.calibration import DEFAULT as CALIBRATION
from webadmin.frozen import frozen_disguises
from webadmin.models import CaseMatch
from webadmin.version import code_version

NOT_TAKEN_DOWN = "the connection was not taken down: the page came from elsewhere than the product's own connection"


def capture_of(
    version: PageVersion,
    pages: PageStore,
    screenshot: Rendering | None = None,
    pdf: Rendering | None = None,
    absent: Mapping[str, str] | None = None,
) -> Capture:
    """How a version was fetched and read. Raises NotFound where its response is gone, BrokenInvariant if changed."""
    body = pages.raw(version.raw_digest)
    if body is None:
        raise NotFound("raw response", version.raw_digest)
    wire = pages.capture(version.capture_digest) if version.capture_digest else None
    exchanges = _exchanges(wire, version, body) if wire else (_unseen(version, body),)
    said = {
        **({} if wire else {"connection": _origin(version)}),
        **_parts(version),
        **(absent or {}),
    }
    return Capture(
        exchanges=exchanges,
        title=version.reading.title,
        text=version.reading.text,
        extractor=version.reading.extractor,
        encoding=version.reading.encoding,
        disguises=tuple(frozen_disguises(version.reading.disguises)),
        screenshot=screenshot,
        pdf=pdf,
        absent=said,
    )


def finding_of(match: CaseMatch, page_text: str, works: WorkStore) -> Finding:
    """What a match found. Raises NotFound or BrokenInvariant for a text that is gone or is not the one compared."""
    if _text_digest(page_text) != match.page_text_digest:
        raise BrokenInvariant(f"the stored text of version {match.version_id} is not the one that was compared")
    work_text = works.text(WorkTextId(match.text_id))
    if work_text is None:
        raise NotFound("text of the corpus", match.text_id)
    if _text_digest(work_text) != match.work_text_digest:
        raise BrokenInvariant(f"the stored text {match.text_id} is not the one that was compared")
    work = match.case.work
    return Finding(
        work_title=work.title,
        work_author=work.author,
        work_text_id=match.text_id,
        work_digest=Digest(match.work_text_digest),
        work_chars=len(work_text),
        match_class=match.match_class,
        similarity=match.similarity,
        page_containment=match.page_containment,
        work_containment=match.work_containment,
        matched_chars=match.matched_chars,
        longest_run_chars=match.longest_run_chars,
        passages=tuple(_passage(span, page_text, work_text) for span in match.spans),
        algorithm_id=match.algorithm_id,
        algorithm=_algorithm(match.algorithm_id),
        parameters={**asdict(CALIBRATION), "read_from_code_version": code_version()},
        code_version=match.code_version,
        disguises=tuple(match.disguises),
        chapter_title=match.chapter_title,
    )


def version_of(match: CaseMatch, pages: PageStore) -> PageVersion:
    """The page version of a match. Raises NotFound."""
    version = pages.version(VersionId(match.version_id))
    if version is None:
        raise NotFound("page version", match.version_id)
    return version


def _exchanges(wire: WireCapture, version: PageVersion, body: bytes) -> tuple[Exchange, ...]:
    *hops, own = wire.exchanges
    kept = [_exchange(hop, hop.body, is_truncated=len(hop.body) < hop.body_bytes) for hop in hops]
    last = _exchange(own, body, is_truncated=False)
    return (*kept, _at(last, version))


def _exchange(seen: WireExchange, body: bytes, *, is_truncated: bool) -> Exchange:
    request, response = _head(seen.request_head), _head(seen.response_head)
    return Exchange(
        url=seen.url,
        request_line=request[0] or _request_line(seen.url),
        request_headers=request[1],
        status=seen.status,
        reason=(response[0].split(" ", 2)[2:] or [""])[0],
        response_headers=response[1],
        body=body,
        fetched_at=seen.ended_at,
        server_address=seen.server_address,
        server_port=seen.server_port or None,
        is_through_proxy=seen.is_through_proxy,
        wire_digest=seen.body_digest,
        wire_bytes=seen.body_bytes,
        is_decoded=all(name.lower() != "content-encoding" for name, _ in response[1]),
        is_truncated=is_truncated,
        dns=_dns(seen.name_answer),
        tls=_tls(seen.tls),
    )


def _at(exchange: Exchange, version: PageVersion) -> Exchange:
    """The page's own response, at the moment that the page store knows; its content coding is undone."""
    return replace(exchange, fetched_at=version.fetched_at, is_decoded=True)


def _unseen(version: PageVersion, body: bytes) -> Exchange:
    return Exchange(
        url=version.final_url,
        request_line=_request_line(version.final_url),
        request_headers=(),
        status=version.status,
        reason="",
        response_headers=version.headers,
        body=body,
        fetched_at=version.fetched_at,
    )


def _head(head: bytes) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The first line and the headers, in their order. A folded line (RFC 9112, 5.2) continues the one before."""
    lines = head.decode("latin-1").replace("\r\n", "\n").split("\n")
    headers: list[tuple[str, str]] = []
    for line in lines[1:]:
        if line[:1] in (" ", "\t") and headers:
            headers[-1] = (headers[-1][0], f"{headers[-1][1]} {line.strip()}")
        elif ":" in line:
            name, _, value = line.partition(":")
            headers.append((name.strip(), value.strip()))
    return lines[0], tuple(headers)


def _request_line(url: str) -> str:
    parts = urlsplit(url)
    return f"GET {parts.path or '/'}{'?' + parts.query if parts.query else ''} HTTP/1.1"


def _dns(answer: NameAnswer | None) -> DnsAnswer | None:
    return None if answer is None else DnsAnswer(answer.name, answer.addresses, answer.asked_at, resolver="system")


def _tls(session: TlsSession | None) -> TlsConnection | None:
    if session is None:
        return None
    chain = tuple(ssl.DER_cert_to_PEM_cert(der) for der in session.certificates)
    return TlsConnection(session.protocol, f"{session.cipher} ({session.cipher_bits} bit)", chain)


def _origin(version: PageVersion) -> str:
    return f"{NOT_TAKEN_DOWN} ({version.origin})" if version.origin else NOT_TAKEN_DOWN


def _parts(version: PageVersion) -> dict[str, str]:
    """The pages on which the text goes on; their responses stand in the page store, their digests here."""
    if not version.parts:
        return {}
    told = "; ".join(f"{part.url} (SHA-256 {part.raw_digest})" for part in version.parts)
    return {"following_pages": f"the text goes on on {len(version.parts)} further pages, named here: {told}"}


def _passage(span: Mapping[str, Any], page_text: str, work_text: str) -> Passage:
    page, work = tuple(span["page"]), tuple(span["work"])
    return Passage(
        page=(page[0], page[1]),
        work=(work[0], work[1]),
        similarity=span["similarity"],
        page_excerpt=page_text[slice(*page)],
        work_excerpt=work_text[slice(*work)],
        changes=tuple((str(c[0]), c[1], c[2], c[3], c[4]) for c in span.get("changes", ())),
    )


def _algorithm(number: int) -> dict[str, Any]:
    """What an id stands for, as JSON has it."""
    known = ALGORITHMS.get(number)
    if known is None:
        return {}
    return {**asdict(known), "seeds": known.seeds.name}


def _text_digest(text: str) -> str:
    return digest(text.encode("utf-8", "surrogatepass"))
