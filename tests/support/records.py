"""Records of core with sensible contents, for tests that care about one field."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from core.ids import (
    CanonicalUrl,
    Digest,
    FinalUrl,
    PageId,
    RequestedUrl,
    SiteId,
    WorkTextId,
    digest,
    page_id,
    version_id,
)
from core.matches import Change, ChangeKind, Match, MatchClass, Span
from core.obfuscations import Obfuscation, ObfuscationFound
from core.pages import Fetched, Page, PageVersion, Reading
from core.ports import ComparisonOutcome
from core.states import Rejection
from core.taken import Places
from core.text import TextRange

MOMENT = datetime(2026, 3, 1, 4, 0, tzinfo=UTC)


def page_version(
    site: str = "1",
    url: str = "http://pirate.example/1.html",
    text: str = "抄来的文字",
    at: datetime = MOMENT,
    **reading: Any,
) -> PageVersion:
    title = reading.pop("title", "某页")
    page: PageId = page_id(SiteId(site), CanonicalUrl(url))
    return PageVersion(
        id=version_id(page, text, title),
        page_id=page,
        site_id=SiteId(site),
        canonical_url=CanonicalUrl(url),
        requested_url=RequestedUrl(url),
        final_url=FinalUrl(url),
        status=200,
        headers=(("Content-Type", "text/html"),),
        fetched_at=at,
        raw_digest=digest(text.encode("utf-8", "surrogatepass")),
        text_digest=Digest(digest(text.encode("utf-8", "surrogatepass"))),
        reading=Reading(title=title, text=text, **reading),
    )


def response(site: object, url: str, body: bytes, at: datetime = MOMENT, **fields: Any) -> Fetched:
    """Return what a site answered at this address, which is the page's own."""
    return Fetched(
        site_id=SiteId(str(site)),
        requested_url=RequestedUrl(url),
        final_url=FinalUrl(url),
        body=body,
        fetched_at=at,
        **{"canonical_url": CanonicalUrl(url), "status": 200, "headers": (), **fields},
    )


def match(
    text_id: str,
    match_class: MatchClass = MatchClass.LIGHTLY_EDITED,
    chars: int = 4,
    taken: Iterable[int] | None = None,
) -> Match:
    """taken: the places in the text; the first `chars` of them where none are said."""
    span = Span(
        TextRange(0, chars),
        TextRange(0, chars),
        0.75,
        (Change(ChangeKind.HOMOPHONE, TextRange(1, 2), TextRange(1, 2)),),
    )
    return Match(
        text_id=WorkTextId(text_id),
        match_class=match_class,
        similarity=0.75,
        page_containment=0.8,
        work_containment=0.5,
        matched_chars=chars,
        taken=Places.from_starts(range(chars) if taken is None else taken),
        longest_equal_run_chars=3,
        spans=(span,),
        obfuscations=(ObfuscationFound(Obfuscation.HOMOPHONE, 1, "字→自"),),
        algorithm_id=1,
    )


def outcome(
    version: PageVersion,
    *matches: Match,
    at: datetime = MOMENT,
    rejection: Rejection | None = None,
    algorithm_id: int = 1,
    is_current: bool = True,
    seen_at: datetime | None = None,
    first_seen: datetime | None = None,
) -> ComparisonOutcome:
    return ComparisonOutcome(
        version=version,
        is_current=is_current,
        first_seen=first_seen or version.fetched_at,
        seen_at=seen_at or version.fetched_at,
        rejection=rejection,
        matches=tuple(matches),
        algorithm_id=algorithm_id,
        corpus_revision=7,
        checked_at=at,
    )


def page_of(version: PageVersion, last_seen: datetime | None = None) -> Page:
    """The page as the store has it while it shows `version`."""
    return Page(
        id=version.page_id,
        site_id=version.site_id,
        canonical_url=version.canonical_url,
        first_seen=version.fetched_at,
        last_seen=last_seen or version.fetched_at,
        current_version=version.id,
    )
