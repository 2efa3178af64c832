"""Between a crawl and a site's visits: which answers are news of a page, and what is noted of the others."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
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
from crawler.recrawl.recrawl import ABSENT, NOT_MODIFIED, NOT_THERE, ConditionalRequest, Unsaved
from crawler.recrawl.session import Observation, RecrawlSession, kind_of
from crawler.site_kinds import KINDS
from crawler.sources.listed import Listed

MISSING = "missing"  # the kind of a target that cannot be there
PROBE_PRIORITY = 40
POLL_S, QUIET_POLLS = 0.05, 10  # while lists are waited for: a crawl that asks for nothing half a second has lost one
ABSENT_STATUSES = {404: AbsenceReason.NOT_FOUND, 410: AbsenceReason.GONE}
# Nobody's failure: the site, its owner or the operator wants it so, or there is nothing to read.
REFUSALS = frozenset({Rejection.ROBOTS, Rejection.UNSAFE_ADDRESS, Rejection.OFF_SITE, Rejection.NOT_HTML})


class RecrawlAdapter:
    """crawler.recrawl.recrawl.Recrawl over what is known of a site; see docs/revisits.md.

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
        for visit in self._session.due():
            if follows(visit.url):
                frontier.add(visit.url, visit.depth, PAGE)

    def in_order(self, targets: list[Target]) -> tuple[list[Target], list[Target]]:
        first: list[Target] = []
        later: list[Target] = []
        for target in targets:
            visit = self._session.of(target.url) if target.kind == PAGE else None
            is_text = visit is not None and visit.kind is AddressKind.DETAIL and target.url not in self._plan.start_urls
            (later if is_text else first).append(target)
        self._lists = {target.url for target in first} if later else set()
        return first, later

    def expect_lists(self, targets: Iterable[Target]) -> None:
        if self._lists:
            self._lists |= {target.url for target in targets if target.kind != PAGE}

    def still_due(self, targets: list[Target], frontier: Frontier) -> list[Target]:
        due = [target for target in targets if self._session.wants(target.url)]
        for target in {*targets} - {*due}:
            frontier.finish(target.url)
        return due

    async def await_lists(self, is_quiet: Callable[[], bool]) -> None:
        quiet_polls = 0
        while self._lists and quiet_polls < QUIET_POLLS:
            await asyncio.sleep(POLL_S)
            quiet_polls = quiet_polls + 1 if is_quiet() else 0

    def settle(self, target: Target) -> None:
        self._lists.discard(target.url)

    def probes(self) -> Iterator[Request]:
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
        for visit in self._session.known():
            if visit.text_digest and visit.page_id and visit.absent_since is None and not visit.failures:
                yield visit.url, Digest(visit.text_digest)

    def wants(self, url: str) -> bool:
        return self._session.wants(url)

    def priority(self, target: Target) -> int:
        return self._session.priority(target.url, target.depth)

    def list_dates(self, entries: Iterable[Listed]) -> None:
        self._session.list_dates(entries)

    def conditions(self, url: str, *, is_redirected: bool) -> ConditionalRequest | None:
        visit = self._session.of(url)
        if visit is None:
            return None
        validators = {} if is_redirected else self._session.validators(url)
        statuses = {*(NOT_THERE if visit.page_url else ()), *((NOT_MODIFIED,) if validators else ())}
        return ConditionalRequest(validators, frozenset(statuses))

    def has_page(self, url: str) -> bool:
        visit = self._session.of(url)
        return visit is not None and bool(visit.page_url)

    def is_not_found_redirect(self, status: int, headers: Mapping[str, str], url: str) -> bool:
        return self._not_found.is_target(status, headers, url)

    def note_move(self, move: MovedTo) -> None:
        self._session.note_move(move)

    def identity(self, url: str, canonical_url: CanonicalUrl) -> CanonicalUrl:
        return self._session.identity(url, canonical_url)

    def answer_without_page(self, response: Response, target: Target) -> Unchanged | NotThere | None:
        if response.status == NOT_MODIFIED:
            return Unchanged(target, self._clock.now())
        if response.request is not None and response.request.meta.get(ABSENT):
            return self._not_there(response, target, AbsenceReason.NOT_FOUND_PAGE)
        reason = ABSENT_STATUSES.get(response.status)
        return self._not_there(response, target, reason) if reason else None

    async def judge(
        self, item: ReadPage | None, page: WholePage, response: Response, target: Target
    ) -> ReadPage | NotThere | None:
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
        self._session.note_failure(target.url, target.depth, "", fault)

    def store_unchanged(self, item: Unchanged) -> VersionId | None:
        visit = self._session.of(item.target.url)
        return self._history.seen(visit.page_id, item.at) if visit is not None and visit.page_id else None

    def store_absence(self, item: NotThere) -> None:
        self._history.put_absence(item.fetched, item.reason, is_gone=item.visit.gone_since is not None)

    def store_look(self, item: ReadPage) -> None:
        if self._plan.only_urls and self.has_page(item.target.url):
            self._history.put_absence(item.fetched, AbsenceReason.LOOKED_AT, is_gone=False)

    def store_unread(self, item: Unread) -> None:
        self._history.put_absence(item.fetched, item.reason, is_gone=False)

    def note_unchanged(self, item: Unchanged) -> None:
        target, visit = item.target, self._session.of(item.target.url)
        kind = visit.kind if visit is not None else AddressKind.DETAIL
        self._session.observe(target.url, target.depth, Observation(kind, {}, is_whole=False))

    def note_absent(self, item: NotThere) -> None:
        self._session.keep(item.visit)

    def note_failure(self, target: Target, reason: Rejection | None, fault: Message) -> None:
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
        for target in (target for target in frontier.pending() if target.kind == PAGE):
            self._session.note_found(target.url, target.depth)

    def take_unsaved(self, least: int) -> Unsaved:
        return self._session.take_unsaved(least)

    def give_back(self, unsaved: Unsaved) -> None:
        self._session.give_back(unsaved)

    def save(self, unsaved: Unsaved) -> None:
        if unsaved.visits:
            self._repository.save(self._plan.site_id, unsaved.visits)
        if unsaved.moves:
            self._repository.note_moves(self._plan.site_id, unsaved.moves)

    def close(self) -> None:
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
