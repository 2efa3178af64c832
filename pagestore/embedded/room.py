"""Memory that large messages may hold together, so that no number of clients fills that of the machine."""

import asyncio
import heapq
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count


class Room:
    """So many bytes; who finds too few left waits, and of those that wait the smallest comes first.

    Small before large, so that messages which somebody promised and does not send delay no usual one.
    """

    def __init__(self, total_bytes: int) -> None:
        self._free_bytes = total_bytes
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._numbers = count()

    @property
    def is_contended(self) -> bool:
        """Whether somebody waits."""
        return any(not turn.done() for _, _, turn in self._waiting)

    @asynccontextmanager
    async def taken(self, size_bytes: int) -> AsyncIterator[None]:
        """Hold so many bytes within the block; waits until they are free."""
        await self._take(size_bytes)
        try:
            yield
        finally:
            self._give_back(size_bytes)

    async def _take(self, size_bytes: int) -> None:
        if not self.is_contended and size_bytes <= self._free_bytes:
            self._free_bytes -= size_bytes
            return
        turn = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (size_bytes, next(self._numbers), turn))
        try:
            self._admit()
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._give_back(size_bytes)
            raise

    def _give_back(self, size_bytes: int) -> None:
        self._free_bytes += size_bytes
        self._admit()

    def _admit(self) -> None:
        while self._waiting and (self._waiting[0][2].done() or self._waiting[0][0] <= self._free_bytes):
            size_bytes, _, turn = heapq.heappop(self._waiting)
            if not turn.done():  # who waited may have gone
                self._free_bytes -= size_bytes
                turn.set_result(None)
