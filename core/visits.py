"""The visits of crawls to a URL: when it is due again, how often its page changed, and why visits failed."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.ids import ID_HEX_CHARS, CanonicalUrl, Digest, FinalUrl, PageId, RequestedUrl, SiteId, VersionId, digest
from core.wording import Message

_NO_PAGE, _NO_VERSION = PageId(""), VersionId("")


class AddressKind(StrEnum):
    """The kind of page at a URL, by the last visit."""

    UNKNOWN = "unknown"  # found but never fetched
    LIST = "list"  # a front page, a catalogue, a list of chapters: it links to new pages
    DETAIL = "detail"  # a text


class AbsenceReason(StrEnum):
    """The form in which a site reports a missing page, or the reason why a response has no text."""

    NOT_FOUND = "not_found"  # HTTP status 404
    GONE = "gone"  # HTTP status 410
    NOT_FOUND_PAGE = "not_found_page"  # another status, with the page that the site shows for unknown URLs
    UNREADABLE = "unreadable"  # reading it exceeds the limits of a page; the page may exist
    LOOKED_AT = "looked_at"  # a page fetched on request, stored as received; it may exist


@dataclass(frozen=True, slots=True)
class Visit:
    """A URL on a site, and its history of visits up to the last run.

    looks: the number of visits after the first; unchanged_looks: those of them that found the page unchanged. Both are
    halved at times, so that the recent past counts more. observed_s: the seconds between these visits.
    """

    id: str
    url: str
    depth: int
    found_at: datetime
    due_at: datetime
    kind: AddressKind = AddressKind.UNKNOWN
    rules: str = ""  # digest of the plan's rules by which the page was read
    seen_at: datetime | None = None  # the last success
    page_id: PageId = _NO_PAGE  # "" if no text was stored
    page_url: str = ""  # the canonical URL of that page, or of the last page with a text at this URL
    version_id: VersionId = _NO_VERSION
    text_digest: str = ""
    etag: str = ""
    last_modified: str = ""
    unmodified: int = 0  # responses 304 since the page was last fetched in full
    has_unreliable_validator: bool = False  # it sent 304 or the earlier validators although it had changed
    looks: float = 0.0
    unchanged_looks: float = 0.0
    observed_s: float = 0.0
    failures: int = 0  # consecutive failures
    failed_at: datetime | None = None
    reason: str = ""  # core.states.Rejection of the last failure or refusal
    sentence: Message | None = None
    absent_since: datetime | None = None  # the first of the consecutive responses that report the page as missing
    gone_since: datetime | None = None  # the same time, once the absence is confirmed
    is_moved: bool = False  # the page was found on a host that the site has since left


@dataclass(frozen=True, slots=True)
class MovedTo:
    """A redirect to another site that a crawl encountered."""

    from_url: RequestedUrl
    to_url: FinalUrl
    status: int
    is_start: bool  # a start page redirected
    at: datetime


@dataclass(frozen=True, slots=True)
class Absence:
    """A response without a text, as proof that a page is missing. The page store has its body under `raw_digest`.

    For a page fetched on request (`LOOKED_AT`), it is the response as received, with or without a text. capture_digest:
    the digest of the capture, or None.
    """

    id: str
    page_id: PageId
    site_id: SiteId
    canonical_url: CanonicalUrl
    requested_url: RequestedUrl
    final_url: FinalUrl
    reason: AbsenceReason
    status: int
    headers: tuple[tuple[str, str], ...]
    fetched_at: datetime
    raw_digest: Digest
    capture_digest: Digest | None = None


@dataclass(frozen=True, slots=True)
class PageState:
    """A state of a page and its start.

    Exactly one of the ids is set: the page's version, or the absence if it is gone.
    """

    at: datetime
    version_id: VersionId = _NO_VERSION
    absence_id: str = ""


def address_id(site: SiteId, canonical_url: str) -> str:
    """Return the id of a URL on a site."""
    return digest("\0".join(("address", site, canonical_url)).encode("utf-8", "surrogatepass"))[:ID_HEX_CHARS]


def absence_id(page: PageId, fetched_at: datetime, raw_digest: Digest) -> str:
    """Return the id of an absence, so that the same response is stored only once."""
    return digest("\0".join(("absence", page, fetched_at.isoformat(), raw_digest)).encode())[:ID_HEX_CHARS]
