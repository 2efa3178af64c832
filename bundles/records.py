"""The records from which bundles and exports are made. Datetimes are aware; digests are SHA-256 in hex."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from core.captures import Capture, CapturedResource, WireExchange
from core.ids import Digest
from core.marks import Mark
from core.wording import Message


@dataclass(frozen=True, slots=True)
class Rendering:
    """A page as rendered by a browser: a screenshot of the full page as PNG, or a PDF.

    served: the URLs of the resources that the browser received. missing: URLs that the page requested but the browser
    did not receive; `missing_count` also counts those that are not listed.
    """

    content: bytes
    content_type: str  # "image/png" or "application/pdf"
    rendered_at: datetime
    renderer: str  # "Chromium 142.0.7444.175"
    url: str  # the browser's final URL
    served: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    missing_count: int = 0


class Undrawn(StrEnum):
    """The reason why a page of a text was not rendered although other pages of the text were."""

    PAGES = "page_limit"  # in one text
    TIME = "time_limit"  # seconds for all pages after the first
    SIZE = "size_limit"  # MiB for all pages after the first
    FAILED = "browser_failed"  # the browser crashed, or the page took too long


@dataclass(frozen=True, slots=True)
class Drawing:
    """The renderings of one page of a text. undrawn: the reason if there are none. limit: the limit exceeded, or 0."""

    screenshot: Rendering | None = None
    pdf: Rendering | None = None
    undrawn: Undrawn | None = None
    limit: int = 0


NO_DRAWING = Drawing()


@dataclass(frozen=True, slots=True)
class Part:
    """One page of a text that may extend over several pages.

    capture: the exchanges with their bodies; the last one is the response with the page, and its end is the time of the
    capture. dom: the document in the browser when the text was read, or None if no browser fetched the page. number:
    the number of the page in the text, from 1; unavailable pages leave gaps.
    """

    capture: Capture
    dom: bytes | None = None
    drawing: Drawing = NO_DRAWING
    number: int = 1

    @property
    def page(self) -> WireExchange:
        return self.capture.exchanges[-1]


@dataclass(frozen=True, slots=True)
class CapturedPage:
    """A fetched page with its text. parts: the pages over which the text extends, in order."""

    parts: tuple[Part, ...]
    title: str
    text: str  # the main text that was compared
    raw_text: str = ""  # the raw text, before obfuscations were undone; "" if equal
    marks: tuple[Mark, ...] = ()  # the differences between the two
    extractor: str = ""
    encoding: str = ""
    obfuscations: tuple[Mapping[str, Any], ...] = ()  # undone while reading: {"kind", "count", "example"}
    # Missing parts, with the reason: {"screenshot": ...}; for the Nth page {"page N, connection": ...}.
    absent: Mapping[str, Message] = field(default_factory=dict)
    resources: tuple[CapturedResource, ...] = ()

    @property
    def page(self) -> WireExchange:
        """The exchange from whose response the text, or its beginning, was read."""
        return self.parts[0].page

    @property
    def exchanges(self) -> list[WireExchange]:
        """The exchanges of all parts, in order."""
        return [exchange for part in self.parts for exchange in part.capture.exchanges]


@dataclass(frozen=True, slots=True)
class Passage:
    """A copied passage, as half-open ranges of code points in the page's text and in the work's text."""

    page: tuple[int, int]
    work: tuple[int, int]
    similarity: float  # [0, 1]
    page_excerpt: str
    work_excerpt: str
    changes: tuple[tuple[str, int, int, int, int], ...] = ()  # kind, page start and end, work start and end
    raw: tuple[int, int] | None = None  # its range in the raw text, or None if not recorded
    raw_changes: tuple[tuple[int, int], ...] = ()  # the range of each change in the raw text


@dataclass(frozen=True, slots=True)
class SeenAddress:
    """One of several URLs on a site with the same text, and when the text was first and last seen at it."""

    url: str
    first_seen_at: datetime
    last_seen_at: datetime


@dataclass(frozen=True, slots=True)
class Finding:
    """The passages that a page copied from one text of a work, with the parameters needed to find them again."""

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
    algorithm: Mapping[str, Any]  # the parameters of `algorithm_id`
    parameters: Mapping[str, Any]  # the calibration
    code_version: str
    obfuscations: tuple[Mapping[str, Any], ...] = ()  # seen by comparison
    chapter_title: str = ""
    addresses: tuple[SeenAddress, ...] = ()  # URLs with the page's text when this was written, if several


@dataclass(frozen=True, slots=True)
class Bundle:
    """A WACZ file. digest: the SHA-256 of its datapackage.json, which lists the SHA-256 of each of its files."""

    digest: Digest
    content: bytes
    fetched_at: datetime

    @property
    def day(self) -> date:
        """The day in UTC on which the page was fetched; the tree of this day contains the bundle."""
        return self.fetched_at.date()


@dataclass(frozen=True, slots=True)
class TimeStamp:
    """An RFC 3161 timestamp: the query and the authority's response in DER, with certificates in PEM."""

    query: bytes
    response: bytes
    # The root and intermediate certificates for verifying the response, and the revocation lists of that time.
    ca_pem: bytes
    authority: str  # the URL of the authority, without secrets


@dataclass(frozen=True, slots=True)
class DayProof:
    """The audit path from a bundle to the root of its day's tree, and the timestamps on that root."""

    day: date
    tree_size: int
    leaf_index: int
    path: tuple[Digest, ...]
    root: Digest
    stamps: tuple[TimeStamp, ...] = ()


@dataclass(frozen=True, slots=True)
class ProvenBundle:
    """A bundle in an export. proof: None until the tree of its day is complete."""

    content: bytes
    proof: DayProof | None = None


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A file from a user that an export encloses unchanged.

    ending: the extension for its content, in lower-case letters and digits. facts: JSON values that describe it.
    """

    name: str
    ending: str
    digest: Digest
    content: bytes = field(repr=False)
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CaseMaterial:
    """The material for the export of a case. facts: the facts shown on the case's page in the admin, as JSON values.

    history: the events on that page in order, as JSON values: {"at", "event", ...}. left_out: a message for each file
    that is not enclosed because it is damaged or missing.
    """

    case: int
    facts: Mapping[str, Any]
    bundles: Sequence[ProvenBundle]
    history: Sequence[Mapping[str, Any]] = ()
    papers: Sequence[Enclosure] = ()
    left_out: Sequence[Message] = ()
