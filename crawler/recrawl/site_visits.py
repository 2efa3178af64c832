"""Keeps what earlier crawls know about a site's URLs, and what this one learns; see docs/revisits.md.

A page counts as visited once it is stored, never before. Values change on the reactor's thread; `UnsavedVisits.save`
is called in a thread that may wait for a database.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from core.ids import CanonicalUrl, Digest, PageId, SiteId, VersionId
from core.pages import CrawlPlan
from core.ports import Clock, VisitRepository
from core.visits import AddressKind, MovedTo, Visit, address_id
from core.wording import Message
from crawler.links import Links
from crawler.recrawl import policy
from crawler.sources.sitemaps import ListedPage
from crawler.urls import canonical

NOT_MODIFIED = 304
NOT_THERE = (404, 410)
SAVE_EVERY = 50  # visits written at a time; a crawl that is killed repeats at most as many fetches
# A list of chapters has a synopsis, a text has a few links to its neighbours: if the links' titles (some 10 characters
# each) make up a third of the text or more, the page is a list. Chosen, not measured.
MIN_CHAPTER_LINKS, CHARS_A_LINK = 5, 30
MIN_LINKS_WITHOUT_TEXT = 3
# Many sites give "now" as the date of all pages: then dates say nothing. Chosen, not measured.
MAX_ANNOUNCED, MIN_ANNOUNCED = 0.5, 10  # of the known pages with a date; so few are visited in any case
MIN_UNRELIABLE_PAGES = 3  # with wrong validators; then the validators of the whole site are ignored
# The order: lists, which lead to new pages; new pages; open cases; due pages. Depth (at most 50) decides within each.
LIST_PRIORITY, NEW_PRIORITY, CASE_PRIORITY, DUE_PRIORITY = 10, -60, -120, -180
_RULES = (
    *("follow_patterns", "page_patterns", "deny_patterns", "next_page_selector", "chapter_list_selector"),
    *("body_selector", "title_selector", "encoding", "max_depth", "obey_robots", "kind"),
)


@dataclass(frozen=True, slots=True)
class Unsaved:
    """Visits and moves that are not in the repository yet."""

    visits: tuple[Visit, ...] = ()
    moves: tuple[MovedTo, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.visits or self.moves)


@dataclass(frozen=True, slots=True)
class Observation:
    """The result of a successful visit. `text_digest` and the ids are "" if no text was kept."""

    kind: AddressKind
    headers: Mapping[str, str]
    is_whole: bool = True  # False: the site reported that nothing has changed
    may_be_conditional: bool = True  # False for a text from several responses, whose validators cover only one
    page_id: PageId = PageId("")  # noqa: RUF009 - a NewType makes no call
    page_url: str = ""
    version_id: VersionId = VersionId("")  # noqa: RUF009
    text_digest: str = ""


@dataclass(frozen=True, slots=True)
class ConditionalRequest:
    """Additional headers for the request of a known page, and statuses that are results rather than failures."""

    headers: Mapping[str, str] = field(default_factory=dict)
    statuses: frozenset[int] = frozenset()


class UnsavedVisits:
    """Collects what is not in the repository yet; newer values replace older ones."""

    def __init__(self, repository: VisitRepository, site: SiteId) -> None:
        self._repository, self._site = repository, site
        self._visits: dict[str, Visit] = {}
        self._moves: list[MovedTo] = []

    def keep(self, visit: Visit) -> None:
        self._visits[visit.id] = visit

    def note_move(self, move: MovedTo) -> None:
        """Note a redirect to another site."""
        self._moves.append(move)

    def take(self, least: int) -> Unsaved:
        """Remove and return everything if there are at least `least` entries; the caller saves it or gives it back."""
        if len(self._visits) + len(self._moves) < least:
            return Unsaved()
        taken = Unsaved(tuple(self._visits.values()), tuple(self._moves))
        self._visits, self._moves = {}, []
        return taken

    def give_back(self, unsaved: Unsaved) -> None:
        """Take back what could not be saved."""
        self._visits = {visit.id: visit for visit in unsaved.visits} | self._visits
        self._moves = [*unsaved.moves, *self._moves]

    def save(self, unsaved: Unsaved) -> None:
        """Write to the repository. Raises RetryLater."""
        if unsaved.visits:
            self._repository.save(self._site, unsaved.visits)
        if unsaved.moves:
            self._repository.note_moves(self._site, unsaved.moves)


class SiteVisits:
    """The visits of one crawl of one plan, by the ids of their URLs."""

    def __init__(self, repository: VisitRepository, plan: CrawlPlan, clock: Clock) -> None:
        self._plan, self._clock = plan, clock
        self.rules = rules_digest(plan)
        self.began_at = clock.now()
        self.known = {visit.id: visit for visit in repository.visits(plan.site_id)}
        self.pages_with_open_cases = repository.pages_with_open_cases(plan.site_id)
        self.unsaved = UnsavedVisits(repository, plan.site_id)
        self._dated: set[str] = set()  # ids of known pages to which a list gives a date
        self._announced: set[str] = set()  # of these, pages with a later date than their last visit
        self._rate = policy.site_rate(self.known.values())
        self._unreliable = sum(visit.has_unreliable_validator for visit in self.known.values())

    def get(self, url: str) -> Visit | None:
        return self.known.get(_address_id(self._plan, url))

    def has_page(self, url: str) -> bool:
        """Return True if an earlier run stored a page for this URL."""
        visit = self.get(url)
        return visit is not None and bool(visit.page_url)

    def texts(self) -> Iterable[tuple[str, Digest]]:
        """Yield the URLs of pages that earlier runs stored and last saw online, with the digests of their texts."""
        for visit in self.known.values():
            if visit.text_digest and visit.page_id and visit.absent_since is None and not visit.failures:
                yield visit.url, Digest(visit.text_digest)

    def should_fetch(self, url: str) -> bool:
        """Return True if this run should fetch a linked URL: a new one, a list, or one that is due."""
        visit = self.get(url)
        if visit is None or self._plan.only_urls:
            return True
        is_due = policy.is_due(visit, self.began_at, self.rules)
        # A listed date does not matter after failures, changed rules, or for open cases.
        is_troubled = visit.failures or visit.absent_since is not None or visit.rules != self.rules
        if visit.kind is not AddressKind.DETAIL or is_troubled or visit.page_id in self.pages_with_open_cases:
            return is_due
        return is_due or self._is_announced(visit)

    def list_dates(self, entries: Iterable[ListedPage]) -> None:
        """Note which known pages have changed since their last visit, according to a sitemap or feed."""
        for entry in entries:
            visit = self.get(entry.url)
            if visit is None or visit.seen_at is None or entry.modified is None:
                continue
            self._dated.add(visit.id)
            if visit.seen_at < entry.modified <= self.began_at + policy.DAY:  # later dates are wrong
                self._announced.add(visit.id)

    def _is_announced(self, visit: Visit) -> bool:
        """Return True if a list says that a page has changed; a site that says so of most pages says nothing."""
        is_believed = len(self._announced) <= max(MIN_ANNOUNCED, MAX_ANNOUNCED * len(self._dated))
        return is_believed and visit.id in self._announced

    def priority(self, url: str, depth: int) -> int:
        """Return Scrapy's priority for the request of a page."""
        visit = self.get(url)
        if visit is not None and visit.page_id in self.pages_with_open_cases:
            return CASE_PRIORITY - depth
        if visit is None or visit.kind is AddressKind.UNKNOWN:
            return NEW_PRIORITY - depth
        return (LIST_PRIORITY if visit.kind is AddressKind.LIST else DUE_PRIORITY) - depth

    def conditions(self, url: str, *, is_redirected: bool) -> ConditionalRequest | None:
        """Return the conditions for the request of a known page (RFC 9110, 13.1), or None if it is unknown.

        A page that a person requests individually is fetched whole: a 304 would not show it.
        """
        visit = self.get(url)
        if visit is None:
            return None
        is_whole = is_redirected or self._plan.only_urls or self._unreliable >= MIN_UNRELIABLE_PAGES
        headers = {}
        if not is_whole and policy.is_conditional(visit, self.rules):
            validators = {"If-None-Match": visit.etag, "If-Modified-Since": visit.last_modified}
            headers = {name: value for name, value in validators.items() if value}
        statuses = {*(NOT_THERE if visit.page_url else ()), *((NOT_MODIFIED,) if headers else ())}
        return ConditionalRequest(headers, frozenset(statuses))

    def identity(self, url: str, canonical_url: CanonicalUrl) -> CanonicalUrl:
        """Return a page's identity: if the site has moved and the path is unchanged, the previous one."""
        visit = self.get(url)
        if visit is None or not visit.is_moved or not visit.page_url:
            return canonical_url
        return CanonicalUrl(visit.page_url) if _url_path(visit.page_url) == _url_path(canonical_url) else canonical_url

    def observe(self, url: str, depth: int, observation: Observation) -> bool:
        """Note a success. Return True if the validators were wrong: they were the same as before for another text."""
        before = self._find_visit(url, depth)
        has_changed = bool(before.version_id and observation.version_id and before.version_id != observation.version_id)
        is_unreliable = has_changed and _same_validators(before, observation.headers)
        after = replace(before, kind=observation.kind, rules=self.rules)
        if observation.is_whole:
            after = _note_response(after, observation)
        has_case = (
            observation.page_id in self.pages_with_open_cases
            if observation.page_id
            else before.page_id in self.pages_with_open_cases
        )
        after = policy.visit_after_success(after, self._clock.now(), has_changed, self._rate, has_case)
        unmodified = 0 if observation.is_whole else before.unmodified + 1
        self._unreliable += is_unreliable and not before.has_unreliable_validator
        self.keep(
            replace(
                after, unmodified=unmodified, has_unreliable_validator=before.has_unreliable_validator or is_unreliable
            )
        )
        return is_unreliable

    def note_failure(self, url: str, depth: int, reason: str, fault: Message) -> None:
        self.keep(policy.visit_after_failure(self._find_visit(url, depth), self._clock.now(), reason, fault))

    def note_refusal(self, url: str, depth: int, reason: str, fault: Message | None) -> None:
        self.keep(policy.visit_after_refusal(self._find_visit(url, depth), self._clock.now(), reason, fault))

    def note_found(self, url: str, depth: int) -> None:
        """Note a URL that this run found but had no time to fetch."""
        if self.get(url) is None:
            self.keep(self._find_visit(url, depth))

    def keep(self, visit: Visit) -> None:
        """Keep a visit until it is saved."""
        self.known[visit.id] = visit
        self.unsaved.keep(visit)

    def _find_visit(self, url: str, depth: int) -> Visit:
        now = self._clock.now()
        known = self.get(url)
        return known if known is not None else Visit(_address_id(self._plan, url), url, depth, found_at=now, due_at=now)


