"""Recognises responses that show that a page has changed or is missing, and records the visits."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from core.captures import CaptureSource
from core.ids import CanonicalUrl, FinalUrl, RequestedUrl, VersionId, digest, page_id, version_id
from core.pages import FROM_DATA, CrawlPlan, Fetched
from core.ports import Clock, VisitRepository
from core.states import Rejection
from core.visits import AbsenceReason, AddressKind
from core.wording import Message
from crawler.fetching.capture import decode_headers
from crawler.frontier import PAGE, CrawlTarget
from crawler.items import NotThere, ReadPage, Unchanged
from crawler.opening import Rejected
from crawler.readers.pages import WholePage
from crawler.recrawl import policy
from crawler.recrawl.absences import NotFoundPages, probes
from crawler.recrawl.fetch_order import FetchOrder
from crawler.recrawl.site_visits import NOT_MODIFIED, Observation, SiteVisits, classify_page
from crawler.site_kinds import KINDS

# Keys in the meta of a request. The first marks a request for the page of its target, or for its first part. The second
# marks a redirect to the target that the site uses for URLs that never existed.
RECRAWLED, ABSENT = "zhuiwen_recrawled", "zhuiwen_absent"
ABSENT_STATUSES = {404: AbsenceReason.NOT_FOUND, 410: AbsenceReason.GONE}
# Not failures: the site, its owner or the operator has decided so, or there is nothing to read.
REFUSALS = frozenset({Rejection.ROBOTS, Rejection.UNSAFE_ADDRESS, Rejection.OFF_SITE, Rejection.NOT_HTML})

MISSING = "missing"  # the kind of a target that cannot exist
PROBE_PRIORITY = 40


class Recrawl:
    """Judges the responses of a site by what earlier crawls learned; see docs/revisits.md.

    Called on the reactor's thread. visits: what is known about the site's URLs. order: the order of fetches. probes:
    learn the site's not-found page. Raises ServiceUnavailable if the repository does not respond.
    """

    def __init__(self, repository: VisitRepository, plan: CrawlPlan, clock: Clock) -> None:
        self.visits = SiteVisits(repository, plan, clock)
        self.order = FetchOrder(self.visits, plan)
        self.probes = AbsenceProbes(self.visits, plan)
        self._plan, self._clock = plan, clock
        self._kinds: dict[str, AddressKind] = {}  # kinds of pages that were read but are not stored yet, by URL

    def answer_without_page(self, response: Response, target: CrawlTarget) -> Unchanged | NotThere | None:
        """Return Unchanged or NotThere for a response without a page, or None if the response contains a page."""
        if response.status == NOT_MODIFIED:
            return Unchanged(target, self._clock.now())
        if response.request is not None and response.request.meta.get(ABSENT):
            return self._not_there(response, target, AbsenceReason.NOT_FOUND_PAGE)
        reason = ABSENT_STATUSES.get(response.status)
        return self._not_there(response, target, reason) if reason else None

    async def judge(
        self, item: ReadPage | None, page: WholePage, response: Response, target: CrawlTarget
    ) -> ReadPage | NotThere | None:
        """Return the item to store, NotThere for a missing page, or None if only the visit was recorded."""
        if isinstance(page.reading, Rejected) and page.reading.reason is Rejection.UNREADABLE:
            self.note_failure(target, page.reading.reason, page.reading.message)
            return None  # its text is not compared with the not-found page
        visit = self.visits.get(target.url)
        if visit is not None and visit.page_url and self._is_news(item, visit.version_id):
            given = decode_headers(response), response.body, response.url
            if await asyncio.get_running_loop().run_in_executor(None, self.probes.not_found.resembles, *given):
                return self._not_there(response, target, AbsenceReason.NOT_FOUND_PAGE)
        kind = self._address_kind(item, page, target)
        if item is not None:
            self._kinds[target.url] = kind
            return item
        if isinstance(page.reading, Rejected) and page.reading.reason is not Rejection.NO_MAIN_TEXT:
            self.note_failure(target, page.reading.reason, page.reading.message)
        else:
            self.visits.observe(target.url, target.depth, Observation(kind, decode_headers(response)))
        return None

    def note_stored(self, item: ReadPage, version: VersionId) -> Message | None:
        """Record that a page was stored. Return a message for the operator if its validators were wrong, or None."""
        is_own = item.target.url in self._kinds  # a text from a feed has no response of its own
        observation = Observation(
            kind=self._kinds.pop(item.target.url, AddressKind.DETAIL),
            headers=dict(item.fetched.headers),
            may_be_conditional=is_own and not _says_little(item),
            page_id=page_id(item.fetched.site_id, item.fetched.canonical_url),
            page_url=item.fetched.canonical_url,
            version_id=version,
            text_digest=digest(item.reading.text.encode("utf-8", "surrogatepass")) if item.reading.text else "",
        )
        if not self.visits.observe(item.target.url, item.target.depth, observation):
            return None
        return Message("crawl.wrong-validator", url=item.target.url)

    def record_storage_failure(self, target: CrawlTarget, fault: Message) -> None:
        """Record that a page could not be stored."""
        self.visits.note_failure(target.url, target.depth, "", fault)

    def note_unchanged(self, item: Unchanged) -> None:
        """Record that a page is unchanged since its current version."""
        target, visit = item.target, self.visits.get(item.target.url)
        kind = visit.kind if visit is not None else AddressKind.DETAIL
        self.visits.observe(target.url, target.depth, Observation(kind, {}, is_whole=False))

    def note_failure(self, target: CrawlTarget, reason: Rejection | None, fault: Message) -> None:
        """Record a failed request. reason: None if the URL leads to one that this crawl has already fetched."""
        self.order.settle(target)
        if target.kind != PAGE:
            return
        if reason is None:
            self.visits.note_refusal(target.url, target.depth, "", None)
        elif reason is Rejection.TOO_MANY_FILES:  # the next run can fetch it
            self.visits.note_found(target.url, target.depth)
        elif reason in REFUSALS:
            self.visits.note_refusal(target.url, target.depth, reason.value, fault)
        else:
            self.visits.note_failure(target.url, target.depth, reason.value, fault)

    def _address_kind(self, item: ReadPage | None, page: WholePage, target: CrawlTarget) -> AddressKind:
        if KINDS[self._plan.kind].starts_are_pages:
            return AddressKind.DETAIL
        if target.url in self._plan.start_urls:
            return AddressKind.LIST
        return classify_page(page.links, len(item.reading.text) if item else 0)

    def _is_news(self, item: ReadPage | None, known: str) -> bool:
        if item is None:
            return True
        page = page_id(item.fetched.site_id, item.fetched.canonical_url)
        return version_id(page, item.reading.identity, item.reading.title) != known

    def _not_there(self, response: Response, target: CrawlTarget, reason: AbsenceReason) -> NotThere | None:
        visit = self.visits.get(target.url)
        if visit is None or not visit.page_url:
            return None
        now = self._clock.now()
        # If the page of a URL had lost its text before it disappeared, the visit gets the id of the page again.
        page = visit.page_id or page_id(self._plan.site_id, CanonicalUrl(visit.page_url))
        after = policy.visit_after_absence(replace(visit, page_id=page), now, page in self.visits.pages_with_open_cases)
        fetched = Fetched(
            site_id=self._plan.site_id,
            requested_url=RequestedUrl(target.url),
            final_url=FinalUrl(response.url),
            canonical_url=CanonicalUrl(visit.page_url),
            status=response.status,
            headers=tuple(decode_headers(response).items()),
            body=response.body,
            fetched_at=now,
        )
        return NotThere(target, fetched, reason, after)


def _says_little(item: ReadPage) -> bool:
    """Return True if parts of the text came from other responses, which may change independently of the page."""
    capture = item.fetched.capture
    is_rendered = capture is not None and capture.source is CaptureSource.BROWSER
    return bool(item.fetched.parts) or is_rendered or item.reading.extractor == FROM_DATA


class AbsenceProbes:
    """Requests for URLs that cannot exist. Their responses are the site's not-found page."""

    def __init__(self, visits: SiteVisits, plan: CrawlPlan) -> None:
        self.not_found = NotFoundPages()
        self._visits, self._plan = visits, plan
        self._awaited = 0
        self._are_answered = asyncio.Event()

    def requests(self) -> Iterator[Request]:
        """Yield the requests, with callbacks; none if no earlier run stored a page that may be missing now."""
        pages = [visit.url for visit in self._visits.known.values() if visit.page_id]
        seed = f"{self._plan.site_id} {self._plan.run_id}"
        urls = probes(self._plan.start_urls, pages, seed) if pages else []
        self._awaited = len(urls)
        for url in urls:
            yield Request(
                url,
                callback=self._learn,
                errback=self._end,
                cb_kwargs={"target": CrawlTarget(url, 0, MISSING)},
                priority=PROBE_PRIORITY,
                dont_filter=True,
                meta={"handle_httpstatus_all": True, "dont_redirect": True, "dont_retry": True},
            )

    async def await_answers(self) -> None:
        if self._awaited:
            await self._are_answered.wait()

    def _learn(self, response: Response, target: CrawlTarget) -> None:
        self.not_found.learn(response.status, decode_headers(response), response.body, response.url)
        self._end()

    def _end(self, failure: Failure | None = None) -> None:
        self._awaited -= 1
        if self._awaited <= 0:
            self._are_answered.set()
