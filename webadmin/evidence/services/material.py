"""Gathers the content of a bundle: the capture and the copied passages, checked against the digests in the case.

Facts about the connection were recorded during the fetch (core.captures), reported by a browser, or taken from the
records of an archive. The bundle states the source. Unknown facts are left out.
"""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from bundles.records import NO_DRAWING, CapturedPage, Drawing, Finding, Part, Passage, SeenAddress
from bundles.secrets_withheld import public_url
from bundles.shapes import text_digest
from bundles.warc import DOM, http_head
from core.captures import Capture, CapturedResource, CaptureSource, WireExchange
from core.errors import BrokenInvariant, NotFound
from core.ids import Digest, VersionId, WorkTextId
from core.pages import DATED_BY_SERVER, PageVersion, Reading, StoredPart
from core.ports import PageStore, WorkStore
from core.program import code_version
from core.shares import cut_share
from core.visits import Absence
from core.wording import Message
from matcher.calibration import DEFAULT as CALIBRATION
from webadmin.cases.models import CaseMatch
from webadmin.cases.services.addresses import list_addresses
from webadmin.cases.services.findings import frozen_obfuscations

# The limit for all following pages of a chapter. A page has about 60 kB, but a site may send 60 pages of 16 MB.
MAX_FOLLOWING_BYTES = 64 * 2**20


def page_capture(
    version: PageVersion,
    pages: PageStore,
    drawings: Mapping[int, Drawing] | None = None,
    absent: Mapping[str, Message] | None = None,
    text: str | None = None,
) -> CapturedPage:
    """Return the capture of a page version. Raises NotFound if its response is gone, BrokenInvariant if changed.

    drawings: the renderings by page number, from 1. absent: further missing parts, with reasons. text: the compared
    page text, or None for the main text.
    """
    first, wire = _first_part(version, pages)
    following, not_there = _following_parts(version, pages, drawings or {})
    said = {**_describe_fetch(first, wire, version.origin), **not_there, **(absent or {})}
    return CapturedPage(
        parts=(replace(first, drawing=(drawings or {}).get(1, NO_DRAWING)), *following),
        title=version.reading.title,
        text=version.reading.text if text is None else text,
        raw_text=_raw_text(version.reading, text),
        marks=version.reading.marks,
        extractor=version.reading.extractor,
        encoding=version.reading.encoding,
        obfuscations=tuple(frozen_obfuscations(version.reading.obfuscations)),
        absent=said,
        resources=fetched_resources(version, pages),
    )


def answer_capture(answer: Absence, pages: PageStore, title: str = "", text: str = "") -> CapturedPage:
    """Return the capture of a response that was stored without a page version.

    title, text: of the page, if the response is a page. Raises NotFound if the response is gone, BrokenInvariant if
    changed.
    """
    part, wire = _first_part(answer, pages)
    return CapturedPage((part,), title, text, absent=_describe_fetch(part, wire, ""))


def _raw_text(reading: Reading, text: str | None) -> str:
    """Return the text before obfuscations were undone, or "" if there were none.

    text: the compared text, or None for the main text.
    """
    if not reading.marks:
        return ""
    return reading.raw_text if text in (None, reading.text) else reading.raw_whole_text


def fetched_resources(version: PageVersion, pages: PageStore) -> tuple[CapturedResource, ...]:
    """Return the resources fetched to read the parts of a page, one for each URL."""
    found: dict[str, CapturedResource] = {}
    for name in (version.capture_digest, *(part.capture_digest for part in version.parts)):
        wire = _stored_capture(name, pages)
        for each in wire.resources if wire else ():
            found.setdefault(each.url, each)
    return tuple(found.values())


