"""Stores each page that was read, and sends its version, new or not, to the next step.

The pipeline waits until an unavailable store responds again, and loses no page. The store runs in its own thread: the
crawl continues meanwhile, and the store gets one call at a time.
"""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from core.errors import RetryLater, ZhuiwenError
from core.ids import VersionId
from core.messages import pages_stored
from core.pages import Fetched, Reading, Stored
from core.visits import AbsenceReason
from core.wording import Message
from crawler.context import CrawlContext, get_context
from crawler.items import NotThere, ReadPage, Unchanged, Unread
from crawler.recrawl.site_visits import SAVE_EVERY
from crawler.stats import STOPPED, STORE_AWAY

# Stores waiting pages in batches: while some pages are written, the next ones are collected.
#
# A store that is fast enough gets one page at a time, and no page waits. A slower one gets several at once, which takes
# it little longer than one page (docs/decisions/stores-and-backups.md).

# CPU time per page of crawl and embedded store, by batch size: 1: 7.7 ms, 4: 3.0, 8: 2.4, 16: 1.9, 32: 1.7, 64: 1.4
# (2026-11). After a kill, larger batches are fetched again. The store needs 0.6 s for MAX_BYTES.
MAX_PAGES, MAX_BYTES = 32, 8_000_000

Pages = Sequence[tuple[Fetched, Reading]]
PutMany = Callable[[Pages], Awaitable[list[Stored]]]


@dataclass(frozen=True, slots=True)
class _Waiting:
    fetched: Fetched
    reading: Reading
    done: "asyncio.Future[Stored]"

    def end(self, stored: Stored | Exception) -> None:
        if self.done.done():  # the caller was cancelled
            return
        if isinstance(stored, Stored):
            self.done.set_result(stored)
        else:
            self.done.set_exception(stored)


class StoreBatches:
    """Writes one batch at a time. put_many: stores pages; it may wait until an unavailable store responds again."""

    def __init__(self, put_many: PutMany) -> None:
        self._put_many = put_many
        self._waiting: list[_Waiting] = []
        self._writing: asyncio.Task[None] | None = None

    async def put(self, fetched: Fetched, reading: Reading) -> Stored:
        """Store a page in the next batch.

        Raises the store's error for this page, or RetryLater if the store is unavailable.
        """
        waiting = _Waiting(fetched, reading, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        if self._writing is None:
            self._writing = asyncio.ensure_future(self._write_batch())
        return await waiting.done

    async def _write_batch(self) -> None:
        try:
            while self._waiting:
                number = _batch_size(self._waiting)
                batch, self._waiting = self._waiting[:number], self._waiting[number:]
                await self._store_batch(batch)
        finally:
            self._writing = None

    async def _store_batch(self, batch: Sequence[_Waiting]) -> None:
        stored: Sequence[Stored | Exception]
        try:
            stored = await self._put_many([(each.fetched, each.reading) for each in batch])
        except Exception as fault:
            if len(batch) > 1 and not isinstance(fault, RetryLater):
                for each in batch:  # one page causes the error; the others are stored
                    await self._store_batch([each])
                return
            stored = [fault] * len(batch)
        for each, outcome in zip(batch, stored, strict=True):
            each.end(outcome)


def _batch_size(waiting: Sequence[_Waiting]) -> int:
    """Return the number of pages, from the first on, that fit into one batch."""
    total = 0
    for number, each in enumerate(waiting[:MAX_PAGES]):
        total += len(each.fetched.body) + sum(len(part.body) for part in each.fetched.parts)
        if number and total > MAX_BYTES:
            return number
    return min(len(waiting), MAX_PAGES)


T = TypeVar("T")
Item = ReadPage | Unchanged | NotThere | Unread

# A failover of MongoDB or Redis takes seconds. If a store is unavailable for longer than these waits in total (6.2 s),
# the crawl ends, and the next run resumes from the journal.
WAITS_S = (0.2, 0.4, 0.8, 1.6, 3.2)


class NotHeld(RetryLater):
    """Raised if this process no longer holds the lock of the crawl run."""

    def __init__(self, run_id: str) -> None:
        super().__init__("crawl.not-held", run=run_id)


class StoreThread:
    """Runs calls to the store one by one in a thread of its own, while this process holds the lock of the crawl run."""

    def __init__(self, context: CrawlContext) -> None:
        self._context = context
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="page-store")
        self.is_closing = False  # True if calls no longer wait for an unavailable store

    async def run_patiently(self, call: Callable[[], T]) -> T:
        """Run a call, and retry for some seconds if the store is unavailable.

        Raises RetryLater if it remains unavailable.
        """
        for wait_s in WAITS_S:
            try:
                return await self.run(call)
            except RetryLater:
                if self.is_closing:
                    raise
                await asyncio.sleep(wait_s)
        return await self.run(call)

    async def run(self, call: Callable[[], T]) -> T:
        """Run a call once, and return its result.

        Raises RetryLater if the store is unavailable, or NotHeld if this process no longer holds the lock: another
        process may crawl the site and have newer pages.
        """

        def run() -> tuple[T, float]:
            self.require_held()
            begun = time.perf_counter()
            return call(), time.perf_counter() - begun

        result, seconds = await asyncio.get_running_loop().run_in_executor(self._thread, run)
        self._context.stats.counts.seconds_store += seconds
        return result

    def require_held(self) -> None:
        """Raise NotHeld if this process no longer holds the lock of the crawl run."""
        if not self._context.is_held():
            raise NotHeld(self._context.plan.run_id)

    def run_last(self, call: Callable[[], None]) -> None:
        """Run a last call, wait for its end, and end the thread."""
        try:
            self._thread.submit(call).result()
        finally:
            self._thread.shutdown(wait=True)


