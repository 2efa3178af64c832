"""The spider for novels. It reads a catalogue, then its chapters in order, and joins the parts of each chapter.

The URL of its first part identifies a chapter, and the responses of all parts are its evidence. A chapter is done when
it is stored completely, so an interrupted crawl begins it again.
"""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from core.pages import Reading
from crawler.context import CrawlContext
from crawler.frontier import PAGE, CrawlTarget
from crawler.politeness.refusals import Postponed
from crawler.readers.pages import WholePage
from crawler.sources.catalogue import MIN_CHAPTERS, Block, ChapterLink, list_chapter_links
from crawler.sources.novel_pages import Following, is_same_chapter, next_part
from crawler.spiders.generic import GenericSpider, SpiderOutput
from crawler.spiders.link_discovery import LinkDiscovery
from crawler.spiders.page_handler import PartedText

CATALOGUE = "catalogue"  # the kind of a target
MAX_CATALOGUE_PAGES = 300  # with 20 to 100 chapters each; the longest novels have 10,000 chapters
_CATALOGUE_PRIORITY = 20
_NEXT_CHAPTER = ("下一章", "下一节", "下一節", "下一回", "下一篇", "下章", "后一章", "後一章", "next chapter")


@dataclass(slots=True)
class _Catalogue:
    """The blocks and pages of a catalogue that have been found. done: the number of pages that were read."""

    blocks: list[Block] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)  # URLs, including those that are still to be read
    done: int = 0


class NovelDiscovery(LinkDiscovery):
    """Discovers catalogues. The spider follows their chapters in order."""

    def seed(self) -> None:
        for url in self.safe_urls(self.context.plan.start_urls):
            self.context.frontier.add_address(url, 0, CATALOGUE)


class NovelSpider(GenericSpider):
    """Crawls novels. A start URL is that of a catalogue, or of a chapter with links to the next one."""

    name = "novel"
    discovery_type = NovelDiscovery

    def __init__(self, context: CrawlContext) -> None:
        super().__init__(context)
        self._chapters: dict[str, int] = {}  # position in the catalogue by URL

    def make_request(self, target: CrawlTarget) -> Request:
        request = super().make_request(target)
        if target.kind == CATALOGUE:
            return request.replace(callback=self.parse_contents, priority=_CATALOGUE_PRIORITY)
        if target.kind == PAGE:
            place = self._chapters.setdefault(target.url, len(self._chapters))
            return request.replace(priority=-place)
        return request

    async def parse_contents(
        self, response: Response, target: CrawlTarget, catalogue: _Catalogue | None = None
    ) -> AsyncIterator[SpiderOutput]:
        """Collect the pages of a catalogue, then request its chapters in order. catalogue: None for its first page."""
        page = await self.pages.read(response, is_kept=catalogue is None)
        again = self.shells.request_in_browser(response, page)
        if again is not None:
            yield again
            return
        offered = list(self.discovery.requests_for_downloads(page.links, 1)) if page.links is not None else []
        catalogue = catalogue or _Catalogue(pages=[response.url])
        catalogue.done += 1
        if page.outline is not None:
            catalogue.blocks += page.outline.blocks
            known = set(catalogue.pages)
            new = [url for url in page.outline.further_pages if url not in known and self.context.scope.allows(url)]
            catalogue.pages += new[: MAX_CATALOGUE_PAGES - len(catalogue.pages)]
        if catalogue.done == 1 and len(_all_chapters(catalogue)) < MIN_CHAPTERS:
            async for found in self.begin_text(response, page, target):
                yield found
        else:
            for found in self._catalogue_requests(catalogue, target):
                yield found
        for request in offered:
            yield request

    def note_failure(self, failure: Failure) -> Any:
        """Count a failed request. A catalogue continues without a page that could not be fetched, which is reported."""
        given = failure.request.cb_kwargs  # type: ignore[attr-defined]
        catalogue: _Catalogue | None = given.get("catalogue")
        if catalogue is None:
            return super().note_failure(failure)
        if isinstance(failure.value, Postponed):
            return None  # the next run begins the catalogue again
        self.failures.count_lost_page(failure)
        catalogue.done += 1
        return self._catalogue_requests(catalogue, given["target"])

    def _catalogue_requests(self, catalogue: _Catalogue, target: CrawlTarget) -> Iterator[Request]:
        """Yield the request for the next page of a catalogue or, after the last page, for its chapters."""
        if catalogue.done < len(catalogue.pages) and not self.context.is_full():
            yield Request(
                catalogue.pages[catalogue.done],
                callback=self.parse_contents,
                errback=self.note_failure,
                cb_kwargs={"target": target, "catalogue": catalogue},
                priority=_CATALOGUE_PRIORITY,
                dont_filter=True,
            )
            return
        chapters = [
            link
            for link in _all_chapters(catalogue)
            if self.context.scope.follows(link.url) and self.context.scope.keeps(link.url)
        ]
        wanted = [link.url for link in chapters[: self.context.plan.max_pages]]
        for url in wanted:
            self._chapters.setdefault(url, len(self._chapters))
        requests = list(self.discovery.new_requests(wanted, 1, PAGE))
        self.context.frontier.finish(target.url)
        yield from requests

    async def begin_text(self, response: Response, page: WholePage, target: CrawlTarget) -> AsyncIterator[SpiderOutput]:
        """Yield the item and the requests for the first part of a chapter."""
        self._chapters.setdefault(response.url, len(self._chapters))
        async for found in super().begin_text(response, page, target):
            yield found

    def is_next_part(self, text: PartedText, page: WholePage, url: str) -> bool:
        """Return True if a page is the next part of a chapter and no other chapter."""
        reading = page.reading
        return isinstance(reading, Reading) and bool(reading.text) and is_same_chapter(text.readings[0], reading)

    def next_parts(self, text: PartedText, page: WholePage, url: str) -> Iterator[str]:
        """Yield the link that continues a chapter.

        Links to chapters in the catalogue and to known pages do not count.
        """
        links = page.outline.following if page.outline is not None else ()
        known = self._chapters.keys() | self.context.frontier.knows(link.url for link in links)
        address = next_part(text.first_url, url, links, known - {url})
        if address:
            yield address

    def follow_links(self, page: WholePage, url: str, target: CrawlTarget) -> Iterator[Request]:
        """Yield the request for the target of a "next chapter" link if no catalogue lists it."""
        if page.outline is None or not self.context.scope.keeps(url):
            return
        named = [link.url for link in page.outline.following if _is_next_chapter_link(link)]
        wanted = [link for link in named if link != url and self.context.scope.follows(link)]
        unknown = [link for link in wanted[:1] if link not in self._chapters]
        yield from self.discovery.new_requests(unknown, 1, PAGE)


def _all_chapters(catalogue: _Catalogue) -> tuple[ChapterLink, ...]:
    return list_chapter_links(catalogue.blocks)


def _is_next_chapter_link(link: Following) -> bool:
    words = "".join(link.words.lower().split())
    return link.is_marked or any("".join(said.split()) in words for said in _NEXT_CHAPTER)
