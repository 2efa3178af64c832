"""Keeps each page that was read, then tells the next step; waits out a store that is away, and never loses a page.

The page store runs in one thread of its own: the crawl goes on meanwhile, and the store sees one call at a time.
"""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from core.errors import RetryLater, ZhuiwenError
from core.messages import PageStored
from core.pages import Stored
from crawler.items import ReadPage

T = TypeVar("T")

# A fail-over of MongoDB or Redis takes seconds; a store that is away for longer than these waits together (6.2 s) is
# better waited for by the next run, which goes on from the journal.
WAITS_S = (0.2, 0.4, 0.8, 1.6, 3.2)
STORE_AWAY = "store_unavailable"


class StorePipeline:
    """PageStore.put, then Outbox.send for a new version."""

    def __init__(self, crawler: Any) -> None:
        self._crawler = crawler
        self._spider = crawler.spider
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="page-store")
        self._closing: asyncio.Task[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Any) -> "StorePipeline":
        return cls(crawler)

    def close_spider(self) -> None:
        self._thread.shutdown(wait=True)

    async def process_item(self, item: ReadPage) -> ReadPage:
        spider = self._spider
        try:
            stored = await self._patiently(lambda: spider.store.put(item.fetched, item.reading))
            self._count(stored)
            if stored.is_new_version:
                await self._patiently(lambda: spider.outbox.send(PageStored(stored.version_id)))
        except RetryLater as fault:
            self._give_up(item, fault)
        except ZhuiwenError as fault:
            spider.tally.fail(f"{item.fetched.canonical_url} is not stored: {fault}")
            spider.frontier.finish(item.target.url)
        else:
            spider.frontier.finish(item.target.url)
        spider.tally.tell()
        return item

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

    def _give_up(self, item: ReadPage, fault: RetryLater) -> None:
        """End the crawl; the page stays in the journal as not done, so that the next run fetches it again."""
        self._spider.tally.fail(f"{item.fetched.canonical_url} is not stored, and the crawl ends here: {fault}")
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._crawler.engine.close_spider_async(reason=STORE_AWAY))
