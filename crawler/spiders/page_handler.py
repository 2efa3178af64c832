"""Counts and reads a response, and makes an item from it for the store pipeline or rejects it with a reason."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from scrapy.http import Response

from core.captures import Capture
from core.ids import CanonicalUrl, FinalUrl, RequestedUrl
from core.pages import Fetched, FollowingPart, Reading
from core.states import Rejection
from core.visits import AbsenceReason
from core.wording import Message
from crawler.browsing.on_demand import BROWSER_META
from crawler.contacts.reading import ContactPages
from crawler.context import CrawlContext
from crawler.fetching.capture import decode_headers, make_capture
from crawler.frontier import CrawlTarget
from crawler.items import NotThere, ReadPage, Unchanged, Unread
from crawler.opening import Rejected, is_attachment
from crawler.readers.messages import Task
from crawler.readers.pages import WholePage
from crawler.sources.novel_pages import join_parts
from crawler.sources.sitemaps import ListedPage, complete_reading
from crawler.stats import NEEDS_OCR, SLOW_RULES
from crawler.urls import identity, is_book


class PageHandler:
    """Reads the pages of one crawl.

    listed: what lists state about pages, by URL; filled during the crawl
    """

    def __init__(self, context: CrawlContext, listed: Mapping[str, ListedPage]) -> None:
        self.context, self._listed = context, listed
        self._contact_pages = ContactPages()

    async def read(self, response: Response, *, is_kept: bool) -> WholePage:
        """Count and read a page. is_kept: True to read its text and not only its links."""
        counts = self.context.stats.counts
        counts.fetched += 1
        counts.bytes_fetched += len(response.body)
        is_rendered = BROWSER_META in response.meta
        page = await self.context.reader.read(
            response.body,
            decode_headers(response),
            response.url,
            is_kept=is_kept,
            is_rendered=is_rendered,
            has_contacts=self._contact_pages.admit_page(response.url),
        )
        counts.seconds_extract += page.seconds
        for fault in page.faults:
            is_told_first = fault.code in (NEEDS_OCR, SLOW_RULES)
            (self.context.stats.add_once if is_told_first else self.context.stats.add_fault)(fault)
        self._contact_pages.note(page.contacts)
        self.context.on_read(response.url, page)
        return page

    def is_kept(self, response: Response) -> bool:
        """Return True if the text of a response is to be stored: that of a page in the plan, or of an offered file."""
        scope, url = self.context.scope, response.url
        disposition = (response.headers.get("Content-Disposition") or b"").decode("latin-1")
        return scope.keeps(url) or ((is_book(url) or is_attachment(disposition)) and scope.offers(url))

    async def read_list(self, response: Response, task: Task) -> Any:
        """Return the content of a sitemap or a feed. task: reads it. Return Rejected if reading was abandoned."""
        self.context.stats.counts.bytes_fetched += len(response.body)
        return await self.read_part(task)

    async def read_part(self, task: Task) -> Any:
        """Return the result of a task. If reading was abandoned, count that and return Rejected."""
        found = await self.context.reader.run(task)
        if isinstance(found, Rejected):
            self.context.stats.reject(found.reason, found.message)
        return found

    def answer_without_page(self, response: Response, target: CrawlTarget) -> Unchanged | NotThere | None:
        """Return Unchanged or NotThere for a response without a page, or None if the response contains a page."""
        answer = self.context.recrawl.answer_without_page(response, target)
        if answer is not None:
            self.context.stats.counts.fetched += isinstance(answer, Unchanged)
            self.context.stats.counts.bytes_fetched += len(response.body)
        return self._count_absence(answer, response) if isinstance(answer, NotThere) else answer

    async def item(
        self, response: Response, page: WholePage, target: CrawlTarget
    ) -> ReadPage | NotThere | Unread | None:
        """Return the item to store for a page, or None if there is none, as for a list or a refusal."""
        is_look = self.context.is_known_page(target.url)
        item = await self.context.recrawl.judge(self._make_item(response, page, target), page, response, target)
        if isinstance(item, NotThere):
            return self._count_absence(item, response)
        if item is None and isinstance(page.reading, Rejected):
            known = self._page_identity(response.url, page, target)
            if page.reading.reason is Rejection.UNREADABLE:
                return Unread(target, self.make_fetched(response, target, known, None))
            if is_look:
                fetched = self.make_fetched(response, target, known, self.capture(response))
                return Unread(target, fetched, AbsenceReason.LOOKED_AT)
        return item

    def make_fetched(
        self, response: Response, target: CrawlTarget, url: CanonicalUrl, capture: Capture | None
    ) -> Fetched:
        """Make the record of a response for the store. url: the canonical URL that identifies the page."""
        return Fetched(
            site_id=self.context.plan.site_id,
            requested_url=RequestedUrl(target.url),
            final_url=FinalUrl(response.url),
            canonical_url=url,
            status=response.status,
            headers=tuple(decode_headers(response).items()),
            body=response.body,
            fetched_at=self.context.clock.now(),
            capture=capture,
        )

    def part(self, response: Response) -> FollowingPart:
        """Make the record of a response that contains a further part of a text."""
        headers, at = tuple(decode_headers(response).items()), self.context.clock.now()
        url = FinalUrl(response.url)
        return FollowingPart(url, response.status, headers, response.body, at, self.capture(response))

    def capture(self, response: Response) -> Capture | None:
        """Return how a response was fetched, with the resources that were fetched to read it, or None."""
        return make_capture(response, self.context.resources.take_used(response.url), self.context.machine)

    def _make_item(self, response: Response, page: WholePage, target: CrawlTarget) -> ReadPage | None:
        reading = page.reading
        if reading is None:
            return None
        if isinstance(reading, Rejected):
            # A list has no text of its own. It is reported only if the plan expects text at its URL.
            is_expected = reading.reason is Rejection.NO_MAIN_TEXT and not self.context.plan.page_patterns
            self.context.stats.reject(reading.reason, None if is_expected else reading.message)
            return None
        known = self._page_identity(response.url, page, target)
        fetched = self.make_fetched(response, target, known, self.capture(response))
        return ReadPage(target, fetched, complete_reading(reading, self._listed.get(target.url)))

    def _page_identity(self, url: str, page: WholePage, target: CrawlTarget) -> CanonicalUrl:
        stated = identity(url, page.links.declared_canonical if page.links else "")
        return self.context.recrawl.visits.identity(target.url, stated)

    def _count_absence(self, answer: NotThere, response: Response) -> NotThere:
        """Count an absence, and add the capture to it as evidence."""
        gone = Message("fetch.gone", url=answer.target.url, status=answer.fetched.status)
        self.context.stats.reject(Rejection.HTTP_ERROR, gone)
        return replace(answer, fetched=replace(answer.fetched, capture=self.capture(response)))


# A text on several pages, while they are fetched one by one.


@dataclass(slots=True)
class PartedText:
    """A text on several pages: its first page as an item, and the parts after it.

    is_chapter: True if the text is a chapter of a novel, whose seams and part numbers are removed even if it has one
    page. urls: the URLs of all requested parts
    """

    item: ReadPage
    first_url: str
    readings: list[Reading]
    is_chapter: bool = False
    parts: list[FollowingPart] = field(default_factory=list)
    urls: set[str] = field(default_factory=set)

    def add_part(self, reading: Reading, part: FollowingPart) -> None:
        self.readings.append(reading)
        self.parts.append(part)

    def whole(self) -> ReadPage:
        """Return all parts as one page with the URL of the first part."""
        if not self.parts and not self.is_chapter:
            return self.item
        fetched = replace(self.item.fetched, parts=tuple(self.parts))
        return replace(self.item, fetched=fetched, reading=join_parts(self.readings))
