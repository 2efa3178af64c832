"""Pages that wait for the page store go to it together: while some are written, the next ones gather.

A store that keeps up gets one page at a time, and a page waits for nobody. One that does not gets more at once, which
costs it little more than one does (docs/decisions/stores-and-backups.md).
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from core.errors import RetryLater
from core.pages import Fetched, Reading, Stored

# Processor time of crawl and embedded store a page, by pages in a batch: 1: 7.7 ms, 4: 3.0, 8: 2.4, 16: 1.9, 32: 1.7,
# 64: 1.4 (2026-11); what a crawl that is killed fetches again grows with them. Bytes: what such a store takes .6 s for.
MAX_PAGES, MAX_BYTES = 32, 8_000_000

Pages = Sequence[tuple[Fetched, Reading]]
PutMany = Callable[[Pages], Awaitable[list[Stored]]]


@dataclass(frozen=True, slots=True)
class _Waiting:
    fetched: Fetched
    reading: Reading
    done: "asyncio.Future[Stored]"

    def end(self, stored: Stored | Exception) -> None:
        if self.done.done():  # the caller has gone
            return
        if isinstance(stored, Stored):
            self.done.set_result(stored)
        else:
            self.done.set_exception(stored)


class StoreBatches:
    """Writes one batch at a time. `put_many` is PageStore's, and may wait out a store that is away."""

    def __init__(self, put_many: PutMany) -> None:
        self._put_many = put_many
        self._waiting: list[_Waiting] = []
        self._writing: asyncio.Task[None] | None = None

    async def put(self, fetched: Fetched, reading: Reading) -> Stored:
        """Keep a page. Raises the store's error for this page, or for all where it is away."""
        waiting = _Waiting(fetched, reading, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        if self._writing is None:
            self._writing = asyncio.ensure_future(self._write())
        return await waiting.done

    async def _write(self) -> None:
        try:
            while self._waiting:
                number = _fitting(self._waiting)
                batch, self._waiting = self._waiting[:number], self._waiting[number:]
                await self._put(batch)
        finally:
            self._writing = None

    async def _put(self, batch: Sequence[_Waiting]) -> None:
        stored: Sequence[Stored | Exception]
        try:
            stored = await self._put_many([(each.fetched, each.reading) for each in batch])
        except Exception as fault:
            if len(batch) > 1 and not isinstance(fault, RetryLater):
                for each in batch:  # one of them is at fault; the others are stored
                    await self._put([each])
                return
            stored = [fault] * len(batch)
        for each, outcome in zip(batch, stored, strict=True):
            each.end(outcome)


def _fitting(waiting: Sequence[_Waiting]) -> int:
    """Return how many of those in front go together."""
    total = 0
    for number, each in enumerate(waiting[:MAX_PAGES]):
        total += len(each.fetched.body) + sum(len(part.body) for part in each.fetched.parts)
        if number and total > MAX_BYTES:
            return number
    return min(len(waiting), MAX_PAGES)
