"""What a bundle is made of, as the caller gives it. Moments are aware datetimes, digests SHA-256 in hex."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from core.captures import ArchivedRecord, CapturedResource, CaptureSource, NameAnswer, TlsSession
from core.circumstances import BrowserProfile, Machine, NetworkRoute
from core.ids import Digest
from core.marks import Mark
from core.wording import Message


@dataclass(frozen=True, slots=True)
class Exchange:
    """One HTTP request and its response.

    `body` is as it came over the wire, or, where `is_decoded`, after Content-Encoding and Transfer-Encoding were
    undone.
    """

    url: str
    request_line: str  # "GET /a HTTP/1.1"
    request_headers: tuple[tuple[str, str], ...]
    status: int
    reason: str
    response_headers: tuple[tuple[str, str], ...]
    body: bytes
    fetched_at: datetime
    server_address: str = ""  # "" behind a proxy, where it would not be the site's
    server_port: int | None = None
    is_through_proxy: bool = False
    # Of the body as it came over the wire, where `body` is decoded.
    wire_digest: str = ""
    wire_bytes: int | None = None
    is_decoded: bool = True
    is_truncated: bool = False
    dns: NameAnswer | None = None
    tls: TlsSession | None = None
    way: NetworkRoute | None = None  # None: nobody took it down


@dataclass(frozen=True, slots=True)
class Rendering:
    """The page as a browser drew it: a PNG of its full length, or a PDF.

    served: addresses of the resources that it was given. missing: those that the page asked for and it was not given,
    as far as they are listed; `missing_count` counts all.
    """

    content: bytes
    content_type: str  # "image/png" or "application/pdf"
    rendered_at: datetime
    renderer: str  # "Chromium 142.0.7444.175"
    url: str  # where the browser ended
    served: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    missing_count: int = 0


class Undrawn(StrEnum):
    """Why one page of a text was not drawn while others were."""

    PAGES = "page_limit"  # of one text
    TIME = "time_limit"  # seconds for all pages that follow the first
    SIZE = "size_limit"  # MiB for all pages that follow the first
    FAILED = "browser_failed"  # it died, or the page took it too long


@dataclass(frozen=True, slots=True)
class Drawing:
    """How one of the pages on which a text stands looks. undrawn: why there is none; limit: how much was allowed."""

    screenshot: Rendering | None = None
    pdf: Rendering | None = None
    undrawn: Undrawn | None = None
    limit: int = 0


NO_DRAWING = Drawing()


@dataclass(frozen=True, slots=True)
class Part:
    """One page on which the text stands. `exchanges` in order: redirects first, the page last.

    dom: the document as the browser held it when the text was read, where the source is one; the text was then read in
    this, and the last exchange has what the browser received. made_with: that browser. originals: records of an archive
    that somebody else made, in which values of cookies and logins are starred out at their length. number: which page
    of the text it is, from 1; those that could not be had leave gaps. machine, profile: that captured it, and of its
    browser; None where nobody noted them.
    """

    exchanges: tuple[Exchange, ...]
    source: CaptureSource = CaptureSource.CONNECTION
    made_with: str = ""
    dom: bytes | None = None
    originals: tuple[ArchivedRecord, ...] = ()
    drawing: Drawing = NO_DRAWING
    number: int = 1
    machine: Machine | None = None
    profile: BrowserProfile | None = None

    @property
    def page(self) -> Exchange:
        return self.exchanges[-1]


@dataclass(frozen=True, slots=True)
class CapturedPage:
    """One fetched page. `parts`: the pages on which its text stands, in order."""

    parts: tuple[Part, ...]
    title: str
    text: str  # the main text as it was compared
    raw_text: str = ""  # the same as it came, with nothing undone; "" where it is no other
    marks: tuple[Mark, ...] = ()  # what lies between both
    extractor: str = ""
    encoding: str = ""
    obfuscations: tuple[Mapping[str, Any], ...] = ()  # undone while reading: {"kind", "count", "example"}
    # What is missing and why: {"screenshot": ...}; of the Nth page of the text {"page N, connection": ...}.
    absent: Mapping[str, Message] = field(default_factory=dict)
    resources: tuple[CapturedResource, ...] = ()

    @property
    def page(self) -> Exchange:
        """The response that the text, or its beginning, was read in."""
        return self.parts[0].page

    @property
    def exchanges(self) -> list[Exchange]:
        """The exchanges of all parts, in order."""
        return [exchange for part in self.parts for exchange in part.exchanges]


@dataclass(frozen=True, slots=True)
class Passage:
    """One copied passage with both sides; half-open offsets in code points of the page's text and of the work's."""

    page: tuple[int, int]
    work: tuple[int, int]
    similarity: float  # [0, 1]
    page_excerpt: str
    work_excerpt: str
    changes: tuple[tuple[str, int, int, int, int], ...] = ()  # kind, page start and end, work start and end
    raw: tuple[int, int] | None = None  # where it stands in the text as it came; None: nobody noted it
    raw_changes: tuple[tuple[int, int], ...] = ()  # the same of each change


@dataclass(frozen=True, slots=True)
class SeenAddress:
    """One of the addresses of a site that showed the same text, and when."""

    url: str
    first_seen_at: datetime
    last_seen_at: datetime


@dataclass(frozen=True, slots=True)
class Finding:
    """What the page took from one text of a work, and everything needed to compute it anew."""

    work_title: str
    work_author: str
    work_text_id: str
    work_digest: Digest  # of the work's whole text in UTF-8
    work_chars: int
    match_class: str
    similarity: float
    page_containment: float
    work_containment: float
    matched_chars: int
    longest_equal_run_chars: int
    passages: tuple[Passage, ...]
    algorithm_id: int
    algorithm: Mapping[str, Any]  # what the id stands for
    parameters: Mapping[str, Any]  # the calibration
    code_version: str
    obfuscations: tuple[Mapping[str, Any], ...] = ()  # seen by comparison
    chapter_title: str = ""
    addresses: tuple[SeenAddress, ...] = ()  # that showed the page's text when this was written, where several did


@dataclass(frozen=True, slots=True)
class Bundle:
    """A WACZ file. `digest` is the SHA-256 of its datapackage.json, which names the SHA-256 of each of its files."""

    digest: Digest
    content: bytes
    fetched_at: datetime

    @property
    def day(self) -> date:
        """The day, in UTC, whose tree holds the bundle."""
        return self.fetched_at.date()


@dataclass(frozen=True, slots=True)
class TimeStamp:
    """One authority's RFC 3161 answer, all DER but for the certificates."""

    query: bytes
    response: bytes
    # Roots (and intermediates) that the answer is checked against, and lists of revoked certificates of that moment.
    ca_pem: bytes
    authority: str  # the URL asked, without secrets


@dataclass(frozen=True, slots=True)
class DayProof:
    """The way from one bundle to the root of its day's tree, and the stamps on that root."""

    day: date
    tree_size: int
    leaf_index: int
    path: tuple[Digest, ...]
    root: Digest
    stamps: tuple[TimeStamp, ...] = ()


@dataclass(frozen=True, slots=True)
class ProvenBundle:
    """A bundle as an export carries it. `proof` None: its day has no tree yet."""

    content: bytes
    proof: DayProof | None = None


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A file that people made or sent, which goes with an export as it is.

    ending: of its content, in small letters and digits. facts: JSON values that say what it is.
    """

    name: str
    ending: str
    digest: Digest
    content: bytes = field(repr=False)
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CaseMaterial:
    """All that an export is written from. `facts`: JSON values of the case as its pages in the admin show them.

    `history`: the page's history in order, JSON values: {"at", "event", ...}. `left_out`: what is kept no more as it
    was and is not enclosed, a sentence each.
    """

    case: int
    facts: Mapping[str, Any]
    bundles: Sequence[ProvenBundle]
    history: Sequence[Mapping[str, Any]] = ()
    papers: Sequence[Enclosure] = ()
    left_out: Sequence[Message] = ()
