"""The spider for novels: reads a catalogue, then its chapters in order, and joins the parts of each chapter.

A chapter is identified by the URL of its first part; the responses of all parts are its evidence. A chapter is done
when it is stored completely: after a kill, the crawl begins it again.
"""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from core.pages import Reading
from core.states import Rejection
from core.wording import Message
from crawler.context import CrawlContext
from crawler.frontier import PAGE, CrawlTarget
from crawler.items import NotThere, ReadPage, Unread
from crawler.opening import Rejected
from crawler.politeness.refusals import Postponed
from crawler.readers.pages import WholePage
from crawler.sources.catalogue import MIN_CHAPTERS, Block, ChapterLink, list_chapter_links
from crawler.sources.novel_pages import MAX_PARTS, Following, chapter_title, is_same_chapter, next_part
from crawler.spiders.generic import PART_PRIORITY, GenericSpider, SpiderOutput
from crawler.spiders.link_discovery import LinkDiscovery
from crawler.spiders.page_handler import PartedText

CATALOGUE = "catalogue"  # the kind of a target
MAX_CATALOGUE_PAGES = 300  # with 20 to 100 chapters each; the longest novels have 10,000 chapters
_CATALOGUE_PRIORITY = 20
_NEXT_CHAPTER = ("下一章", "下一节", "下一節", "下一回", "下一篇", "下章", "后一章", "後一章", "next chapter")


@dataclass(slots=True)
class _Catalogue:
    """The blocks and pages of a catalogue that were found so far."""

    blocks: list[Block] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)  # URLs, including those that are still to be read
    done: int = 0


class NovelDiscovery(LinkDiscovery):
    """Discovers catalogues; the spider follows their chapters in order."""

    def seed(self) -> None:
        for url in self.safe_urls(self.context.plan.start_urls):
            self.context.frontier.add_address(url, 0, CATALOGUE)