def match_finding(match: CaseMatch, page_text: str, works: WorkStore) -> Finding:
    """Return the finding of a match.

    Raises NotFound if the work's text is gone, BrokenInvariant if a text was changed.
    """
    if text_digest(page_text) != match.page_text_digest:
        raise BrokenInvariant("bundle.other-page-text", version=match.version_id)
    work_text = _work_text(match, works)
    return replace(
        _finding_without_passages(match, work_text, match.algorithm_id, match.code_version),
        match_class=match.match_class,
        similarity=cut_share(match.similarity),
        page_containment=cut_share(match.page_containment),
        work_containment=cut_share(match.work_containment),
        matched_chars=match.matched_chars,
        longest_equal_run_chars=match.longest_equal_run_chars,
        passages=tuple(_bundle_passage(span, page_text, work_text) for span in match.spans),
        obfuscations=tuple(match.obfuscations),
        addresses=_seen_addresses(match),
    )


def _seen_addresses(match: CaseMatch) -> tuple[SeenAddress, ...]:
    """Return all URLs of the match's case, or () if there is only one."""
    listed = list_addresses(match.case)
    several = [SeenAddress(each.url, each.first_seen_at, each.last_seen_at) for each in listed]
    return tuple(several) if len(several) > 1 else ()


def removal_finding(match: CaseMatch, works: WorkStore) -> Finding:
    """Return the finding that a page no longer contains a passage of the matched text, compared by this version.

    Raises NotFound if the text is gone, BrokenInvariant if changed.
    """
    from fingerprint.algorithms import DEFAULT  # here, because it loads numba, and the admin makes no evidence

    return _finding_without_passages(match, _work_text(match, works), DEFAULT.id, code_version())


def _work_text(match: CaseMatch, works: WorkStore) -> str:
    work_text = works.text(WorkTextId(match.text_id))
    if work_text is None:
        raise NotFound("text", match.text_id)
    if text_digest(work_text) != match.work_text_digest:
        raise BrokenInvariant("bundle.other-work-text", text=match.text_id)
    return work_text


def _finding_without_passages(match: CaseMatch, work_text: str, algorithm: int, program: str) -> Finding:
    """Return a finding without passages about the text of a match. program: the version that compared the texts."""
    work = match.case.work
    return Finding(
        work_title=work.title,
        work_author=work.author,
        work_text_id=match.text_id,
        work_digest=Digest(match.work_text_digest),
        work_chars=len(work_text),
        match_class="",
        similarity=0.0,
        page_containment=0.0,
        work_containment=0.0,
        matched_chars=0,
        longest_equal_run_chars=0,
        passages=(),
        algorithm_id=algorithm,
        algorithm=_algorithm_json(algorithm),
        parameters={**asdict(CALIBRATION), "read_from_code_version": code_version()},
        code_version=program,
        chapter_title=match.chapter_title,
    )


def matched_version(match: CaseMatch, pages: PageStore) -> PageVersion:
    """Return the page version of a match. Raises NotFound if the version is gone."""
    version = pages.version(VersionId(match.version_id))
    if version is None:
        raise NotFound("page-version", match.version_id)
    return version


def _stored_capture(name: Digest | None, pages: PageStore) -> Capture | None:
    return pages.capture(name) if name else None


def _first_part(answer: PageVersion | Absence, pages: PageStore) -> tuple[Part, Capture | None]:
    """Return the response of a version or an absence, and its stored capture. Raises NotFound if the body is gone."""
    body = pages.raw(answer.raw_digest)
    if body is None:
        raise NotFound("raw-response", answer.raw_digest)
    wire = _stored_capture(answer.capture_digest, pages)
    own = StoredPart(answer.final_url, answer.status, answer.headers, answer.raw_digest, answer.fetched_at)
    return _page_part(own, body, wire), wire


def _page_part(page: StoredPart, body: bytes, wire: Capture | None) -> Part:
    """Return one page of a capture. body: the bytes that its text was read from. wire: the stored capture, or None."""
    at = page.fetched_at
    if wire is None:  # the request is unknown
        wire = Capture((WireExchange(page.url, page.status, at, at, at),), CaptureSource.UNKNOWN)
    *hops, own = wire.exchanges
    is_browser = wire.source is CaptureSource.BROWSER
    # The page's own response, with the time of the page store and without content coding.
    last = replace(
        own,
        ended_at=at,
        response_head=_response_head(own, page),
        body=own.body if is_browser else body,
        is_decoded=True,
        is_truncated=own.is_truncated or (is_browser and not own.body),
    )
    capture = replace(wire, exchanges=(*map(_redirect, hops), last))
    return Part(capture, body if is_browser else None)


