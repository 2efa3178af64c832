"""Records of a page: the response as received, the text read from it, and the history of the page."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from datetime import datetime

from core.captures import Capture
from core.ids import CanonicalUrl, Digest, FinalUrl, PageId, RequestedUrl, SiteId, VersionId, digest
from core.marks import Mark, RawPlaces
from core.obfuscations import ObfuscationFound
from core.politeness import Politeness
from core.text import TextOffset
from core.wording import Message
from core.zones import SurroundingLine, Zone, ZonedLine


@dataclass(frozen=True, slots=True)
class FollowingPart:
    """The response with a further part of a text that a site splits over several pages."""

    url: FinalUrl
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    fetched_at: datetime
    capture: Capture | None = None


@dataclass(frozen=True, slots=True)
class StoredPart:
    """A `FollowingPart` as stored; its body is in the page store under `raw_digest`."""

    url: FinalUrl
    status: int
    headers: tuple[tuple[str, str], ...]
    raw_digest: Digest
    fetched_at: datetime
    capture_digest: Digest | None = None  # of the capture in the page store


@dataclass(frozen=True, slots=True)
class Fetched:
    """An HTTP response. body: the bytes after content decoding, before character decoding.

    parts: the responses with further parts of the text, in order; this response has the first part. origin: "" if the
    crawler fetched the response, otherwise the archive and the record, with DATED_BY_SERVER if `fetched_at` is the time
    stated by the site's server. capture: the record of the connection, or None.
    """

    site_id: SiteId
    requested_url: RequestedUrl
    final_url: FinalUrl
    canonical_url: CanonicalUrl
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    fetched_at: datetime
    parts: tuple[FollowingPart, ...] = ()
    origin: str = ""
    capture: Capture | None = None


@dataclass(frozen=True, slots=True)
class ChapterStart:
    """The start of a chapter in the text of a file that contains a whole book. title: "" if the chapter has none."""

    title: str
    start: TextOffset


@dataclass(frozen=True, slots=True)
class Poster:
    """An account that a page names as the author of a post, "" if unknown.

    after: how many text lines precede the post.
    """

    name: str
    after: int


@dataclass(frozen=True, slots=True)
class NetDiskLink:
    """A link on a page to a file on a net disk, which is recorded but never fetched. disk: the provider."""

    url: str
    disk: str
    label: str  # the text of the link, which often has the name of the file or its access code


# The length from which a line outside the main text makes a new version: a paragraph, not a name with a time. Chosen,
# 2026-11.
MIN_CHARS_OF_VERSION = 30
DATED_BY_SERVER = "moment of the HTTP header Date"  # in the origin of a page if its archive states no time
FROM_FEED = "feed"  # the extractor of a text that is only in a feed
# The extractors of a text that is not in the markup: scripts contain it, or request it from elsewhere.
FROM_SCRIPTS, FROM_DATA = "scripts", "data"


@dataclass(frozen=True, slots=True)
class Reading:
    """The content read from a response. text: the main text without obfuscations, one paragraph on each line.

    raw_text: the same passage with its obfuscations, as in the markup; "" if it equals `text`. marks: the differences
    between the two.
    """

    title: str
    text: str
    author: str = ""
    published: datetime | None = None
    encoding: str = "utf-8"
    is_encoding_doubtful: bool = False
    extractor: str = ""
    confidence: float = 1.0  # [0, 1]; an extraction below core.states.MIN_CONFIDENCE_TO_TRUST is doubtful
    obfuscations: tuple[ObfuscationFound, ...] = ()
    site_name: str = ""  # the name of the site as the page states it
    chapter_number: int | None = None  # from the title
    left_out: tuple[str, ...] = ()  # template lines removed from inside the text, at most 20 of 80 characters
    raw_text: str = ""
    repairs: tuple[Message, ...] = ()  # repairs of the bytes in addition to `encoding`
    surroundings: tuple[SurroundingLine, ...] = ()  # the other visible lines of the page, in order
    chapters: tuple[ChapterStart, ...] = ()  # if the text was split into chapters, in order
    net_disks: tuple[NetDiskLink, ...] = ()
    marks: tuple[Mark, ...] = ()
    posters: tuple[Poster, ...] = ()  # the accounts that posted the main text, if stated; `author` is its writer

    @property
    def lines(self) -> list[ZonedLine]:
        """The visible lines of the page in order, each with its zone."""
        main_lines, lines_of_page, position = self.text.split("\n") if self.text else [], list[ZonedLine](), 0
        for line in self.surroundings:
            lines_of_page += [ZonedLine(Zone.MAIN, text) for text in main_lines[position : line.after]]
            position = max(position, min(line.after, len(main_lines)))
            lines_of_page.append(ZonedLine(line.zone, line.text))
        return lines_of_page + [ZonedLine(Zone.MAIN, text) for text in main_lines[position:]]

    @property
    def identity(self) -> str:
        """The content that distinguishes the versions of a page: the main text and the longer comments of visitors.

        If the page has no main text, all longer lines are included. Titles of other pages, template lines, names and
        times are excluded, because they change with every visit.
        """
        lines = (line for line in self.surroundings if line.zone is Zone.COMMENT or not self.text)
        return "\n".join((self.text, *(line.text for line in lines if len(line.text) >= MIN_CHARS_OF_VERSION)))

    @property
    def surrounding_text(self) -> str:
        """The lines outside the main text, joined by line feeds."""
        return "\n".join(line.text for line in self.surroundings)

    @property
    def whole_text(self) -> str:
        """The main text followed by the lines outside it; offsets of spans in other zones refer to it."""
        return f"{self.text}\n{self.surrounding_text}" if self.surroundings else self.text

    @property
    def raw_whole_text(self) -> str:
        """The raw text followed by the lines outside it. It is `whole_text` with obfuscations."""
        raw_text = self.raw_text or self.text
        return f"{raw_text}\n{self.surrounding_text}" if self.surroundings else raw_text

    def raw_places(self) -> RawPlaces:
        """Return the mapping from `text` and `whole_text` to `raw_whole_text`. It is computed on each call."""
        return RawPlaces(self.marks, len(self.whole_text))

    def text_by_digest(self, text_digest: str) -> str | None:
        """Return the main text or the whole text, whichever has this digest, or None if neither has."""
        texts = (self.text, self.whole_text)
        return next((text for text in texts if digest(text.encode("utf-8", "surrogatepass")) == text_digest), None)

    def chapter_titles(self, places: Iterable[int]) -> tuple[str, ...]:
        """Return the titles of the chapters that contain these offsets of the text, each once, in order.

        >>> chapters = ChapterStart("一", TextOffset(0)), ChapterStart("二", TextOffset(1))
        >>> Reading("", "甲乙", chapters=chapters).chapter_titles([1])
        ('二',)
        """
        starts = [chapter.start for chapter in self.chapters]
        numbers = sorted({bisect_right(starts, place) for place in places} - {0})
        return tuple(dict.fromkeys(title for number in numbers if (title := self.chapters[number - 1].title)))

    def poster_names(self, places: Iterable[int]) -> tuple[str, ...]:
        r"""Return the accounts that posted the text at these offsets of the main text, each once, in order.

        >>> posters = Poster("路人", 0), Poster("", 1), Poster("过客", 2)
        >>> Reading("", "甲\n乙\n丙", posters=posters).poster_names([0, 2, 4, 99])
        ('路人', '过客')
        """
        starts = [poster.after for poster in self.posters]
        lines = {self.text.count("\n", 0, place) for place in places if place < len(self.text)}
        numbers = sorted({bisect_right(starts, line) for line in lines} - {0})
        return tuple(dict.fromkeys(name for number in numbers if (name := self.posters[number - 1].name)))


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a site and its current version."""

    id: PageId
    site_id: SiteId
    canonical_url: CanonicalUrl
    first_seen: datetime
    last_seen: datetime
    current_version: VersionId