def classify_page(links: Links | None, text_chars: int) -> AddressKind:
    """Classify a page by its content; `text_chars` is 0 if it has no main text."""
    if links is None:
        return AddressKind.DETAIL
    chapters = len(links.chapters)
    if not text_chars:
        is_list = chapters + len(links.others) >= MIN_LINKS_WITHOUT_TEXT
    else:
        is_list = chapters >= MIN_CHAPTER_LINKS and chapters * CHARS_A_LINK >= text_chars
    return AddressKind.LIST if is_list else AddressKind.DETAIL


def rules_digest(plan: CrawlPlan) -> str:
    """Digest the rules for reading pages and following links; if the digest changes, all pages are due."""
    rules = {name: getattr(plan, name) for name in _RULES}
    return hashlib.sha256(json.dumps(rules, sort_keys=True, default=str).encode()).hexdigest()[:16]


def _note_response(visit: Visit, observation: Observation) -> Visit:
    """Return the visit with the headers and ids of a complete page."""
    headers = (
        {name.lower(): value for name, value in observation.headers.items()} if observation.may_be_conditional else {}
    )
    return replace(
        visit,
        etag=headers.get("etag", "")[:200],
        last_modified=headers.get("last-modified", "")[:60],
        page_id=observation.page_id,
        page_url=observation.page_url or visit.page_url,
        version_id=observation.version_id,
        text_digest=observation.text_digest,
    )


