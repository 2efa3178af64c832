"""Between a spider and the book of visits: which answers are news of a page, and what is noted of the others."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from scrapy import Request
from scrapy.http import Response

from core.ids import CanonicalUrl, FinalUrl, RequestedUrl, VersionId, page_id, version_id
from core.pages import Fetched, SpiderKind
from core.ports import Clock, VisitBook
from core.states import Rejection
from core.visits import AbsenceReason, AddressKind
from crawler.fetching.response_headers import headers_of
from crawler.frontier import PAGE, Frontier, Target
from crawler.items import NotThere, ReadPage, Unchanged
from crawler.page_reader import WholePage
from crawler.reading import Rejected
from crawler.visits.absences import NotFoundPages, probes
from crawler.visits.conditional import ABSENT, NOT_MODIFIED
from crawler.visits.visiting import CrawlVisits, Look, kind_of

MISSING = "missing"  # the kind of a target that cannot be there
PROBE_PRIORITY = 40
LOOK_S, QUIET_LOOKS = 0.05, 10  # while lists are waited for: a crawl that asks for nothing half a second has lost one
ABSENT_STATUSES = {404: AbsenceReason.NOT_FOUND, 410: AbsenceReason.GONE}
# Nobody's failure: the site, its owner or the operator wants it so, or there is nothing to read.
REFUSALS = frozenset({Rejection.ROBOTS, Rejection.UNSAFE_ADDRESS, Rejection.OFF_SITE, Rejection.NOT_HTML})


class Revisiting:
    """The visits of one crawl, as its spider needs them."""

    def __init__(self, book: VisitBook, plan: Any, clock: Clock) -> None:
        self.visits = CrawlVisits(book, plan, clock)
        self.not_found = NotFoundPages()
        self._plan, self._clock = plan, clock
        self._kinds: dict[str, AddressKind] = {}  # of pages that were read and are not stored yet
        self._lists: set[str] = set()  # known ones of this run that are still to be read
        self._probing = 0
        self._is_probed = asyncio.Event()

    def add_due(self, frontier: Frontier, follows: Any) -> None:
        """Put into a fresh frontier what earlier runs found and is due."""
        for visit in self.visits.due():
            if follows(visit.url):
                frontier.add(visit.url, visit.depth, PAGE)

    def in_order(self, targets: list[Target]) -> tuple[list[Target], list[Target]]:
        """What a run begins with, and known pages, which wait for it: lists may name new pages, and these go first."""
        first: list[Target] = []
        later: list[Target] = []
        for target in targets:
            visit = self.visits.of(target.url) if target.kind == PAGE else None
            is_text = visit is not None and visit.kind is AddressKind.DETAIL and target.url not in self._plan.start_urls
            (later if is_text else first).append(target)
        self._lists = {target.url for target in first} if later else set()
        return first, later

    def listed(self, targets: Iterable[Target]) -> None:
        """Wait for further sitemaps and feeds, too: what they say of known pages decides whether these are fetched."""
        if self._lists:
            self._lists |= {target.url for target in targets if target.kind != PAGE}

    def still_due(self, targets: list[Target], frontier: Frontier) -> list[Target]:
        """Those of `targets` that are fetched for all that lists say of them; the others wait for another run."""
        due = [target for target in targets if self.visits.wants(target.url)]
        for target in {*targets} - {*due}:
            frontier.finish(target.url)
        return due

    async def lists_read(self, is_quiet: Callable[[], bool]) -> None:
        """Wait until what `in_order` put first is read; `is_quiet`: nothing is asked for that could still come."""
        quiet_looks = 0
        while self._lists and quiet_looks < QUIET_LOOKS:
            await asyncio.sleep(LOOK_S)
            quiet_looks = quiet_looks + 1 if is_quiet() else 0

    def settled(self, target: Target) -> None:
        """An address has been read, with all that it names, or came to nothing."""
        self._lists.discard(target.url)

    def probes(self, callback: Any, errback: Any) -> Iterator[Request]:
        """Requests for what cannot be there, where the site has pages that may be lost."""
        urls = []
        if self.visits.has_pages:
            pages = [visit.url for visit in self.visits.known() if visit.page_id]
            urls = probes(self._plan.start_urls, pages, f"{self._plan.site_id} {self._plan.run_id}")
        self._probing = len(urls)
        for url in urls:
            yield Request(
                url,
                callback=callback,
                errback=errback,
                cb_kwargs={"target": Target(url, 0, MISSING)},
                priority=PROBE_PRIORITY,
                dont_filter=True,
                meta={"handle_httpstatus_all": True, "dont_redirect": True, "dont_retry": True},
            )

    async def probed(self) -> None:
        """Wait for the answers to `probes`."""
        if self._probing:
            await self._is_probed.wait()

    def answered_probe(self, response: Response | None) -> None:
        """Take over one answer; None: there was none."""
        if response is not None:
            self.not_found.learn(response.status, headers_of(response), response.body, response.url)
        self._probing -= 1
        if self._probing <= 0:
            self._is_probed.set()

    def answer_without_page(self, response: Response, target: Target) -> Unchanged | NotThere | None:
        """What an answer says that is no page: nothing has changed, or the page is not there. None for a page."""
        if response.status == NOT_MODIFIED:
            return Unchanged(target, self._clock.now())
        if response.request is not None and response.request.meta.get(ABSENT):
            return self._not_there(response, target, AbsenceReason.NOT_FOUND_PAGE)
        reason = ABSENT_STATUSES.get(response.status)
        return self._not_there(response, target, reason) if reason else None

    async def judged(
        self, item: ReadPage | None, page: WholePage, response: Response, target: Target
    ) -> ReadPage | NotThere | None:
        """The item itself, or what it is instead: a page that is lost, or nothing to store, which is noted at once."""
        visit = self.visits.of(target.url)
        if visit is not None and visit.page_id and self._is_news(item, visit.version_id):
            given = headers_of(response), response.body, response.url
            if await asyncio.get_running_loop().run_in_executor(None, self.not_found.resembles, *given):
                return self._not_there(response, target, AbsenceReason.NOT_FOUND_PAGE)
        kind = self._kind(item, page, target)
        if item is not None:
            self._kinds[target.url] = kind
            return item
        if isinstance(page.reading, Rejected) and page.reading.reason is not Rejection.NO_MAIN_TEXT:
            self.failed(target, page.reading.reason, page.reading.sentence)
        else:
            self.visits.saw(target.url, target.depth, Look(kind, headers_of(response)))
        return None

    def stored(self, item: ReadPage, version: VersionId, text_digest: str) -> str:
        """Note that a page is stored; a sentence for the operator where the site lied about it, else ""."""
        is_own = item.target.url in self._kinds  # a text that came in a feed has no response of its own
        look = Look(
            kind=self._kinds.pop(item.target.url, AddressKind.DETAIL),
            headers=dict(item.fetched.headers),
            may_be_conditional=is_own and not item.fetched.parts,
            page_id=page_id(item.fetched.site_id, item.fetched.canonical_url),
            page_url=item.fetched.canonical_url,
            version_id=version,
            text_digest=text_digest,
        )
        if not self.visits.saw(item.target.url, item.target.depth, look):
            return ""
        return f"{item.target.url} changed while the site said that it had not; it is always fetched whole from now on"

    def unchanged(self, target: Target) -> None:
        """Note that the site said that a page has not changed."""
        visit = self.visits.of(target.url)
        kind = visit.kind if visit is not None else AddressKind.DETAIL
        self.visits.saw(target.url, target.depth, Look(kind, {}, is_whole=False))

    def failed(self, target: Target, reason: Rejection | None, sentence: str) -> None:
        """Note a request that came to nothing; reason None: it leads to an address that this crawl has fetched."""
        self.settled(target)
        if target.kind != PAGE:
            return
        if reason is None:
            self.visits.refused(target.url, target.depth, "", "")
        elif reason in REFUSALS:
            self.visits.refused(target.url, target.depth, reason.value, sentence)
        else:
            self.visits.failed(target.url, target.depth, reason.value, sentence)

    def left_over(self, frontier: Frontier) -> None:
        """Note the pages that were found and are not fetched: the next run begins with them."""
        left = [target for target in frontier.left_over() if target.kind == PAGE]
        if left and frontier.is_shared:
            self.visits.read_again()
        for target in left:
            self.visits.found(target.url, target.depth)

    def _kind(self, item: ReadPage | None, page: WholePage, target: Target) -> AddressKind:
        if self._plan.kind is SpiderKind.LIST:
            return AddressKind.DETAIL
        if target.url in self._plan.start_urls:
            return AddressKind.LIST
        return kind_of(page.links, len(item.reading.text) if item else 0)

    def _is_news(self, item: ReadPage | None, known: str) -> bool:
        if item is None:
            return True
        page = page_id(item.fetched.site_id, item.fetched.canonical_url)
        return version_id(page, item.reading.text, item.reading.title) != known

    def _not_there(self, response: Response, target: Target, reason: AbsenceReason) -> NotThere | None:
        visit = self.visits.of(target.url)
        if visit is None or not visit.page_id:
            return None
        now = self._clock.now()
        after = self.visits.absent(visit, now)
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