@dataclass(frozen=True, slots=True)
class Sighted:
    """The first and the last time at which something was seen, regardless of the order in which observations arrive."""

    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True)
class PageVersion:
    """One version of a page: its reading, and the digest and time of the raw response stored for it.

    An archive imported later may prove that the version existed earlier: see `VersionOfPage.sighted`.
    """

    id: VersionId
    page_id: PageId
    site_id: SiteId
    canonical_url: CanonicalUrl
    requested_url: RequestedUrl
    final_url: FinalUrl
    status: int
    headers: tuple[tuple[str, str], ...]
    fetched_at: datetime
    raw_digest: Digest
    text_digest: Digest
    reading: Reading
    parts: tuple[StoredPart, ...] = ()
    origin: str = ""
    capture_digest: Digest | None = None  # of the capture in the page store

    @property
    def page_url(self) -> str:
        """The URL where a reader finds the text: the final URL, or the URL of the entry for a text from a feed."""
        return self.requested_url if self.reading.extractor == FROM_FEED else self.final_url


@dataclass(frozen=True, slots=True)
class VersionOfPage:
    """A version with its state on the page: whether it is the page's current version, and when it was seen."""

    version: PageVersion
    is_current: bool
    sighted: Sighted


@dataclass(frozen=True, slots=True)
class Stored:
    """The result of storing a page."""

    page_id: PageId
    version_id: VersionId
    is_new_version: bool


