"""The spider for any site: it follows a plan, hands on what it reads, and counts what it does not."""

from collections.abc import AsyncIterator, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request, Spider, signals
from scrapy.exceptions import CloseSpider, StopDownload
from scrapy.http import Response
from twisted.python.failure import Failure

from core.captures import Capture
from core.clock import SystemClock
from core.errors import RetryLater, UnsafeUrl
from core.ids import CanonicalUrl, FinalUrl, RequestedUrl
from core.pages import CrawlPlan, Fetched
from core.ports import Clock, Outbox, PageStore, VisitBook
from core.settings import CrawlSettings
from core.states import Rejection
from crawler.fetching.addresses import AddressGuard
from crawler.fetching.capture import capture_of
from crawler.fetching.downloaded_resources import downloaded_resources
from crawler.fetching.resources import SiteResources
from crawler.fetching.response_headers import headers_of
from crawler.frontier import ADDRESS, PAGE, PROBE, ROBOTS, SITEMAP, Frontier, Target
from crawler.items import NotThere, ReadPage, Unchanged
from crawler.links import Links
from crawler.page_reader import PageReader, WholePage
from crawler.politeness.keeper import BYTE_LIMIT, JOB_DIR_SETTING
from crawler.politeness.refusals import Postponed, explain
from crawler.readers.task import Task
from crawler.reading import Rejected
from crawler.sources.listed import Listed, completed
from crawler.sources.robots import MAX_ROBOTS_BYTES
from crawler.sources.sitemaps import Sitemap, SitemapToRead, named_in_robots
from crawler.tally import Tally
from crawler.urls import Scope, identity, scope
from crawler.visits.conditional import REVISIT
from crawler.visits.revisiting import Revisiting

_PRIORITIES = {ROBOTS: 30, SITEMAP: 20, PROBE: 20, PAGE: 0}
PAGE_LIMIT, SILENCE = "page_limit", "no_answer"
# A site that was there and is gone: 10 pages in a row, each tried three times, are no accident any more.
MAX_SILENCES_IN_A_ROW = 10
MAX_SITEMAPS = 100
_PAGE_TYPES = ("text/", "application/xhtml", "application/xml", "application/octet-stream")