def _following_parts(
    version: PageVersion, pages: PageStore, drawings: Mapping[int, Drawing]
) -> tuple[tuple[Part, ...], dict[str, Message]]:
    """Return the following pages of the text, and a message for each page that is unavailable or too large."""
    found, said, left = list[Part](), dict[str, Message](), MAX_FOLLOWING_BYTES
    for number, page in enumerate(version.parts, 2):
        body = pages.raw(page.raw_digest)
        if body is None or len(body) > left:
            code = "bundle.page-gone" if body is None else "bundle.page-too-large"
            said[f"page {number}"] = Message(code, url=page.url, digest=page.raw_digest)
            continue
        left -= len(body)
        wire = _stored_capture(page.capture_digest, pages)
        part = _page_part(page, body, wire)
        found.append(replace(part, drawing=drawings.get(number, NO_DRAWING), number=number))
        said |= {f"page {number}, {name}": why for name, why in _describe_fetch(part, wire, version.origin).items()}
    return tuple(found), said


def _describe_fetch(part: Part, wire: Capture | None, origin: str) -> dict[str, Message]:
    """Return the missing parts of a fetch that did not use the product's own connection, with the reasons.

    origin: the origin of an imported page, or "".
    """
    if wire is None:
        came_from = Message("bundle.came-from", origin=origin) if origin else Message("bundle.came-from-elsewhere")
        return {"connection": came_from}
    if wire.source is CaptureSource.BROWSER:
        record = DOM + public_url(part.page.url)
        body = {} if part.page.body else {"response body": Message("bundle.no-response-body")}
        return {"connection": Message("bundle.told-by-browser", record=record), **body}
    if wire.source is CaptureSource.ARCHIVE:
        original = {} if wire.records else {"original record": Message("bundle.no-original", origin=origin)}
        moment = {"moment": Message("bundle.dated-by-server")} if origin.endswith(DATED_BY_SERVER) else {}
        return {"connection": Message("bundle.from-archive", origin=origin), **original, **moment}
    return {}


def _redirect(hop: WireExchange) -> WireExchange:
    """Return a redirect with flags that say whether its body is truncated and whether it has a content coding."""
    is_coded = any(name.lower() == "content-encoding" for name, _ in hop.response.headers)
    is_truncated = hop.is_truncated or len(hop.body) < hop.body_bytes
    return replace(hop, is_decoded=not is_coded, is_truncated=is_truncated)


def _response_head(own: WireExchange, page: StoredPart) -> bytes:
    """Return the head of a page's response, built from the headers in the page store if the capture has none.

    Records of plain text have no HTTP headers, and pages without a capture have no head.
    """
    if own.response.headers:
        return own.response_head
    return http_head(own.response.line, page.headers)


def _bundle_passage(span: Mapping[str, Any], page_text: str, work_text: str) -> Passage:
    page, work = tuple(span["page"]), tuple(span["work"])
    return Passage(
        page=(page[0], page[1]),
        work=(work[0], work[1]),
        similarity=span["similarity"],
        page_excerpt=page_text[slice(*page)],
        work_excerpt=work_text[slice(*work)],
        changes=tuple((str(c[0]), c[1], c[2], c[3], c[4]) for c in span.get("changes", ())),
        raw=(span["raw"][0], span["raw"][1]) if "raw" in span else None,
        raw_changes=tuple((start, end) for start, end in span.get("raw_changes", ())),
    )


def _algorithm_json(number: int) -> dict[str, Any]:
    """Return the parameters of the algorithm with this id as JSON values, or {} if it is unknown."""
    from fingerprint.algorithms import ALGORITHMS  # here, because it loads numba

    known = ALGORITHMS.get(number)
    if known is None:
        return {}
    return known.as_dict()
