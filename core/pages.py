"""What is known of a page: the response as it came, what was read in it, and its history."""

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
from core.zones import LineBeside, Zone, ZonedLine


@dataclass(frozen=True, slots=True)
class FollowingPart:
    """The response behind one further part of a text that a site spreads over several pages."""

    url: FinalUrl
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    fetched_at: datetime
    capture: Capture | None = None


@dataclass(frozen=True, slots=True)
class StoredPart:
    """A `FollowingPart` as it is kept: its body stands in the page store under `raw_digest`."""

    url: FinalUrl
    status: int
    headers: tuple[tuple[str, str], ...]
    raw_digest: Digest
    fetched_at: datetime
    capture_digest: Digest | None = None  # of the capture in the page store


@dataclass(frozen=True, slots=True)
class Fetched:
    """One HTTP response. `body` is what came over the wire after content decoding, not yet characters.

    parts: the responses that followed, in order, where the text stands on several pages; this one is the first.
    origin: "" for what the crawler fetched itself, else the archive and the record that it was taken from, with
    DATED_BY_SERVER where fetched_at is what the site's server said.
    capture: what the connection knew; None where nobody took it down.
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
    """Where a chapter of a file that holds a book begins in what was read of it; `title` "" where it has none."""

    title: str
    start: TextOffset


@dataclass(frozen=True, slots=True)
class Poster:
    """The account that a page names beside a post, and how many lines of the main text stand before it; "" unknown."""

    name: str
    after: int


@dataclass(frozen=True, slots=True)
class NetDiskLink:
    """A link to a file on a net disk, as it stands on a page; it is listed and never fetched. `disk`: whose it is."""

    url: str
    disk: str
    label: str  # the words of the link, which often name the file or the code to get it by


# Of a line beside the text that makes another version: a paragraph, and not a name with a time. Chosen, 2026-11.
MIN_CHARS_OF_VERSION = 30
DATED_BY_SERVER = "moment of the HTTP header Date"  # in the origin of a page whose archive states no moment
FROM_FEED = "feed"  # the extractor of a text that was never on a page of its own
# Those of a text that a page's markup has not: its scripts carry it, or ask for it elsewhere.
FROM_SCRIPTS, FROM_DATA = "scripts", "data"


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read in a response. `text` is the main text with obfuscations undone and paragraphs on lines.

    raw_text: the same passage with nothing undone, as a program without eyes takes it from the markup; "" where it is
    no other than `text`. marks: what lies between both.
    """

    title: str
    text: str
    author: str = ""
    published: datetime | None = None
    encoding: str = "utf-8"
    is_encoding_doubtful: bool = False
    extractor: str = ""
    confidence: float = 1.0  # [0, 1]; below core.states.MIN_CONFIDENCE_TO_TRUST an extraction is doubtful
    obfuscations: tuple[ObfuscationFound, ...] = ()
    site_name: str = ""  # what the page calls its site
    chapter_number: int | None = None  # that the title names
    left_out: tuple[str, ...] = ()  # lines of the site's template that stood inside the text, at most 20 of 80 chars
    raw_text: str = ""
    repairs: tuple[Message, ...] = ()  # what beside `encoding` it took to read the bytes
    beside: tuple[LineBeside, ...] = ()  # what else a visitor sees on the page, in order
    chapters: tuple[ChapterStart, ...] = ()  # of a text that was cut into chapters, in order
    net_disks: tuple[NetDiskLink, ...] = ()
    marks: tuple[Mark, ...] = ()
    posters: tuple[Poster, ...] = ()  # who posted the main text, as far as the page says; `author` is who wrote it

    @property
    def lines(self) -> list[ZonedLine]:
        """All that a visitor sees on the page, line by line, each with its zone."""
        main, found, at = self.text.split("\n") if self.text else [], list[ZonedLine](), 0
        for line in self.beside:
            found += [ZonedLine(Zone.MAIN, text) for text in main[at : line.after]]
            at = max(at, min(line.after, len(main)))
            found.append(ZonedLine(line.zone, line.text))
        return found + [ZonedLine(Zone.MAIN, text) for text in main[at:]]

    @property
    def identity(self) -> str:
        """What makes this another version of its page: the text, and what visitors wrote below it at some length.

        Of a page without a text any line that is as long. Titles of other pages, the site's own lines, names and times
        change with every visit.
        """
        lines = (line for line in self.beside if line.zone is Zone.COMMENT or not self.text)
        return "\n".join((self.text, *(line.text for line in lines if len(line.text) >= MIN_CHARS_OF_VERSION)))

    @property
    def surrounding_text(self) -> str:
        """What stands beside the main text, line by line."""
        return "\n".join(line.text for line in self.beside)

    @property
    def whole_text(self) -> str:
        """The main text, and behind it what stands beside it: what spans of other zones have their offsets in."""
        return f"{self.text}\n{self.surrounding_text}" if self.beside else self.text

    @property
    def raw_whole_text(self) -> str:
        """The text as it came, and behind it what stands beside the text: as `whole_text` with nothing undone."""
        raw_text = self.raw_text or self.text
        return f"{raw_text}\n{self.surrounding_text}" if self.beside else raw_text

    def raw_places(self) -> RawPlaces:
        """Return where ranges of `text` and `whole_text` stand in `raw_whole_text`; made anew each time."""
        return RawPlaces(self.marks, len(self.whole_text))

    def text_by_digest(self, text_digest: str) -> str | None:
        """Return the main or the whole text, whichever has this digest; None where neither has."""
        texts = (self.text, self.whole_text)
        return next((each for each in texts if digest(each.encode("utf-8", "surrogatepass")) == text_digest), None)

    def chapter_titles(self, places: Iterable[int]) -> tuple[str, ...]:
        """Titles of the chapters in which these places of the text stand, each once, in order.

        >>> chapters = ChapterStart("一", TextOffset(0)), ChapterStart("二", TextOffset(1))
        >>> Reading("", "甲乙", chapters=chapters).chapter_titles([1])
        ('二',)
        """
        starts = [chapter.start for chapter in self.chapters]
        found = sorted({bisect_right(starts, place) for place in places} - {0})
        return tuple(dict.fromkeys(title for at in found if (title := self.chapters[at - 1].title)))

    def poster_names(self, places: Iterable[int]) -> tuple[str, ...]:
        r"""Name who posted what stands at these places of the main text, each once, in order.

        >>> posters = Poster("路人", 0), Poster("", 1), Poster("过客", 2)
        >>> Reading("", "甲\n乙\n丙", posters=posters).poster_names([0, 2, 4, 99])
        ('路人', '过客')
        """
        starts = [poster.after for poster in self.posters]
        lines = {self.text.count("\n", 0, place) for place in places if place < len(self.text)}
        found = sorted({bisect_right(starts, line) for line in lines} - {0})
        return tuple(dict.fromkeys(name for at in found if (name := self.posters[at - 1].name)))