class StorePipeline:
    """Calls PageStore.put_many, then Outbox.send for each version, and then records the visits of the URLs."""

    def __init__(self, context: CrawlContext, close: Callable[[str], Awaitable[None]]) -> None:
        self._context, self._close = context, close
        self._thread = StoreThread(context)
        self._closing: asyncio.Future[None] | None = None
        self._batches = StoreBatches(self._put_many)

    @classmethod
    def from_crawler(cls, crawler: Any) -> "StorePipeline":
        return cls(get_context(crawler), lambda reason: crawler.engine.close_spider_async(reason=reason))

    def close_spider(self) -> None:
        try:
            self._thread.run_last(self._last_visits)  # the reactor's thread must not wait for a database
        except ZhuiwenError as fault:
            self._context.stats.fail(Message("crawl.visits-lost", fault=fault))

    async def process_item(self, item: Item) -> Item:
        context = self._context
        try:
            await self._store_item(item)
        except RetryLater as fault:
            self._give_up(item, fault)
        except ZhuiwenError as fault:
            context.stats.fail(Message("crawl.page-not-stored", url=_item_name(item), fault=fault))
            context.recrawl.record_storage_failure(item.target, Message("crawl.it-is-not-stored", fault=fault))
            context.frontier.finish(item.target.url)
        else:
            context.frontier.finish(item.target.url)
            await self._note_visits()
        context.stats.publish()
        return item

    async def _store_item(self, item: Item) -> None:
        """Store an item, and only then record its URL as visited."""
        recrawl, stats = self._context.recrawl, self._context.stats
        if isinstance(item, Unchanged):
            await self._keep_sighting(item)
            stats.counts.unchanged += 1
            recrawl.note_unchanged(item)
        elif isinstance(item, NotThere):
            await self._put_absence(item.fetched, item.reason, is_gone=item.visit.gone_since is not None)
            recrawl.visits.keep(item.visit)
        elif isinstance(item, Unread):
            await self._put_absence(item.fetched, item.reason)
        else:
            stored = await self._batches.put(item.fetched, item.reading)
            if self._context.is_known_page(item.target.url):
                await self._put_absence(item.fetched, AbsenceReason.LOOKED_AT)
            self._count_stored(stored)  # counted last: until everything is stored, the page is fetched again
            fault = recrawl.note_stored(item, stored.version_id)
            if fault is not None:
                stats.add_fault(fault)

    async def _keep_sighting(self, item: Unchanged) -> None:
        """Record that a page is unchanged, and send its current version to the next step."""
        visit = self._context.recrawl.visits.get(item.target.url)
        if visit is not None and visit.page_id:
            page = visit.page_id
            version = await self._thread.run_patiently(lambda: self._context.store.record_sighting(page, item.at))
            await self._send_versions([version] if version is not None else [])

    async def _put_absence(self, fetched: Fetched, reason: AbsenceReason, *, is_gone: bool = False) -> None:
        """Store a response that contains no page, or that a person requested by itself."""
        await self._thread.run_patiently(lambda: self._context.store.put_absence(fetched, reason, is_gone=is_gone))

    async def _note_visits(self) -> None:
        """Save the visits if there are enough of them. If that fails, they are saved later."""
        unsaved = self._context.recrawl.visits.unsaved
        taken = unsaved.take(SAVE_EVERY)
        if not taken:
            return
        try:
            await self._thread.run(lambda: unsaved.save(taken))
        except RetryLater:
            unsaved.give_back(taken)

    def _last_visits(self) -> None:
        self._thread.require_held()
        unsaved = self._context.recrawl.visits.unsaved
        try:
            self._context.recrawl.order.note_left(self._context.frontier)
        finally:
            taken = unsaved.take(1)
            for wait_s in WAITS_S:
                try:
                    unsaved.save(taken)
                except RetryLater:
                    time.sleep(wait_s)
                else:
                    return
            unsaved.save(taken)

    async def _put_many(self, pages: Pages) -> list[Stored]:
        stored = await self._thread.run_patiently(lambda: self._context.store.put_many(pages))
        await self._send_versions([each.version_id for each in stored])
        return stored

    async def _send_versions(self, versions: list[VersionId]) -> None:
        """Send stored versions, new or not, to the next step before they count as done."""
        unsent = deque(pages_stored(versions))

        def send() -> None:
            while unsent:
                self._context.outbox.send(unsent[0])
                unsent.popleft()

        await self._thread.run_patiently(send)

    def _count_stored(self, stored: Stored) -> None:
        counts = self._context.stats.counts
        counts.stored += 1
        counts.new_versions += stored.is_new_version
        counts.unchanged += not stored.is_new_version

    def _give_up(self, item: Item, fault: RetryLater) -> None:
        """End the crawl. The page remains pending in the journal, so that the next run fetches it again."""
        self._context.stats.fail(Message("crawl.store-away", url=_item_name(item), fault=fault))
        if self._closing is None:
            reason = STOPPED if isinstance(fault, NotHeld) else STORE_AWAY
            self._context.stats.counts.end_sentence = fault.message
            self._thread.is_closing = True
            self._closing = asyncio.ensure_future(self._close(reason))


def _item_name(item: Item) -> str:
    return item.target.url if isinstance(item, Unchanged) else item.fetched.canonical_url