def _same_validators(visit: Visit, headers: Mapping[str, str]) -> bool:
    """Return True if the site's validators say that the page is unchanged; the stronger one decides."""
    sent = {name.lower(): value for name, value in headers.items()}
    if visit.etag:
        return sent.get("etag") == visit.etag
    return bool(visit.last_modified) and sent.get("last-modified") == visit.last_modified


def _address_id(plan: CrawlPlan, url: str) -> str:
    try:
        return address_id(plan.site_id, canonical(url))
    except ValueError:
        return address_id(plan.site_id, url)


def _url_path(url: str) -> str:
    """Return a URL without its scheme and host."""
    return url.partition("://")[2].partition("/")[2]


# Visits in memory, for a crawl without an earlier one; a second implementation of the visits port.


@dataclass
class MemoryVisitRepository:
    """core.ports.VisitRepository in memory. pages_with_cases: returned by `pages_with_open_cases` for every site."""

    pages_with_cases: frozenset[PageId] = frozenset()
    moves: list[tuple[SiteId, MovedTo]] = field(default_factory=list)
    kept: dict[SiteId, dict[str, Visit]] = field(default_factory=dict)

    def visits(self, site: SiteId) -> Iterable[Visit]:
        return list(self.kept.get(site, {}).values())

    def save(self, site: SiteId, visits: Collection[Visit]) -> None:
        self.kept.setdefault(site, {}).update((visit.id, visit) for visit in visits)

    def pages_with_open_cases(self, site: SiteId) -> frozenset[PageId]:
        return self.pages_with_cases

    def note_moves(self, site: SiteId, moves: Collection[MovedTo]) -> None:
        self.moves += [(site, move) for move in moves if (site, move) not in self.moves]
