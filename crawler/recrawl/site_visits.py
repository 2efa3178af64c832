"""Stores what earlier crawls know about the URLs of a site, and what this crawl learns; see docs/revisits.md.

A page counts as visited when it has been stored, never before. Values change on the reactor's thread.
`UnsavedVisits.save` is called in a thread that may wait for a database.
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
SAVE_EVERY = 50  # visits that are saved together; a crawl that is killed repeats at most as many fetches
# A list of chapters may have a synopsis, and a text has a few links to its neighbours. If the titles of the links (some
# 10 characters each) make up a third of the text or more, the page is a list. Chosen, not measured.
MIN_CHAPTER_LINKS, CHARS_A_LINK = 5, 30
MIN_LINKS_WITHOUT_TEXT = 3
# Many sites state the current time as the date of all pages. Then the dates say nothing. Chosen, not measured. The
# share is of the known pages with a date; up to the second number, they are visited in any case.
MAX_ANNOUNCED, MIN_ANNOUNCED = 0.5, 10
MIN_UNRELIABLE_PAGES = 3  # pages with wrong validators, after which all validators of the site are ignored
# The order: lists, which link to new pages; new pages; pages of open cases; due pages. The depth, at most 50, decides
# within each of these.
LIST_PRIORITY, NEW_PRIORITY, CASE_PRIORITY, DUE_PRIORITY = 10, -60, -120, -180
_RULES = (
    *("follow_patterns", "page_patterns", "deny_patterns", "next_page_selector", "chapter_list_selector"),
    *("body_selector", "title_selector", "encoding", "max_depth", "obey_robots", "kind"),
)


@dataclass(frozen=True, slots=True)
class Unsaved:
    """The visits and moves that are not saved in the repository yet."""

    visits: tuple[Visit, ...] = ()
    moves: tuple[MovedTo, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.visits or self.moves)


@dataclass(frozen=True, slots=True)
class Observation:
    """The result of a successful visit. `text_digest` and the ids are "" if no text was stored."""

    kind: AddressKind
    headers: Mapping[str, str]
    is_whole: bool = True  # False if the site reported that nothing has changed
    may_be_conditional: bool = True  # False for a text from several responses, because validators describe only one
    page_id: PageId = PageId("")  # noqa: RUF009 - a NewType makes no call
    page_url: str = ""
    version_id: VersionId = VersionId("")  # noqa: RUF009
    text_digest: str = ""


@dataclass(frozen=True, slots=True)
class ConditionalRequest:
    """Headers to add to the request for a known page, and the status codes that are results and not failures."""

    headers: Mapping[str, str] = field(default_factory=dict)
    statuses: frozenset[int] = frozenset()


class UnsavedVisits:
    """Collects the visits and moves that are not saved in the repository yet. Newer values replace older ones."""

    def __init__(self, repository: VisitRepository, site: SiteId) -> None:
        self._repository, self._site = repository, site
        self._visits: dict[str, Visit] = {}
        self._moves: list[MovedTo] = []

    def keep(self, visit: Visit) -> None:
        self._visits[visit.id] = visit

    def note_move(self, move: MovedTo) -> None:
        """Record a redirect to another site."""
        self._moves.append(move)

    def take(self, least: int) -> Unsaved:
        """Remove and return all entries if there are at least `least` of them.

        The caller saves them or gives them back.
        """
        if len(self._visits) + len(self._moves) < least:
            return Unsaved()
        taken = Unsaved(tuple(self._visits.values()), tuple(self._moves))
        self._visits, self._moves = {}, []
        return taken

    def give_back(self, unsaved: Unsaved) -> None:
        """Add entries again that could not be saved. Newer visits take precedence."""
        self._visits = {visit.id: visit for visit in unsaved.visits} | self._visits
        self._moves = [*unsaved.moves, *self._moves]

    def save(self, unsaved: Unsaved) -> None:
        """Save entries in the repository. Raises RetryLater if it does not respond."""
        if unsaved.visits:
            self._repository.save(self._site, unsaved.visits)
        if unsaved.moves:
            self._repository.note_moves(self._site, unsaved.moves)


class SiteVisits:
    """The visits of one crawl of a plan, by the ids of their URLs."""

    def __init__(self, repository: VisitRepository, plan: CrawlPlan, clock: Clock) -> None:
        self._plan, self._clock = plan, clock
        self.rules = rules_digest(plan)
        self.began_at = clock.now()
        self.known = {visit.id: visit for visit in repository.visits(plan.site_id)}
        self.pages_with_open_cases = repository.pages_with_open_cases(plan.site_id)
        self.unsaved = UnsavedVisits(repository, plan.site_id)
        self._dated: set[str] = set()  # ids of the known pages for which a list states a date
        self._announced: set[str] = set()  # ids of those with a later date than their last visit
        self._rate = policy.site_rate(self.known.values())
        self._unreliable = sum(visit.has_unreliable_validator for visit in self.known.values())

    def get(self, url: str) -> Visit | None:
        return self.known.get(_address_id(self._plan, url))

    def has_page(self, url: str) -> bool:
        """Return True if an earlier run stored a page for this URL."""
        visit = self.get(url)
        return visit is not None and bool(visit.page_url)

    def texts(self) -> Iterable[tuple[str, Digest]]:
        """Yield the URLs of stored pages that were online at their last visit, each with the digest of its text."""
        for visit in self.known.values():
            if visit.text_digest and visit.page_id and visit.absent_since is None and not visit.failures:
                yield visit.url, Digest(visit.text_digest)

    def should_fetch(self, url: str) -> bool:
        """Return True if this run should fetch a linked URL because it is new, is a list, or is due."""
        visit = self.get(url)
        if visit is None or self._plan.only_urls:
            return True
        is_due = policy.is_due(visit, self.began_at, self.rules)
        # The date in a list does not count after a failure, for changed rules, and for pages of open cases.
        is_troubled = visit.failures or visit.absent_since is not None or visit.rules != self.rules
        if visit.kind is not AddressKind.DETAIL or is_troubled or visit.page_id in self.pages_with_open_cases:
            return is_due
        return is_due or self._is_announced(visit)

    def list_dates(self, entries: Iterable[ListedPage]) -> None:
        """Record which known pages have changed since their last visit according to a sitemap or feed."""
        for entry in entries:
            visit = self.get(entry.url)
            if visit is None or visit.seen_at is None or entry.modified is None:
                continue
            self._dated.add(visit.id)
            if visit.seen_at < entry.modified <= self.began_at + policy.DAY:  # later dates are wrong
                self._announced.add(visit.id)

    def _is_announced(self, visit: Visit) -> bool:
        """Return True if a list states that a page has changed.

        A site that states this for most pages is not believed.
        """
        is_believed = len(self._announced) <= max(MIN_ANNOUNCED, MAX_ANNOUNCED * len(self._dated))
        return is_believed and visit.id in self._announced

    def priority(self, url: str, depth: int) -> int:
        """Return Scrapy's priority for the request for a page."""
        visit = self.get(url)
        if visit is not None and visit.page_id in self.pages_with_open_cases:
            return CASE_PRIORITY - depth
        if visit is None or visit.kind is AddressKind.UNKNOWN:
            return NEW_PRIORITY - depth
        return (LIST_PRIORITY if visit.kind is AddressKind.LIST else DUE_PRIORITY) - depth

    def conditions(self, url: str, *, is_redirected: bool) -> ConditionalRequest | None:
        """Return the conditions for the request for a known page (RFC 9110, 13.1), or None if the page is unknown.

        A page that a person requests by itself is fetched completely, because a 304 would not contain it.
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
        """Return the canonical URL that identifies a page.

        If the site has moved and the path is unchanged, it is the previous one.
        """
        visit = self.get(url)
        if visit is None or not visit.is_moved or not visit.page_url:
            return canonical_url
        return CanonicalUrl(visit.page_url) if _url_path(visit.page_url) == _url_path(canonical_url) else canonical_url

    def observe(self, url: str, depth: int, observation: Observation) -> bool:
        """Record a success.

        Return True if the validators were wrong: they were unchanged although the text has changed.
        """
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
        """Record a URL that this run found but did not fetch."""
        if self.get(url) is None:
            self.keep(self._find_visit(url, depth))

    def keep(self, visit: Visit) -> None:
        """Store a visit until it is saved in the repository."""
        self.known[visit.id] = visit
        self.unsaved.keep(visit)

    def _find_visit(self, url: str, depth: int) -> Visit:
        now = self._clock.now()
        known = self.get(url)
        return known if known is not None else Visit(_address_id(self._plan, url), url, depth, found_at=now, due_at=now)


def classify_page(links: Links | None, text_chars: int) -> AddressKind:
    """Classify a page as a list or a text. text_chars: the length of its main text, 0 if it has none."""
    if links is None:
        return AddressKind.DETAIL
    chapters = len(links.chapters)
    if not text_chars:
        is_list = chapters + len(links.others) >= MIN_LINKS_WITHOUT_TEXT
    else:
        is_list = chapters >= MIN_CHAPTER_LINKS and chapters * CHARS_A_LINK >= text_chars
    return AddressKind.LIST if is_list else AddressKind.DETAIL


def rules_digest(plan: CrawlPlan) -> str:
    """Return a digest of the rules for reading pages and following links. If it changes, all pages are due."""
    rules = {name: getattr(plan, name) for name in _RULES}
    return hashlib.sha256(json.dumps(rules, sort_keys=True, default=str).encode()).hexdigest()[:16]


def _note_response(visit: Visit, observation: Observation) -> Visit:
    """Return a visit with the headers and ids of a complete page."""
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
    """Return True if the site's validators are those of the last visit. An ETag takes precedence over a date."""
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
    """Return the part of a URL after its scheme and host."""
    return url.partition("://")[2].partition("/")[2]


# Stores visits in memory, for a crawl without earlier ones. A second implementation of the port.


@dataclass
class MemoryVisitRepository:
    """Implements core.ports.VisitRepository in memory. pages_with_cases: the pages with open cases of every site."""

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
