"""Keeps each page that was read, then tells the next step; waits out a store that is away, and never loses a page.

The page store runs in one thread of its own: the crawl goes on meanwhile, and the store sees one call at a time.
"""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from core.errors import RetryLater, ZhuiwenError
from core.ids import digest
from core.messages import PageStored
from core.pages import Stored
from core.visits import MovedTo, Visit
from crawler.items import NotThere, ReadPage, Unchanged
from crawler.politeness.keeper import STORE_AWAY
from crawler.store_batches import Pages, StoreBatches
from crawler.visits.visiting import SAVE_EVERY

T = TypeVar("T")
Item = ReadPage | Unchanged | NotThere

# A fail-over of MongoDB or Redis takes seconds; a store that is away for longer than these waits together (6.2 s) is
# better waited for by the next run, which goes on from the journal.
WAITS_S = (0.2, 0.4, 0.8, 1.6, 3.2)


class StorePipeline:
    """PageStore.put_many, then Outbox.send for a new version, then the book of visits where the crawl has one."""

    def __init__(self, crawler: Any) -> None:
        self._crawler = crawler
        self._spider = crawler.spider
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="page-store")
        self._closing: asyncio.Task[None] | None = None
        self._batches = StoreBatches(self._put_many)

    @classmethod
    def from_crawler(cls, crawler: Any) -> "StorePipeline":
        return cls(crawler)

    def close_spider(self) -> None:
        revisiting = self._spider.revisiting
        if revisiting is not None:
            try:
                self._thread.submit(self._last_visits).result()  # a database is not waited for on the reactor's thread
            except ZhuiwenError as fault:
                self._spider.tally.fail(f"what the last visits found is not noted; they are made again: {fault}")
        self._thread.shutdown(wait=True)

    async def process_item(self, item: Item) -> Item:
        spider = self._spider
        try:
            await self._keep(item)
        except RetryLater as fault:
            self._give_up(item, fault)
        except ZhuiwenError as fault:
            spider.tally.fail(f"{_name(item)} is not stored: {fault}")
            if spider.revisiting is not None:
                spider.revisiting.visits.failed(item.target.url, item.target.depth, "", f"it is not stored: {fault}")
            spider.frontier.finish(item.target.url)
        else:
            spider.frontier.finish(item.target.url)
            await self._note_visits()
        spider.tally.tell()
        return item

    async def _keep(self, item: Item) -> None:
        """Store what an item brings; only then is its address noted as visited."""
        spider = self._spider
        if isinstance(item, Unchanged):
            visit = spider.revisiting.visits.of(item.target.url)
            if visit is not None and visit.page_id:
                await self._patiently(lambda: spider.store.seen(visit.page_id, item.at))
            spider.tally.counts.unchanged += 1
            spider.revisiting.unchanged(item.target)
        elif isinstance(item, NotThere):
            is_gone = item.visit.gone_since is not None
            await self._patiently(lambda: spider.store.put_absence(item.fetched, item.reason, is_gone=is_gone))
            spider.revisiting.visits.keep(item.visit)
        else:
            stored = await self._batches.put(item.fetched, item.reading)
            self._count(stored)
            if stored.is_new_version:
                await self._patiently(lambda: spider.outbox.send(PageStored(stored.version_id)))
            if spider.revisiting is not None:
                text_digest = digest(item.reading.text.encode("utf-8", "surrogatepass"))
                lie = spider.revisiting.stored(item, stored.version_id, text_digest)
                if lie:
                    spider.tally.add_fault(lie)

    async def _note_visits(self) -> None:
        """Write down visits from time to time; what cannot be written now is written later."""
        visits = self._spider.revisiting.visits if self._spider.revisiting is not None else None
        given = visits.take_unsaved(SAVE_EVERY) if visits is not None else ([], [])
        if visits is None or not any(given):
            return
        try:
            await self._timed(lambda: self._save_visits(*given))
        except RetryLater:
            visits.give_back(*given)

    def _last_visits(self) -> None:
        revisiting = self._spider.revisiting
        try:
            revisiting.left_over(self._spider.frontier)
        finally:
            self._save_visits(*revisiting.visits.take_unsaved())

    def _save_visits(self, visits: list[Visit], moves: list[MovedTo]) -> None:
        book, site = self._spider.revisiting.visits.book, self._spider.plan.site_id
        if visits:
            book.save(site, visits)
        if moves:
            book.note_moves(site, moves)

    async def _put_many(self, pages: Pages) -> list[Stored]:
        store = self._spider.store
        return await self._patiently(lambda: store.put_many(pages))

    async def _patiently(self, call: Callable[[], T]) -> T:
        for wait_s in WAITS_S:
            try:
                return await self._timed(call)
            except RetryLater:
                if self._closing is not None:
                    raise
                await asyncio.sleep(wait_s)
        return await self._timed(call)

    async def _timed(self, call: Callable[[], T]) -> T:
        def run() -> tuple[T, float]:
            begun = time.perf_counter()
            return call(), time.perf_counter() - begun

        result, seconds = await asyncio.get_running_loop().run_in_executor(self._thread, run)
        self._spider.tally.counts.seconds_store += seconds
        return result

    def _count(self, stored: Stored) -> None:
        counts = self._spider.tally.counts
        counts.stored += 1
        counts.new_versions += stored.is_new_version
        counts.unchanged += not stored.is_new_version

    def _give_up(self, item: Item, fault: RetryLater) -> None:
        """End the crawl; the page stays in the journal as not done, so that the next run fetches it again."""
        self._spider.tally.fail(f"{_name(item)} is not stored, and the crawl ends here: {fault}")
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._crawler.engine.close_spider_async(reason=STORE_AWAY))


def _name(item: Item) -> str:
    return item.target.url if isinstance(item, Unchanged) else item.fetched.canonical_url
