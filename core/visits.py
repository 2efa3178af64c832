"""What is known of an address from earlier crawls: when it is due again, how often it changed, why it failed."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.ids import ID_HEX_CHARS, CanonicalUrl, Digest, FinalUrl, PageId, RequestedUrl, SiteId, VersionId, digest
from core.wording import Message

_NO_PAGE, _NO_VERSION = PageId(""), VersionId("")


class AddressKind(StrEnum):
    """What an address leads to, told by what stood there when it was last read."""

    UNKNOWN = "unknown"  # found, and never fetched
    LIST = "list"  # a front page, a catalogue, a list of chapters: it leads to what is new
    DETAIL = "detail"  # a text


class AbsenceReason(StrEnum):
    """How a site says that a page is not there, or why there is no text in what it sent."""

    NOT_FOUND = "not_found"  # HTTP status 404
    GONE = "gone"  # HTTP status 410
    NOT_FOUND_PAGE = "not_found_page"  # another status with what the site shows for addresses that never were
    UNREADABLE = "unreadable"  # to read it costs more than a page may; nothing is said of the page
    LOOKED_AT = "looked_at"  # a page that was there, fetched for itself and kept as it came; nothing is said of it


@dataclass(frozen=True, slots=True)
class Visit:
    """One address of a site and its history of visits, as the last run left it.

    looks, unchanged_looks: visits since the first and those that found the page as it was; both are halved now and
    then, so that the recent past counts more. observed_s: the seconds between these visits.
    """

    id: str
    url: str
    depth: int
    found_at: datetime
    due_at: datetime
    kind: AddressKind = AddressKind.UNKNOWN
    rules: str = ""  # digest of the plan's rules that it was read under
    seen_at: datetime | None = None  # the last success
    page_id: PageId = _NO_PAGE  # "" where no text was kept
    page_url: str = ""  # the canonical URL of that page, or of the one that stood there before there was no text
    version_id: VersionId = _NO_VERSION
    text_digest: str = ""
    etag: str = ""
    last_modified: str = ""
    unmodified: int = 0  # answers 304 since the page was last fetched whole
    has_unreliable_validator: bool = False  # it answered 304, or sent the validators of before, and had changed
    looks: float = 0.0
    unchanged_looks: float = 0.0
    observed_s: float = 0.0
    failures: int = 0  # in a row
    failed_at: datetime | None = None
    reason: str = ""  # core.states.Rejection of the last failure or refusal
    sentence: Message | None = None
    absent_since: datetime | None = None  # the first of the answers in a row that say that the page is not there
    gone_since: datetime | None = None  # the same moment, once that is confirmed
    is_moved: bool = False  # the page was found on a host that the site has left since


@dataclass(frozen=True, slots=True)
class MovedTo:
    """A redirect off the site that a crawl met."""

    from_url: RequestedUrl
    to_url: FinalUrl
    status: int
    is_start: bool  # it stood in place of a start page
    at: datetime


@dataclass(frozen=True, slots=True)
class Absence:
    """A response without a text, as the proof that the page is not there; the body lies under `raw_digest`.

    Of a page that was fetched for itself (`LOOKED_AT`) what came, text or not. capture_digest: how it was fetched; None
    where nothing was taken down.
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
    """What a page became at a moment. Exactly one of the two ids is set: a version is shown, or the page is gone."""

    at: datetime
    version_id: VersionId = _NO_VERSION
    absence_id: str = ""


def address_id(site: SiteId, canonical_url: str) -> str:
    """Return the key of an address within a site."""
    return digest("\0".join(("address", site, canonical_url)).encode("utf-8", "surrogatepass"))[:ID_HEX_CHARS]


def absence_id(page: PageId, fetched_at: datetime, raw_digest: Digest) -> str:
    """Return the key of an absence: the same response stored twice is stored once."""
    return digest("\0".join(("absence", page, fetched_at.isoformat(), raw_digest)).encode())[:ID_HEX_CHARS]
