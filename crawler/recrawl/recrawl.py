"""Between a crawl and a site's visits: which answers are news of a page, and what is noted of the others."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from core.captures import CaptureSource
from core.ids import CanonicalUrl, Digest, FinalUrl, RequestedUrl, VersionId, digest, page_id, version_id
from core.pages import FROM_DATA, CrawlPlan, Fetched
from core.ports import Clock, PageHistory, VisitRepository
from core.states import Rejection
from core.visits import AbsenceReason, AddressKind, MovedTo
from core.wording import Message
from crawler.fetching.response_headers import headers_of
from crawler.frontier import PAGE, Frontier, Target
from crawler.items import NotThere, ReadPage, Unchanged, Unread
from crawler.opening import Rejected
from crawler.readers.pages import WholePage
from crawler.recrawl.absences import NotFoundPages, probes
from crawler.recrawl.session import Observation, RecrawlSession, Unsaved, kind_of
from crawler.site_kinds import KINDS
from crawler.sources.listed import Listed

NOT_MODIFIED = 304
RECRAWLED = (
    "zhuiwen_recrawled"  # in the meta of a request for the page that its target names, whole or for the first part
)
ABSENT = "zhuiwen_absent"  # in the meta of a request that was led to where the site leads for addresses that never were
NOT_THERE = (404, 410)
MISSING = "missing"  # the kind of a target that cannot be there
PROBE_PRIORITY = 40
POLL_S, QUIET_POLLS = 0.05, 10  # while lists are waited for: a crawl that asks for nothing half a second has lost one
ABSENT_STATUSES = {404: AbsenceReason.NOT_FOUND, 410: AbsenceReason.GONE}
# Nobody's failure: the site, its owner or the operator wants it so, or there is nothing to read.
REFUSALS = frozenset({Rejection.ROBOTS, Rejection.UNSAFE_ADDRESS, Rejection.OFF_SITE, Rejection.NOT_HTML})


@dataclass(frozen=True, slots=True)
class ConditionalRequest:
    """How a known page is asked for: further headers, and statuses that are news of it and no failure."""

    headers: Mapping[str, str] = field(default_factory=dict)
    statuses: frozenset[int] = frozenset()


class Recrawl:
    """What a crawl asks of its memory of earlier ones, and notes there; see docs/revisits.md.

    Called on the reactor's thread, but for `store_…` and `save`, which wait for a store.
    job_dir: the site's folder, where what its dates are worth is kept. Raises ServiceUnavailable.
    """

    def __init__(
        self, repository: VisitRepository, history: PageHistory, plan: CrawlPlan, clock: Clock, job_dir: Path | None
    ) -> None:
        self._session = RecrawlSession(repository, plan, clock, job_dir)
        self._not_found = NotFoundPages()
        self._repository, self._history, self._plan, self._clock = repository, history, plan, clock
        self._kinds: dict[str, AddressKind] = {}  # of pages that were read and are not stored yet
        self._lists: set[str] = set()  # known ones of this run that are still to be read
        self._probing = 0
        self._is_probed = asyncio.Event()

    def add_due(self, frontier: Frontier, follows: Callable[[str], bool]) -> None:
        """Put into a fresh frontier what earlier runs found and is due."""
        for visit in self._session.due():
            if follows(visit.url):
                frontier.add(visit.url, visit.depth, PAGE)

    def in_order(self, targets: list[Target]) -> tuple[list[Target], list[Target]]:
        """What a run begins with, and known pages, which wait for it: lists may name new pages, and these go first."""
        first: list[Target] = []
        later: list[Target] = []
        for target in targets:
            visit = self._session.of(target.url) if target.kind == PAGE else None
            is_text = visit is not None and visit.kind is AddressKind.DETAIL and target.url not in self._plan.start_urls
            (later if is_text else first).append(target)
        self._lists = {target.url for target in first} if later else set()
        return first, later

    def expect_lists(self, targets: Iterable[Target]) -> None:
        """Let `await_lists` wait for further sitemaps and feeds: what they say of known pages decides what is due."""
        if self._lists:
            self._lists |= {target.url for target in targets if target.kind != PAGE}

    def still_due(self, targets: list[Target], frontier: Frontier) -> list[Target]:
        """Those of `targets` that are fetched for all that lists say of them; the others wait for another run."""
        due = [target for target in targets if self._session.wants(target.url)]
        for target in {*targets} - {*due}:
            frontier.finish(target.url)
        return due

    async def await_lists(self, is_quiet: Callable[[], bool]) -> None:
        """Wait until what `in_order` put first is read; `is_quiet`: nothing is asked for that could still come."""
        quiet_polls = 0
        while self._lists and quiet_polls < QUIET_POLLS:
            await asyncio.sleep(POLL_S)
            quiet_polls = quiet_polls + 1 if is_quiet() else 0

    def settle(self, target: Target) -> None:
        """An address has been read, with all that it names, or came to nothing."""
        self._lists.discard(target.url)

    def probes(self) -> Iterator[Request]:
        """Requests for what cannot be there, where the site has pages that may be lost; with callbacks of their own."""
        urls = []
        if self._session.has_pages:
            pages = [visit.url for visit in self._session.known() if visit.page_id]
            urls = probes(self._plan.start_urls, pages, f"{self._plan.site_id} {self._plan.run_id}")
        self._probing = len(urls)
        for url in urls:
            yield Request(
                url,
                callback=self._take_probe,
                errback=self._end_probe,
                cb_kwargs={"target": Target(url, 0, MISSING)},
                priority=PROBE_PRIORITY,
                dont_filter=True,
                meta={"handle_httpstatus_all": True, "dont_redirect": True, "dont_retry": True},
            )

    async def await_probes(self) -> None:
        """Wait for the answers to `probes`."""
        if self._probing:
            await self._is_probed.wait()

    def _take_probe(self, response: Response, target: Target) -> None:
        """Learn what the site shows where nothing is."""
        self._not_found.learn(response.status, headers_of(response), response.body, response.url)
        self._end_probe()

    def _end_probe(self, failure: Failure | None = None) -> None:
        self._probing -= 1
        if self._probing <= 0:
            self._is_probed.set()

    def known_texts(self) -> Iterable[tuple[str, Digest]]:
        """The addresses of pages that earlier runs kept and that were there last, with the digests of their texts."""
        for visit in self._session.known():
            if visit.text_digest and visit.page_id and visit.absent_since is None and not visit.failures:
                yield visit.url, Digest(visit.text_digest)

    def wants(self, url: str) -> bool:
        """Whether this run should fetch a linked address."""
        return self._session.wants(url)

    def priority(self, target: Target) -> int:
        """Scrapy's priority of a request for a page."""
        return self._session.priority(target.url, target.depth)

    def list_dates(self, entries: Iterable[Listed]) -> None:
        """Take over when a sitemap or feed says that pages changed."""
        self._session.list_dates(entries)

    def conditions(self, url: str, *, is_redirected: bool) -> ConditionalRequest | None:
        """How a known page is asked for; None for an unknown one."""
        visit = self._session.of(url)
        if visit is None:
            return None
        validators = {} if is_redirected else self._session.validators(url)
        statuses = {*(NOT_THERE if visit.page_url else ()), *((NOT_MODIFIED,) if validators else ())}
        return ConditionalRequest(validators, frozenset(statuses))

    def has_page(self, url: str) -> bool:
        """Whether an earlier run kept a page of this address."""
        visit = self._session.of(url)
        return visit is not None and bool(visit.page_url)

    def is_not_found_redirect(self, status: int, headers: Mapping[str, str], url: str) -> bool:
        """Whether a redirect leads to where the site leads for addresses that never were."""
        return self._not_found.is_target(status, headers, url)

    def note_move(self, move: MovedTo) -> None:
        """Note a redirect off the site."""
        self._session.note_move(move)

    def identity(self, url: str, canonical_url: CanonicalUrl) -> CanonicalUrl:
        """What a page is called: its old name where the site has moved and it stands at the same place as before."""
        return self._session.identity(url, canonical_url)

    def answer_without_page(self, response: Response, target: Target) -> Unchanged | NotThere | None:
        """What an answer says that is no page: nothing has changed, or the page is not there. None for a page."""
        if response.status == NOT_MODIFIED:
            return Unchanged(target, self._clock.now())
        if response.request is not None and response.request.meta.get(ABSENT):
            return self._not_there(response, target, AbsenceReason.NOT_FOUND_PAGE)
        reason = ABSENT_STATUSES.get(response.status)
        return self._not_there(response, target, reason) if reason else None

    async def judge(
        self, item: ReadPage | None, page: WholePage, response: Response, target: Target
    ) -> ReadPage | NotThere | None:
        """The item itself, or what it is instead: a page that is lost, or nothing to store, which is noted at once."""
        if isinstance(page.reading, Rejected) and page.reading.reason is Rejection.UNREADABLE:
            self.note_failure(target, page.reading.reason, page.reading.message)
            return None  # it is not looked at here either
        visit = self._session.of(target.url)
        if visit is not None and visit.page_url and self._is_news(item, visit.version_id):
            given = headers_of(response), response.body, response.url
            if await asyncio.get_running_loop().run_in_executor(None, self._not_found.resembles, *given):
                return self._not_there(response, target, AbsenceReason.NOT_FOUND_PAGE)
        kind = self._kind(item, page, target)
        if item is not None:
            self._kinds[target.url] = kind
            return item
        if isinstance(page.reading, Rejected) and page.reading.reason is not Rejection.NO_MAIN_TEXT:
            self.note_failure(target, page.reading.reason, page.reading.message)
        else:
            self._session.observe(target.url, target.depth, Observation(kind, headers_of(response)))
        return None

    def note_stored(self, item: ReadPage, version: VersionId) -> Message | None:
        """Note that a page is stored; a message for the operator where its validators were wrong, else None."""
        is_own = item.target.url in self._kinds  # a text that came in a feed has no response of its own
        observation = Observation(
            kind=self._kinds.pop(item.target.url, AddressKind.DETAIL),
            headers=dict(item.fetched.headers),
            may_be_conditional=is_own and not _says_little(item),
            page_id=page_id(item.fetched.site_id, item.fetched.canonical_url),
            page_url=item.fetched.canonical_url,
            version_id=version,
            text_digest=digest(item.reading.text.encode("utf-8", "surrogatepass")) if item.reading.text else "",
        )
        if not self._session.observe(item.target.url, item.target.depth, observation):
            return None
        return Message("crawl.wrong-validator", url=item.target.url)

    def note_not_stored(self, target: Target, fault: Message) -> None:
        """Note that a page could not be stored."""
        self._session.note_failure(target.url, target.depth, "", fault)

    def store_unchanged(self, item: Unchanged) -> VersionId | None:
        """Keep that a page still shows its current version, which is returned. Raises RetryLater."""
        visit = self._session.of(item.target.url)
        return self._history.seen(visit.page_id, item.at) if visit is not None and visit.page_id else None

    def store_absence(self, item: NotThere) -> None:
        """Keep a response that says that a page is not there. Raises RetryLater."""
        self._history.put_absence(item.fetched, item.reason, is_gone=item.visit.gone_since is not None)

    def store_look(self, item: ReadPage) -> None:
        """Keep a response as it came where the page was asked for alone. Raises RetryLater."""
        if self._plan.only_urls and self.has_page(item.target.url):
            self._history.put_absence(item.fetched, AbsenceReason.LOOKED_AT, is_gone=False)

    def store_unread(self, item: Unread) -> None:
        """Keep a response that could not be read. Raises RetryLater."""
        self._history.put_absence(item.fetched, item.reason, is_gone=False)

    def note_unchanged(self, item: Unchanged) -> None:
        """Note a page of which `store_unchanged` was kept."""
        target, visit = item.target, self._session.of(item.target.url)
        kind = visit.kind if visit is not None else AddressKind.DETAIL
        self._session.observe(target.url, target.depth, Observation(kind, {}, is_whole=False))

    def note_absent(self, item: NotThere) -> None:
        """Note a page of which `store_absence` was kept."""
        self._session.keep(item.visit)

    def note_failure(self, target: Target, reason: Rejection | None, fault: Message) -> None:
        """Note a request that came to nothing; reason None: it leads to an address that this crawl has fetched."""
        self.settle(target)
        if target.kind != PAGE:
            return
        if reason is None:
            self._session.note_refusal(target.url, target.depth, "", None)
        elif reason is Rejection.TOO_MANY_FILES:  # the next run has room for it
            self._session.note_found(target.url, target.depth)
        elif reason in REFUSALS:
            self._session.note_refusal(target.url, target.depth, reason.value, fault)
        else:
            self._session.note_failure(target.url, target.depth, reason.value, fault)

    def note_left(self, frontier: Frontier) -> None:
        """Note the pages that were found and are not fetched: the next run begins with them."""
        for target in (target for target in frontier.pending() if target.kind == PAGE):
            self._session.note_found(target.url, target.depth)

    def take_unsaved(self, least: int) -> Unsaved:
        """What is to be saved, if there is as much as `least`; the caller saves it or gives it back."""
        return self._session.take_unsaved(least)

    def give_back(self, unsaved: Unsaved) -> None:
        """What could not be saved; newer values stay."""
        self._session.give_back(unsaved)

    def save(self, unsaved: Unsaved) -> None:
        """Write to the repository. Raises RetryLater."""
        if unsaved.visits:
            self._repository.save(self._plan.site_id, unsaved.visits)
        if unsaved.moves:
            self._repository.note_moves(self._plan.site_id, unsaved.moves)

    def close(self) -> None:
        """Keep what was learnt of the site's dates."""
        self._session.dates.save()

    def _kind(self, item: ReadPage | None, page: WholePage, target: Target) -> AddressKind:
        if KINDS[self._plan.kind].starts_are_pages:
            return AddressKind.DETAIL
        if target.url in self._plan.start_urls:
            return AddressKind.LIST
        return kind_of(page.links, len(item.reading.text) if item else 0)

    def _is_news(self, item: ReadPage | None, known: str) -> bool:
        if item is None:
            return True
        page = page_id(item.fetched.site_id, item.fetched.canonical_url)
        return version_id(page, item.reading.identity, item.reading.title) != known

    def _not_there(self, response: Response, target: Target, reason: AbsenceReason) -> NotThere | None:
        visit = self._session.of(target.url)
        if visit is None or not visit.page_url:
            return None
        now = self._clock.now()
        # An address whose page had no text any more, and that is not there now, is that page's again.
        page = visit.page_id or page_id(self._plan.site_id, CanonicalUrl(visit.page_url))
        after = self._session.absent(replace(visit, page_id=page), now)
        fetched = Fetched(
            site_id=self._plan.site_id,
            requested_url=RequestedUrl(target.url),
            final_url=FinalUrl(response.url),
            canonical_url=CanonicalUrl(visit.page_url),
            status=response.status,
            headers=tuple(headers_of(response).items()),
            body=response.body,
            fetched_at=now,
        )
        return NotThere(target, fetched, reason, after)


def _says_little(item: ReadPage) -> bool:
    """Whether the text came with other responses than the page's own, which may stay as it is while they change."""
    capture = item.fetched.capture
    is_rendered = capture is not None and capture.source is CaptureSource.BROWSER
    return bool(item.fetched.parts) or is_rendered or item.reading.extractor == FROM_DATA