@dataclass(frozen=True, slots=True)
class Page:
    """A place on the web and its current state."""

    id: PageId
    site_id: SiteId
    canonical_url: CanonicalUrl
    first_seen: datetime
    last_seen: datetime
    current_version: VersionId


@dataclass(frozen=True, slots=True)
class Sighted:
    """When something was first and last seen; whatever is seen in between or in whatever order changes neither."""

    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True)
class PageVersion:
    """One state of a page: what was read, and the digest of the raw response that was kept of it, with its moment.

    An archive that is imported later may show the same version earlier: `VersionOfPage.sighted`.
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
        """Where a reader finds the text: what answered, but for a text that stood in a feed its entry's own address."""
        return self.requested_url if self.reading.extractor == FROM_FEED else self.final_url


@dataclass(frozen=True, slots=True)
class VersionOfPage:
    """A version as its page has it: whether the page shows it now, and when it was seen in it."""

    version: PageVersion
    is_current: bool
    sighted: Sighted


@dataclass(frozen=True, slots=True)
class Stored:
    """What a page store did with a page."""

    page_id: PageId
    version_id: VersionId
    is_new_page: bool
    is_new_version: bool


@dataclass(frozen=True, slots=True)
class CrawlPlan:
    """How one site is crawled: everything a spider needs, and nothing it has to look up."""

    site_id: SiteId
    run_id: str
    start_urls: tuple[str, ...]
    allowed_hosts: tuple[str, ...]  # host or host:port; empty: the hosts of start_urls
    follow_patterns: tuple[str, ...] = ()  # regular expressions on URLs; empty: all within the hosts
    page_patterns: tuple[str, ...] = ()  # URLs that are kept; empty: all that have a main text
    deny_patterns: tuple[str, ...] = ()
    sitemap_urls: tuple[str, ...] = ()
    use_sitemap: bool = True  # look for those that robots.txt names, and /sitemap.xml
    next_page_selector: str = ""  # CSS; empty: recognised by its words
    chapter_list_selector: str = ""
    body_selector: str = ""  # CSS or XPath (begins with /); empty: chosen by the extractors
    title_selector: str = ""
    encoding: str = ""  # what the operator knows; empty: found from the bytes
    max_depth: int = 5
    max_pages: int = 2_000
    delay_s: float = 1.0
    concurrency: int = 2
    obey_robots: bool = True
    kind: str = "generic"  # of crawler.site_kinds
    only_urls: tuple[str, ...] = ()  # these pages are fetched, due or not, and nothing else; empty: the whole site
    politeness: Politeness = field(default_factory=Politeness)
    answers_since: datetime | None = None  # answers of other sites' crawls of the host serve from then on; None: none