@dataclass(frozen=True, slots=True)
class CrawlPlan:
    """The plan of one crawl, with all data that a spider needs."""

    site_id: SiteId
    run_id: str
    start_urls: tuple[str, ...]
    allowed_hosts: tuple[str, ...]  # host or host:port; empty: the hosts of start_urls
    follow_patterns: tuple[str, ...] = ()  # regular expressions on URLs; empty: all within the hosts
    page_patterns: tuple[str, ...] = ()  # URLs of pages to store; empty: all pages with a main text
    deny_patterns: tuple[str, ...] = ()
    use_sitemap: bool = True  # read the sitemaps in robots.txt, and /sitemap.xml
    next_page_selector: str = ""  # CSS; empty: recognised by the link text
    chapter_list_selector: str = ""
    body_selector: str = ""  # CSS or XPath (begins with /); empty: chosen by the extractors
    title_selector: str = ""
    encoding: str = ""  # set by the operator; empty: detected
    max_depth: int = 5
    max_pages: int = 2_000
    delay_s: float = 1.0
    concurrency: int = 2
    obey_robots: bool = True
    kind: str = "generic"  # of crawler.site_kinds
    only_urls: tuple[str, ...] = ()  # fetch only these pages, due or not; empty: the whole site
    politeness: Politeness = field(default_factory=Politeness)


MAX_FAULTS = 50  # in a run; further faults are not recorded


@dataclass(slots=True)
class CrawlCounts:
    """The statistics of a crawl run. faults: at most MAX_FAULTS, each with a URL and a reason."""

    requested: int = 0
    fetched: int = 0
    files: int = 0  # responses that offer a file for download, included in `fetched` or aborted
    stored: int = 0
    new_versions: int = 0
    unchanged: int = 0
    rejected: dict[str, int] = field(default_factory=dict)  # by core.states.Rejection
    failed: int = 0
    bytes_fetched: int = 0
    seconds_extract: float = 0.0
    seconds_store: float = 0.0
    faults: list[Message] = field(default_factory=list)
    refusals: list[Message] = field(default_factory=list)  # the items of `faults` that describe a refusal by the site
    finish_reason: str = ""
    end_sentence: Message | None = None  # for the operator, if the crawl was stopped early
    resume_at: str = ""  # ISO 8601, in UTC: when the crawl resumes; "" if it does not
    proxies: dict[str, dict[str, object]] = field(default_factory=dict)  # by place: crawler.fetching.proxies.PoolHealth
    user_agents: dict[str, dict[str, object]] = field(default_factory=dict)

    @property
    def kept_pages(self) -> int:
        """The number of pages stored or unchanged, which need not be fetched again."""
        return self.stored + self.unchanged

    def plus(self, earlier: "CrawlCounts") -> "CrawlCounts":
        """Return the counts of a resumed run: numbers are added to the earlier ones, lists joined, other values kept.

        >>> CrawlCounts(fetched=2, rejected={"robots": 1}).plus(CrawlCounts(fetched=3, rejected={"robots": 2})).rejected
        {'robots': 3}
        """
        value_pairs = {item.name: (getattr(self, item.name), getattr(earlier, item.name)) for item in fields(self)}
        sums = {
            name: current + earlier_value
            for name, (current, earlier_value) in value_pairs.items()
            if isinstance(current, int | float)
        }
        rejected = {
            reason: self.rejected.get(reason, 0) + earlier.rejected.get(reason, 0)
            for reason in {**earlier.rejected, **self.rejected}
        }
        faults = list(dict.fromkeys([*earlier.faults, *self.faults]))[:MAX_FAULTS]
        refusals = [item for item in dict.fromkeys([*earlier.refusals, *self.refusals]) if item in faults]
        return replace(self, **sums, rejected=rejected, faults=faults, refusals=refusals)