class NovelSpider(GenericSpider):
    """Crawls novels. A start URL is a catalogue of chapters, or a chapter with links to the next one."""

    name = "novel"
    discovery_type = NovelDiscovery

    def __init__(self, context: CrawlContext) -> None:
        super().__init__(context)
        self._chapters: dict[str, int] = {}  # URL: position in the catalogue

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
        """Collect the pages of a catalogue, then request its chapters in order."""
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
            async for found in self._begin_chapter(response, page, target):
                yield found
        else:
            for found in self._catalogue_requests(catalogue, target):
                yield found
        for request in offered:
            yield request

    async def parse_page(
        self, response: Response, target: CrawlTarget, chapter: PartedText | None = None
    ) -> AsyncIterator[SpiderOutput]:
        """Read the first or a further part of a chapter."""
        if chapter is None and self.context.is_full():
            return
        page = await self.pages.read(response, is_kept=True)
        again = self.shells.request_in_browser(response, page)
        if again is not None:
            yield again
            return
        steps = (
            self._begin_chapter(response, page, target)
            if chapter is None
            else self._continue_chapter(response, page, chapter)
        )
        async for found in steps:
            yield found
        self.end_if_full()

    def note_failure(self, failure: Failure) -> Iterator[Request | ReadPage]:
        """Continue a chapter or catalogue without the page that could not be fetched, and report it."""
        given = failure.request.cb_kwargs  # type: ignore[attr-defined]
        chapter: PartedText | None = given.get("chapter")
        catalogue: _Catalogue | None = given.get("catalogue")
        if chapter is None and catalogue is None:
            super().note_failure(failure)
            return
        if isinstance(failure.value, Postponed):
            self._unfinished -= chapter is not None
            return  # the next run begins the chapter or the catalogue again
        url = failure.request.url  # type: ignore[attr-defined]
        reason, fault = self.failures.explain(failure, url)
        if reason is not None:
            self.context.stats.reject(reason, fault)
        if chapter is not None:
            self._unfinished -= 1
            self.context.stats.fail(Message("page.left-out", url=chapter.first_url, part=url))
            yield chapter.whole()
        elif catalogue is not None:
            catalogue.done += 1
            yield from self._catalogue_requests(catalogue, given["target"])

    def _catalogue_requests(self, catalogue: _Catalogue, target: CrawlTarget) -> Iterator[Request]:
        """Yield the next page of the catalogue, or its chapters after the last page."""
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

    async def _begin_chapter(
        self, response: Response, page: WholePage, target: CrawlTarget
    ) -> AsyncIterator[SpiderOutput]:
        """Yield the items and requests of a chapter's first part."""
        self._chapters.setdefault(response.url, len(self._chapters))
        if self.discovery.has_repeated(response.url, page, target):
            for request in self._next_chapter(response.url, response.url, page):
                yield request
            self.context.frontier.finish(target.url)
            return
        item = await self.pages.item(response, page, target)
        if isinstance(item, NotThere | Unread):
            yield item
            return
        if item is not None and not item.reading.text:  # a list: stored, but not a chapter
            yield item
        if item is None or not item.reading.text:
            self.context.frontier.finish(target.url)
            for request in self._next_chapter(response.url, response.url, page):
                yield request
            return
        if page.outline is None:  # a file is always complete
            yield item
            return
        chapter = PartedText(item, response.url, [item.reading])
        for found in self._continue_or_finish(chapter, response, page):
            yield found

    async def _continue_chapter(
        self, response: Response, page: WholePage, chapter: PartedText
    ) -> AsyncIterator[SpiderOutput]:
        """Read a further part, or a page that turns out to be another chapter."""
        self._unfinished -= 1
        reading = page.reading
        if not isinstance(reading, Reading) or not reading.text:
            if isinstance(reading, Rejected) and reading.reason is not Rejection.NO_MAIN_TEXT:
                self.context.stats.reject(reading.reason, reading.message)
            yield chapter.whole()
            return
        if not is_same_chapter(chapter.readings[0], reading):
            self.context.frontier.promote(
                response.url, 1
            )  # before the previous chapter is done, so that a kill loses neither
            yield chapter.whole()
            async for found in self._begin_chapter(response, page, CrawlTarget(response.url, 1, PAGE)):
                yield found
            return
        chapter.add_part(reading, self.pages.part(response))
        for found in self._continue_or_finish(chapter, response, page):
            yield found

    def _continue_or_finish(
        self, chapter: PartedText, response: Response, page: WholePage
    ) -> Iterator[Request | ReadPage]:
        """Yield the next part of a chapter; after the last part, the chapter and the next one."""
        links = page.outline.following if page.outline is not None else ()
        url = next_part(chapter.first_url, response.url, links, self._known_chapters(links) - {response.url})
        stated = chapter_title(chapter.readings[-1].title)
        is_last = bool(stated.parts) and stated.part >= stated.parts
        if url and not is_last and len(chapter.readings) < MAX_PARTS and self._may_follow(url, chapter):
            chapter.urls.add(url)
            self._unfinished += 1
            yield Request(
                url,
                callback=self.parse_page,
                errback=self.note_failure,
                cb_kwargs={"target": chapter.item.target, "chapter": chapter},
                priority=PART_PRIORITY,
                dont_filter=True,
            )
            return
        onward = list(self._next_chapter(chapter.first_url, response.url, page))
        yield chapter.whole()
        yield from onward

    def _known_chapters(self, links: tuple[Following, ...]) -> set[str]:
        """Return the chapters of the catalogue, and the link targets that are known as separate pages."""
        return self._chapters.keys() | self.context.frontier.knows(link.url for link in links)

    def _may_follow(self, url: str, chapter: PartedText) -> bool:
        """Return True if a page may be a part of this chapter, and claim it."""
        is_new = url not in chapter.urls and self.context.scope.allows(url) and not self.context.is_known_page(url)
        return is_new and self.context.frontier.claim(url)

    def _next_chapter(self, first_url: str, url: str, page: WholePage) -> Iterator[Request]:
        """Yield the target of a "next chapter" link, for chapters that no catalogue lists."""
        if page.outline is None or not self.context.scope.keeps(url):
            return
        wanted = [link.url for link in page.outline.following if _says_next_chapter(link)]
        unknown = [link for link in wanted if link not in (first_url, url) and self.context.scope.follows(link)]
        yield from self.discovery.new_requests(unknown[:1], 1, PAGE)


def _all_chapters(catalogue: _Catalogue) -> tuple[ChapterLink, ...]:
    return list_chapter_links(catalogue.blocks)


def _says_next_chapter(link: Following) -> bool:
    words = "".join(link.words.lower().split())
    return link.is_marked or any("".join(said.split()) in words for said in _NEXT_CHAPTER)