MAX_FAULTS = 50  # of a run: what comes behind them says nothing new


@dataclass(slots=True)
class CrawlCounts:
    """What a crawl run did, for the operator. `faults`: at most 50, each naming a URL and what was wrong."""

    requested: int = 0
    fetched: int = 0
    files: int = 0  # of `fetched`, or broken off: answers that offer a file for download
    stored: int = 0
    new_versions: int = 0
    unchanged: int = 0
    rejected: dict[str, int] = field(default_factory=dict)  # by core.states.Rejection
    failed: int = 0
    bytes_fetched: int = 0
    seconds_extract: float = 0.0
    seconds_store: float = 0.0
    faults: list[Message] = field(default_factory=list)
    refusals: list[Message] = field(default_factory=list)  # of `faults`, those that say how the site refused
    finish_reason: str = ""
    end_sentence: Message | None = None  # for the operator, where the crawl was ended before its end
    resume_at: str = ""  # ISO 8601, in UTC: when it goes on by itself; "" where it does not
    proxies: dict[str, dict[str, object]] = field(default_factory=dict)  # by place: crawler.fetching.proxies.Health
    user_agents: dict[str, dict[str, object]] = field(default_factory=dict)

    @property
    def kept(self) -> int:
        """Pages that need not come again; one that was fetched and not stored does."""
        return self.stored + self.unchanged

    def plus(self, earlier: "CrawlCounts") -> "CrawlCounts":
        """Of a run that was stopped and went on: both numbers added and sentences joined, all else as it is now.

        >>> CrawlCounts(fetched=2, rejected={"robots": 1}).plus(CrawlCounts(fetched=3, rejected={"robots": 2})).rejected
        {'robots': 3}
        """
        both = {each.name: (getattr(self, each.name), getattr(earlier, each.name)) for each in fields(self)}
        sums = {name: now + before for name, (now, before) in both.items() if isinstance(now, int | float)}
        rejected = {
            reason: self.rejected.get(reason, 0) + earlier.rejected.get(reason, 0)
            for reason in {**earlier.rejected, **self.rejected}
        }
        faults = list(dict.fromkeys([*earlier.faults, *self.faults]))[:MAX_FAULTS]
        refusals = [each for each in dict.fromkeys([*earlier.refusals, *self.refusals]) if each in faults]
        return replace(self, **sums, rejected=rejected, faults=faults, refusals=refusals)
