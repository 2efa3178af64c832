"""Converts the states of a page (a version, or gone) and its absences to documents and back.

A page's states are in its own document, so that a state and what it refers to are written atomically.
"""

from collections.abc import Iterable
from datetime import UTC, datetime

from core.ids import CanonicalUrl, Digest, FinalUrl, PageId, RequestedUrl, SiteId, VersionId, digest, page_id
from core.pages import Fetched, PageVersion, Sighted, VersionOfPage
from core.visits import Absence, AbsenceReason, PageState, absence_id
from pagestore.documents import (
    Document,
    capture_digest,
    check_schema,
    header_documents,
    microseconds,
    moment,
    pack_document,
    read_headers,
    unpack_text,
)

SCHEMA = 1  # of absence documents; increase it if the meaning changes


def state(at: int, kind: str, key: str) -> Document:
    """Return an entry of a page's states. at: in microseconds since 1970.

    All entries are created here, because `$addToSet` compares documents including the order of their fields.
    """
    return {"at": at, "kind": kind, "key": key}


def version_state(at: datetime, version: VersionId) -> Document:
    """Return the entry of a page's states for a version that the page had at this time."""
    return state(microseconds(at), "version", version)


def absence_state(absence: Absence) -> Document:
    """Return the entry of a page's states for an absence."""
    return state(microseconds(absence.fetched_at), "absence", absence.id)


def read_states(entries: Iterable[Document]) -> list[PageState]:
    """Return the states of a page, oldest first, without entries that repeat the previous state."""
    states: list[PageState] = []
    for entry in sorted(entries, key=lambda entry: (entry["at"], entry["kind"], entry["key"])):
        at, key, is_version = moment(entry["at"]), entry["key"], entry["kind"] == "version"
        page_state = PageState(at, VersionId(key) if is_version else VersionId(""), "" if is_version else key)
        # Two responses that show that a page is gone are one state.
        if not states or states[-1].version_id != page_state.version_id:
            states.append(page_state)
    return states


def on_page(version: PageVersion, current: VersionId | None, entries: Iterable[Document]) -> VersionOfPage:
    """Return a version with its state on the page. current: the page's current version. entries: the page's states."""
    times = [entry["at"] for entry in entries if entry["kind"] == "version" and entry["key"] == version.id]
    times.append(microseconds(version.fetched_at))
    return VersionOfPage(version, current == version.id, Sighted(moment(min(times)), moment(max(times))))


def new_absence(fetched: Fetched, reason: AbsenceReason) -> Absence:
    """Return the absence that a response reports."""
    page, raw_digest = page_id(fetched.site_id, fetched.canonical_url), digest(fetched.body)
    return Absence(
        id=absence_id(page, fetched.fetched_at.astimezone(UTC), raw_digest),
        page_id=page,
        site_id=fetched.site_id,
        canonical_url=fetched.canonical_url,
        requested_url=fetched.requested_url,
        final_url=fetched.final_url,
        reason=reason,
        status=fetched.status,
        headers=fetched.headers,
        fetched_at=fetched.fetched_at,
        raw_digest=raw_digest,
        capture_digest=capture_digest(fetched.capture),
    )


def absence_document(absence: Absence) -> Document:
    """Return the document of an absence."""
    return pack_document(
        {
            "_id": absence.id,
            "schema": SCHEMA,
            "page": absence.page_id,
            "site": absence.site_id,
            "url": absence.canonical_url,
            "requested_url": absence.requested_url,
            "final_url": absence.final_url,
            "reason": absence.reason.value,
            "status": absence.status,
            "headers": header_documents(absence.headers),
            "fetched_at": absence.fetched_at,
            "raw": absence.raw_digest,
            **({"capture": absence.capture_digest} if absence.capture_digest else {}),
        }
    )


def read_absence(document: Document) -> Absence:
    """Return the absence in a document. Raises BrokenInvariant if the schema is unknown."""
    check_schema(document, SCHEMA)
    return Absence(
        id=document["_id"],
        page_id=PageId(document["page"]),
        site_id=SiteId(unpack_text(document["site"])),
        canonical_url=CanonicalUrl(unpack_text(document["url"])),
        requested_url=RequestedUrl(unpack_text(document["requested_url"])),
        final_url=FinalUrl(unpack_text(document["final_url"])),
        reason=AbsenceReason(document["reason"]),
        status=document["status"],
        headers=read_headers(document["headers"]),
        fetched_at=moment(document["fetched_at"]),
        raw_digest=Digest(document["raw"]),
        capture_digest=Digest(document["capture"]) if "capture" in document else None,
    )
