"""Blocks of a page: runs of sentences that are looked up together, since a passage may be a small part of a page."""

from collections.abc import Iterable, Iterator

Block = tuple[int, int]  # [start, end) in sentences


def blocks(units: int, size: int, step: int) -> list[Block]:
    """Return the ranges [start, end) of blocks of so many sentences; the last is full if there are enough.

    >>> blocks(5, 16, 8), blocks(20, 16, 8), blocks(0, 16, 8)
    ([(0, 5)], [(0, 16), (4, 20)], [])
    """
    if not units:
        return []
    last = max(0, units - size)
    return [(start, min(units, start + size)) for start in [*range(0, last, step), last]]


def runs(several: Iterable[Block]) -> Iterator[Block]:
    """Yield the blocks with overlapping or touching ones joined, in order.

    >>> list(runs([(0, 16), (8, 24), (40, 56)]))
    [(0, 24), (40, 56)]
    """
    start = end = -1
    for first, last in sorted(several):
        if first > end:
            if end > start:
                yield start, end
            start, end = first, last
        end = max(end, last)
    if end > start:
        yield start, end
