"""Looking a page up: for each of its seeds the places in the texts of an index where it occurs."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.ids import WorkTextId
from fingerprint.compilation import kernel
from fingerprint.record import Fingerprint
from matcher.calibration import Calibration
from matcher.index.page_seeds import PageSeeds, page_seeds
from matcher.index.ports import Hits, MatchIndex
from matcher.index.window_alignment import HitColumns, align_window_hits
from matcher.token_streams import TokenCache, TokenStreams

NEAR_DIAGONALS = 20  # the band of an extension


@dataclass(frozen=True, slots=True, eq=False)
class PageHits:
    """One row for each seed of the page and each place of it in a text, in no order; both sides agree from there on.

    texts int32[h]: numbers that `text_id` names and by which `streams` are ordered, where the index has these itself;
    page_positions int32[h], work_positions int32[h]. capped int32[c]: page positions of anchors that occur too often to
    be looked up.
    """

    text_id: Callable[[int], WorkTextId]
    texts: NDArray[np.int32]
    page_positions: NDArray[np.int32]
    work_positions: NDArray[np.int32]
    capped: NDArray[np.int32]
    streams: TokenStreams


def find_page_hits(
    index: MatchIndex, cache: TokenCache, fingerprint: Fingerprint, cap: int, calibration: Calibration
) -> tuple[PageHits, int]:
    """Look up the seeds of a page; also how many postings the index has.

    cap: postings of a seed in the whole index beyond which it is common. A seed that the page itself repeats too often
    is not looked up: the hits would be the product of both. That a window is common says nothing on its wording, since
    tokens in another order have the same: only anchors are reported as capped.
    """
    seeds = page_seeds(fingerprint, calibration)
    order = np.argsort(seeds.hashes)
    hashes, groups = _group_hashes(seeds.hashes, order, calibration.max_repeats_on_page)
    hits = index.lookup(hashes, cap)
    if not hits.queries.size and hits.capped:
        hits = index.lookup(hashes, cap * calibration.cap_growth_when_all_capped)
    rows, asked = _spread_hits(hits.queries, groups, order)
    capped = _find_capped_anchors(hits, seeds, groups, order)
    likely = _likely_hits(hits, seeds.positions[asked], seeds.widths[asked] > 0, rows, calibration.max_fetched_texts)
    if likely is not hits:
        hits = likely
        rows, asked = _spread_hits(hits.queries, groups, order)
    texts, streams, text_id = _streams_of(hits, cache)
    found = align_window_hits(
        fingerprint.tokens,
        streams,
        HitColumns(texts[rows], seeds.positions[asked], hits.positions[rows]),
        seeds.widths[asked],
        calibration.window_gram_tokens,
    )
    return PageHits(text_id, *found, capped, streams), hits.postings


def _streams_of(hits: Hits, cache: TokenCache) -> tuple[NDArray[np.int32], TokenStreams, Callable[[int], WorkTextId]]:
    """The texts of hits by number, their streams, and what names the numbers."""
    if hits.streams is not None:
        return hits.ordinals, hits.streams, hits.texts.__getitem__
    ordinals, texts = _number_texts(hits.ordinals)
    text_ids = [hits.texts[ordinal] for ordinal in ordinals.tolist()]
    return texts, cache.streams(text_ids), text_ids.__getitem__


@kernel()
def _number_texts(ordinals: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The distinct ordinals in increasing order, and for each hit the place of its own among them."""
    numbers = np.full(ordinals.max() + 1 if ordinals.size else 0, -1, np.int32)
    for ordinal in ordinals:
        numbers[ordinal] = 0
    distinct = np.flatnonzero(numbers == 0).astype(np.int32)
    for number in range(distinct.size):
        numbers[distinct[number]] = number
    return distinct, numbers[ordinals]


def _likely_hits(
    hits: Hits,
    page_positions: NDArray[np.int32],
    is_window: NDArray[np.bool_],
    rows: NDArray[np.int64],
    most: int,
) -> Hits:
    """Drop the lone hits when more than `most` texts have any and their streams must be fetched one by one.

    Kept are hits of texts with two on nearly one diagonal: a copied passage of 30 characters has three anchors or more.
    A window is often the only one of its passage, and seldom hits by chance: its text is kept for it alone.
    """
    ordinals = hits.ordinals[rows]
    if hits.streams is not None or hits.ordinals.size <= most or np.unique(ordinals).size <= most:
        return hits
    diagonals = hits.positions[rows].astype(np.int64) - page_positions
    order = np.lexsort((diagonals, ordinals))
    is_near = (np.diff(ordinals[order]) == 0) & (np.diff(diagonals[order]) <= NEAR_DIAGONALS)
    pairs = order[np.flatnonzero(is_near)]
    is_kept = np.isin(hits.ordinals, np.concatenate([ordinals[pairs], ordinals[is_window]]))
    return replace(
        hits, queries=hits.queries[is_kept], ordinals=hits.ordinals[is_kept], positions=hits.positions[is_kept]
    )


def _find_capped_anchors(
    hits: Hits, seeds: PageSeeds, groups: NDArray[np.int64], order: NDArray[np.int64]
) -> NDArray[np.int32]:
    """int32[c]: increasing page positions of the anchors that have occurrences and were left out of the answer."""
    if not hits.capped:
        return np.zeros(0, np.int32)
    is_answered = np.bincount(hits.queries, minlength=len(groups)) > 0
    left_out = np.flatnonzero((hits.counts > 0) & ~is_answered).astype(np.int32)
    _, capped = _spread_hits(left_out, groups, order)
    return np.sort(seeds.positions[capped[seeds.widths[capped] == 0]])


@kernel()
def _group_hashes(
    hashes: NDArray[np.uint64], order: NDArray[np.int64], max_repeats: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Distinct hashes that occur at most `max_repeats` times, and int64[n, 2], the range of `order` that has each."""
    distinct, groups = np.empty(hashes.size, np.uint64), np.empty((hashes.size, 2), np.int64)
    count, start = 0, 0
    while start < hashes.size:
        end = start + 1
        while end < hashes.size and hashes[order[end]] == hashes[order[start]]:
            end += 1
        if end - start <= max_repeats:
            distinct[count] = hashes[order[start]]
            groups[count, 0], groups[count, 1] = start, end
            count += 1
        start = end
    return distinct[:count], groups[:count]


@kernel()
def _spread_hits(
    queries: NDArray[np.int32], groups: NDArray[np.int64], order: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each hit and each seed of the page that asked for it: the hit's row, and which seed."""
    total = 0
    for query in queries:
        total += groups[query, 1] - groups[query, 0]
    rows, seeds = np.empty(total, np.int64), np.empty(total, np.int64)
    at = 0
    for hit in range(queries.size):
        for member in range(groups[queries[hit], 0], groups[queries[hit], 1]):
            rows[at], seeds[at] = hit, order[member]
            at += 1
    return rows, seeds
