"""Pages on their way to the page store: together where they wait, and each with an outcome of its own."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from datetime import UTC, datetime
from typing import Any, TypeVar

import pytest

from core.errors import BrokenInvariant, RetryLater, ServiceUnavailable
from core.ids import CanonicalUrl, FinalUrl, RequestedUrl, SiteId
from core.pages import Fetched, Reading, Stored
from crawler.store_pipeline import MAX_BYTES, MAX_PAGES, Pages, StoreBatches
from tests.support.memory_pages import MemoryPageStore

T = TypeVar("T")
DEADLINE_S = 60.0
NOON = datetime(2026, 11, 1, 4, 0, tzinfo=UTC)


class SlowStore:
    """Stores in memory, a batch when it is let through; refuses pages of some texts."""

    def __init__(self, refused: tuple[str, ...] = ()) -> None:
        self.store, self.refused = MemoryPageStore(), refused
        self.gate = asyncio.Event()
        self.sizes: list[int] = []

    async def put_many(self, pages: Pages) -> list[Stored]:
        await self.gate.wait()
        self.sizes.append(len(pages))
        if any(reading.text in self.refused for _, reading in pages):
            raise BrokenInvariant("store.document", error="too large")
        return self.store.put_many(pages)


def page(number: int, body: bytes = b"<p>") -> tuple[Fetched, Reading]:
    url = f"https://example.com/{number}"
    fetched = Fetched(
        site_id=SiteId("1"), requested_url=RequestedUrl(url), final_url=FinalUrl(url), canonical_url=CanonicalUrl(url),
        status=200, headers=(), body=body, fetched_at=NOON,
    )  # fmt: skip
    return fetched, Reading(title="", text=f"第{number}页")


def ended(run: Coroutine[Any, Any, T]) -> T:
    """Return what `run` gives; a page that nobody ever answers for fails the test in place of holding it up."""
    return asyncio.run(asyncio.wait_for(run, DEADLINE_S))


def outcomes(
    pages: list[tuple[Fetched, Reading]], slow: Callable[[], SlowStore]
) -> tuple[list[Stored | BaseException], SlowStore]:
    async def run() -> tuple[list[Stored | BaseException], SlowStore]:
        store = slow()
        batches = StoreBatches(store.put_many)
        puts: list[Awaitable[Stored]] = [asyncio.ensure_future(batches.put(*each)) for each in pages]
        await asyncio.sleep(0)  # the first is on its way, the others wait
        store.gate.set()
        return await asyncio.gather(*puts, return_exceptions=True), store

    return ended(run())


def test_pages_that_wait_go_together_and_each_gets_its_own_answer() -> None:
    stored, slow = outcomes([page(number) for number in range(MAX_PAGES + 9)], SlowStore)
    assert slow.sizes == [MAX_PAGES, 9]
    versions = slow.store.texts([each.version_id for each in stored if isinstance(each, Stored)])
    assert list(versions.values()) == [f"第{number}页" for number in range(MAX_PAGES + 9)]


def test_long_pages_go_in_batches_that_one_request_can_hold() -> None:
    stored, slow = outcomes([page(number, b"x" * (MAX_BYTES // 3)) for number in range(7)], SlowStore)
    assert slow.sizes == [3, 3, 1]
    assert all(isinstance(each, Stored) for each in stored)
    _, slow = outcomes([page(number, b"x" * (2 * MAX_BYTES)) for number in range(2)], SlowStore)
    assert slow.sizes == [1, 1]


def test_a_page_that_the_store_cannot_take_does_not_hold_up_the_others() -> None:
    stored, slow = outcomes([page(number) for number in range(6)], lambda: SlowStore(refused=("第3页",)))
    assert [isinstance(each, BrokenInvariant) for each in stored] == [False, False, False, True, False, False]
    assert slow.sizes == [6, 1, 1, 1, 1, 1, 1]
    assert len(slow.store.pages(None, 10)) == 5


def test_a_store_that_is_away_is_said_to_all_and_asked_again_by_the_next() -> None:
    async def run() -> tuple[list[Stored | BaseException], Stored]:
        slow, calls = SlowStore(), 0
        slow.gate.set()

        async def put_many(pages: Pages) -> list[Stored]:
            nonlocal calls
            calls += 1
            if calls == 1:
                raise ServiceUnavailable("the page store", "mongodb://127.0.0.1:1")
            return await slow.put_many(pages)

        batches = StoreBatches(put_many)
        refused = await asyncio.gather(*(batches.put(*page(number)) for number in range(4)), return_exceptions=True)
        return refused, await batches.put(*page(9))

    refused, stored = ended(run())
    assert len(refused) == 4
    assert all(isinstance(each, RetryLater) for each in refused)
    assert stored.is_new_version


def test_who_stops_waiting_takes_nothing_from_the_others() -> None:
    async def run() -> tuple[Stored, int]:
        slow = SlowStore()
        batches = StoreBatches(slow.put_many)
        leaving, staying = (asyncio.ensure_future(batches.put(*page(number))) for number in range(2))
        await asyncio.sleep(0)
        leaving.cancel()
        slow.gate.set()
        stored = await staying
        with pytest.raises(asyncio.CancelledError):
            await leaving
        return stored, len(slow.store.pages(None, 10))

    stored, number = ended(run())
    assert stored.is_new_version
    assert number == 2