class GenericSpider(Spider):
    """Crawls one plan."""

    name = "generic"
    reader: PageReader  # of whatever the site sends

    def __init__(
        self,
        *,
        plan: CrawlPlan,
        store: PageStore,
        outbox: Outbox,
        settings: CrawlSettings,
        frontier: Frontier,
        tally: Tally,
        clock: Clock | None = None,
        visits: VisitBook | None = None,
    ) -> None:
        super().__init__()
        self.plan, self.store, self.outbox, self.frontier, self.tally = plan, store, outbox, frontier, tally
        self._resources: SiteResources | None = None
        self.scope: Scope = scope(plan, tally.add_fault)
        self.guard = AddressGuard(settings.allow_private_hosts)
        self._limits = settings
        self._clock = clock or SystemClock()
        self.revisiting = Revisiting(visits, plan, self._clock) if visits is not None else None
        self._fetched_before = frontier.done_pages
        frontier.priority = self._priority
        self._sitemaps = 0
        self._silences = 0
        self.listed: dict[str, Listed] = {}  # what sitemaps and feeds say of a page, by its address

    @classmethod
    def from_crawler(cls, crawler: Any, *args: Any, **kwargs: Any) -> "GenericSpider":
        spider = super().from_crawler(crawler, *args, **kwargs)
        folder = Path(named) if (named := crawler.settings.get(JOB_DIR_SETTING)) else None
        if folder is not None and spider.revisiting is not None:
            spider.revisiting.visits.keep_dates(folder)
        spider._resources = downloaded_resources(crawler, spider._limits, spider._count_bytes)
        spider.reader = PageReader(spider.plan, folder, spider._resources, spider._limits.cache)
        crawler.signals.connect(spider.count_request, signal=signals.request_reached_downloader)
        crawler.signals.connect(spider.refuse_binary, signal=signals.headers_received)
        crawler.signals.connect(spider.note_fault, signal=signals.spider_error)
        crawler.signals.connect(spider.note_item_fault, signal=signals.item_error)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """The start pages, or what an earlier run of the same plan left to do."""
        self.frontier.may_take = False
        self._prepare()
        if self.revisiting is not None:
            for probe in self.revisiting.probes(self.parse_probe, self.note_probe):
                yield probe
            await self.revisiting.probed()
        self.frontier.may_take = True
        if self.frontier.is_shared:
            return  # what is asked for, and what waits for lists, is in the order of all processes
        if self.revisiting is not None:
            first, later = self.revisiting.in_order(self.frontier.pending())
            for target in first:
                yield self._request(target)
            await self.revisiting.lists_read(self._is_quiet)
            later = self.revisiting.still_due(later, self.frontier)
            for target in later:
                yield self._request(target)
            return
        for target in self.frontier.pending():
            yield self._request(target)

    async def parse_answer(self, response: Response, target: Target) -> AsyncIterator[Any]:
        """Tell a page from an answer that has none: nothing has changed, or the page is not there."""
        answer = self.revisiting.answer_without_page(response, target) if self.revisiting is not None else None
        if answer is None:
            async for found in self.parse_page(response, target):
                yield found
            if self.revisiting is not None:
                self.revisiting.settled(target)
            return
        self._silences = 0
        self.tally.counts.fetched += isinstance(answer, Unchanged)
        self.tally.counts.bytes_fetched += len(response.body)
        if isinstance(answer, NotThere):
            self._reject_absence(answer)
        yield answer
        if self.revisiting is not None:
            self.revisiting.settled(target)
        self.tally.tell()
        if self._is_full():
            raise CloseSpider(PAGE_LIMIT)

    def parse_probe(self, response: Response, target: Target) -> None:
        """Learn what the site shows where nothing is."""
        if self.revisiting is not None:
            self.revisiting.answered_probe(response)

    def note_probe(self, failure: Failure) -> None:
        if self.revisiting is not None:
            self.revisiting.answered_probe(None)

    def now(self) -> datetime:
        return self._clock.now()

    def _is_quiet(self) -> bool:
        """Whether nothing is asked for, waits to be, or is being read."""
        engine = self.crawler.engine
        slot, scraper = (engine._slot, engine.scraper.slot) if engine is not None else (None, None)
        is_idle = slot is None or not (slot.inprogress or slot.scheduler.has_pending_requests())
        return is_idle and (scraper is None or scraper.is_idle())

    async def parse_page(self, response: Response, target: Target) -> AsyncIterator[Request | ReadPage]:
        """Read one page: its links become requests, its text an item."""
        if self._is_full():
            return
        headers = headers_of(response)
        page = await self._read(response, is_kept=self.scope.keeps(response.url))
        requests = list(self._link_requests(page.links, target.depth)) if page.links else []
        item: ReadPage | NotThere | None = self._item(response, headers, page, target)
        if self.revisiting is not None:
            item = await self.revisiting.judged(item, page, response, target)  # type: ignore[arg-type]
        if isinstance(item, NotThere):
            self._reject_absence(item)
        if item is None:
            self.frontier.finish(target.url)
        else:
            yield item  # type: ignore[misc] # the pipeline takes both; who extends this method yields pages
        self.tally.tell()
        if self._is_full():
            raise CloseSpider(PAGE_LIMIT)
        for request in requests:
            yield request

    async def _read(self, response: Response, *, is_kept: bool) -> WholePage:
        """Read and count one page."""
        self._silences = 0
        self.tally.counts.fetched += 1
        self.tally.counts.bytes_fetched += len(response.body)
        page = await self.reader.read(response.body, headers_of(response), response.url, is_kept=is_kept)
        self.tally.counts.seconds_extract += page.seconds
        return page

    async def parse_sitemap(self, response: Response, target: Target) -> AsyncIterator[Request]:
        """The pages that a sitemap lists, and the sitemaps that it names."""
        self._silences = 0
        self.tally.counts.bytes_fetched += len(response.body)
        sitemap = await self._listing(SitemapToRead(response.url, response.body, self._limits.max_body_bytes))
        if sitemap is None and target.kind == SITEMAP:
            self.tally.reject(Rejection.NOT_HTML, f"{response.url} is no sitemap, or too large a one")
        if isinstance(sitemap, Sitemap):
            for request in self._listed_requests(sitemap):
                yield request
        self.frontier.finish(target.url)
        self._settle_list(target)

    async def _listing(self, task: Task) -> Any:
        """What a sitemap or a feed lists; Rejected, and counted, where reading it was given up."""
        found = await self.reader.run(task)
        if isinstance(found, Rejected):
            self.tally.reject(found.reason, found.sentence)
        return found

    def _listed_requests(self, sitemap: Sitemap) -> Iterator[Request]:
        yield from self._sitemap_requests(sitemap.sitemaps)
        followed = [entry for entry in sitemap.entries if self.scope.follows(entry.url)][: self.plan.max_pages]
        self._note_listed(followed)
        pages = [entry.url for entry in followed]
        yield from self._new_requests(pages, 1, PAGE)

    def parse_robots(self, response: Response, target: Target) -> Iterator[Request]:
        """The sitemaps that robots.txt names."""
        named = named_in_robots(response.body[:MAX_ROBOTS_BYTES].decode("utf-8", "replace"))
        yield from self._sitemap_requests(tuple(urljoin(response.url, url) for url in named))
        self.frontier.finish(target.url)
        self._settle_list(target)

    def _note_listed(self, entries: list[Listed]) -> None:
        self.listed.update((entry.url, entry) for entry in entries)
        if self.revisiting is not None:
            self.revisiting.visits.list_dates(entries)

    def _settle_list(self, target: Target) -> None:
        if self.revisiting is not None:
            self.revisiting.settled(target)

    def note_failure(self, failure: Failure) -> None:
        """Count a request that came to nothing; errors of a probe are no news."""
        if isinstance(failure.value, Postponed):
            return  # the journal has it still to be done
        request: Request = failure.request  # type: ignore[attr-defined]
        target: Target = request.cb_kwargs["target"]
        reason, sentence = explain(failure, target.url, self._limits.timeout_s, self._limits.max_body_bytes)
        self._given_up(target)
        if self.revisiting is not None:
            self.revisiting.failed(target, reason, sentence)
        if target.kind in (PROBE, ROBOTS) or reason is None:
            return
        self.tally.reject(reason, "" if reason is Rejection.ROBOTS and target.depth else sentence)
        self.tally.tell()
        self._silences = self._silences + 1 if reason is Rejection.NO_ANSWER else 0
        if self._silences >= MAX_SILENCES_IN_A_ROW:
            self.tally.add_fault(f"{urlsplit(target.url).netloc} has stopped answering; the crawl ends here")
            raise CloseSpider(SILENCE)

    def _given_up(self, target: Target) -> None:
        """Nothing more is asked of an address that failed; as it brought no page, it takes none of the limit."""
        self.frontier.finish(target.url, is_counted=False)

    def closed(self, reason: str) -> None:
        """Scrapy's last call: why the crawl ended, in one word."""
        counts = self.tally.counts
        if reason == "finished" and not counts.fetched and counts.rejected:
            reason = max(counts.rejected, key=lambda name: counts.rejected[name])
        if reason == "finished" and self.frontier.has_reached_limit:
            reason = PAGE_LIMIT
        counts.finish_reason = "stopped" if reason == "shutdown" else reason
        self.reader.close()
        if self.revisiting is not None:
            self.revisiting.visits.dates.save()
        self.frontier.close(is_complete=self.frontier.is_empty() or reason in (PAGE_LIMIT, BYTE_LIMIT))
        self.tally.tell(is_last=True)

    def _count_bytes(self, count: int) -> None:
        """What pages refer to is fetched as well."""
        self.tally.counts.bytes_fetched += count

    def count_request(self, request: Request, spider: Spider) -> None:
        target = request.cb_kwargs.get("target")
        if target is not None and target.kind == PAGE:
            self.tally.counts.requested += 1

    def refuse_binary(self, headers: Any, body_length: int, request: Request, spider: Spider) -> None:
        """Stop the download of what says that it is no page before its body comes."""
        target = request.cb_kwargs.get("target")
        media_type = (headers.get("Content-Type") or b"text/html").decode("latin-1").strip().lower()
        if target is not None and target.kind == PAGE and not media_type.startswith(_PAGE_TYPES):
            raise StopDownload(fail=True)

    def note_fault(self, failure: Failure, response: Response, spider: Spider) -> None:
        fault = failure.value
        if isinstance(fault, RetryLater):
            self.tally.fail(f"{response.url} is not stored, and is fetched again: {fault}")
            return
        self.tally.fail(f"{response.url} could not be read: {type(fault).__name__}; please report this page")

    def note_item_fault(self, item: ReadPage, response: Response, spider: Spider, failure: Failure) -> None:
        self.tally.fail(
            f"{item.fetched.canonical_url} could not be stored: {type(failure.value).__name__}: {failure.value}"
        )

    def _prepare(self) -> None:
        """What the crawl begins with, unless an earlier run or another process has left something to do."""
        if self.frontier.notice:
            self.tally.add_fault(self.frontier.notice)
        if self.frontier.is_empty():
            self._seed()
            if self.revisiting is not None:
                self.revisiting.add_due(self.frontier, self.scope.follows)

    def _seed(self) -> None:
        for url in self._safe(self.plan.start_urls):
            self.frontier.add(url, 0, PAGE)
            if self.plan.use_sitemap:
                self.frontier.add(urljoin(url, "/robots.txt"), 0, ROBOTS)
                self.frontier.add(urljoin(url, "/sitemap.xml"), 0, PROBE)
        for url in self.plan.sitemap_urls:
            self.frontier.add(url, 0, SITEMAP)

    def _safe(self, urls: Iterable[str]) -> Iterator[str]:
        """Those that may be fetched; the others are counted."""
        for url in urls:
            try:
                self.guard.check_url(url)
            except UnsafeUrl as fault:
                self.tally.reject(Rejection.UNSAFE_ADDRESS, str(fault))
            else:
                yield url

    def _request(self, target: Target) -> Request:
        callback = {PAGE: self.parse_answer, ROBOTS: self.parse_robots}.get(target.kind, self.parse_sitemap)
        return Request(
            target.url,
            callback=callback,
            errback=self.note_failure,
            cb_kwargs={"target": target},
            priority=self._priority(target),
            dont_filter=True,  # the frontier knows what was asked for
            meta={ADDRESS: True, "dont_obey_robotstxt": target.kind == ROBOTS, REVISIT: target.kind == PAGE},
        )

    def _item(self, response: Response, headers: dict[str, str], page: WholePage, target: Target) -> ReadPage | None:
        reading = page.reading
        if reading is None:
            return None
        if isinstance(reading, Rejected):
            # A list has no text of its own; only where the plan says that texts stand there is it worth a sentence.
            is_expected = reading.reason is Rejection.NO_MAIN_TEXT and not self.plan.page_patterns
            self.tally.reject(reading.reason, "" if is_expected else reading.sentence)
            return None
        url: CanonicalUrl = identity(response.url, page.links.declared_canonical if page.links else "")
        if self.revisiting is not None:
            url = self.revisiting.visits.identity(target.url, url)
        fetched = Fetched(
            site_id=self.plan.site_id,
            requested_url=RequestedUrl(target.url),
            final_url=FinalUrl(response.url),
            canonical_url=url,
            status=response.status,
            headers=tuple(headers.items()),
            body=response.body,
            fetched_at=self._clock.now(),
            capture=self._captured(response),
        )
        return ReadPage(target, fetched, completed(reading, self.listed.get(target.url)))

    def _captured(self, response: Response) -> Capture | None:
        """How a response was fetched, with what was fetched to read it."""
        return capture_of(response, self._resources.taken(response.url) if self._resources is not None else ())

    def _link_requests(self, found: Links, depth: int) -> Iterator[Request]:
        """Next parts of the same text first, at the same depth: a text of fifty parts is not fifty levels deep."""
        yield from self._new_requests([url for url in found.next_pages if self.scope.allows(url)], depth, PAGE)
        if depth < self.plan.max_depth:
            yield from self._new_requests([url for url in found.chapters if self.scope.follows(url)], depth + 1, PAGE)
            yield from self._new_requests([url for url in found.others if self.scope.follows(url)], depth + 1, PAGE)

    def _new_requests(self, urls: list[str], depth: int, kind: str) -> Iterator[Request]:
        if kind == PAGE and self.revisiting is not None:
            urls = [url for url in urls if self.revisiting.visits.wants(url)]
        targets = self.frontier.add_all(Target(url, depth, kind) for url in urls)
        if self.revisiting is not None:
            self.revisiting.listed(targets)
        for target in targets:
            yield self._request(target)

    def _priority(self, target: Target) -> int:
        if target.kind == PAGE and self.revisiting is not None:
            return self.revisiting.visits.priority(target.url, target.depth)
        return _PRIORITIES.get(target.kind, _PRIORITIES[SITEMAP]) - target.depth

    def _reject_absence(self, answer: NotThere) -> None:
        self.tally.reject(Rejection.HTTP_ERROR, f"{answer.target.url} is not there any more ({answer.fetched.status})")

    def _sitemap_requests(self, urls: tuple[str, ...]) -> Iterator[Request]:
        wanted = [url for url in urls if self.scope.is_on_site(url)][: max(0, MAX_SITEMAPS - self._sitemaps)]
        self._sitemaps += len(wanted)
        yield from self._new_requests(wanted, 0, SITEMAP)

    def _is_full(self) -> bool:
        return self._fetched_before + self.tally.counts.fetched >= self.plan.max_pages
