"""The loops of look-ups: the seeds of several pages become queries, and the answers hits of each page."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel


class Questions(NamedTuple):
    """The distinct hashes of some seeds.

    hashes uint64[q]; members int64[m]: seeds grouped by hash; starts int64[q + 1]: the start of each hash's group.
    """

    hashes: NDArray[np.uint64]
    members: NDArray[np.int64]
    starts: NDArray[np.int64]


class Spread(NamedTuple):
    """One row for each hit and each of its seeds, by page.

    rows, seeds int64[n]: the hit, and the seed; starts int64[pages + 1]: the start of each page's rows.
    """

    rows: NDArray[np.int64]
    seeds: NDArray[np.int64]
    starts: NDArray[np.int64]


@kernel()
def group_seeds(
    hashes: NDArray[np.uint64], order: NDArray[np.int64], pages: NDArray[np.int32], max_repeats: int
) -> Questions:
    """Return the queries of some seeds, without hashes that a page has more than `max_repeats` times.

    order: the seeds by hash; pages: of each seed, ascending.
    """
    distinct, members = np.empty(hashes.size, np.uint64), np.empty(hashes.size, np.int64)
    starts, size, count, start = np.zeros(hashes.size + 1, np.int64), 0, 0, 0
    while start < hashes.size:
        wanted, end = hashes[order[start]], start + 1
        while end < hashes.size and hashes[order[end]] == wanted:
            end += 1
        if end - start > 1:
            order[start:end].sort()
        starts[count] = size
        size = _add_members(members, size, order[start:end], pages, max_repeats)
        if size > starts[count]:
            distinct[count] = wanted
            count += 1
        start = end
    starts[count] = size
    return Questions(distinct[:count], members[:size], starts[: count + 1])


@kernel(allocates=False)
def _add_members(
    members: NDArray[np.int64], size: int, seeds: NDArray[np.int64], pages: NDArray[np.int32], max_repeats: int
) -> int:
    """Add the seeds of one hash, without pages that have more than `max_repeats`; return the new count."""
    start = 0
    while start < seeds.size:
        end = start + 1
        while end < seeds.size and pages[seeds[end]] == pages[seeds[start]]:
            end += 1
        if end - start <= max_repeats:
            for place in range(start, end):
                members[size] = seeds[place]
                size += 1
        start = end
    return size


@kernel()
def spread_hits(queries: NDArray[np.int32], questions: Questions, pages: NDArray[np.int32], page_count: int) -> Spread:
    """Distribute the hits to pages. queries: the query of each hit; pages: of each seed."""
    _, members, firsts = questions
    starts = np.zeros(page_count + 1, np.int64)
    for query in queries:
        for member in range(firsts[query], firsts[query + 1]):
            starts[pages[members[member]] + 1] += 1
    for page in range(page_count):
        starts[page + 1] += starts[page]
    rows, seeds, ends = np.empty(starts[-1], np.int64), np.empty(starts[-1], np.int64), starts[:-1].copy()
    for row in range(queries.size):
        for member in range(firsts[queries[row]], firsts[queries[row] + 1]):
            seed = members[member]
            at = ends[pages[seed]]
            rows[at], seeds[at] = row, seed
            ends[pages[seed]] += 1
    return Spread(rows, seeds, starts)


@kernel()
def left_out_queries(queries: NDArray[np.int32], counts: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the queries with occurrences, counts int32[q], and without an answer, int32[n]."""
    is_left_out = counts > 0
    for query in queries:
        is_left_out[query] = False
    return np.flatnonzero(is_left_out).astype(np.int32)


@kernel()
def number_texts(ordinals: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the distinct ordinals, ascending, and the place of each hit's ordinal among them."""
    last = -1
    for ordinal in ordinals:
        last = max(last, as_int(ordinal))
    numbers = np.full(last + 1, -1, np.int32)
    for ordinal in ordinals:
        numbers[ordinal] = 0
    distinct = np.flatnonzero(numbers == 0).astype(np.int32)
    for number in range(distinct.size):
        numbers[distinct[number]] = number
    return distinct, numbers[ordinals]
