"""Looks up pages: finds the positions in the texts of an index where the pages' seeds occur."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.ids import WorkTextId
from fingerprint.compilation import kernel
from fingerprint.fingerprinting import Fingerprint
from fingerprint.rules import Seeds
from fingerprint.seeds import find_anchors, window_seeds_at_step
from matcher.calibration import Calibration
from matcher.corpus import Hits, TokenCache, TokenStreams
from matcher.index.ports import IndexHits, MatchIndex
from matcher.index.postings import spread_hashes
from matcher.index.window_alignment import align_window_hits

NEAR_DIAGONALS = 20  # the band of an extension


class PageSeeds(NamedTuple):
    """The seeds of one or more pages.

    hashes uint64[s]; positions int32[s] in the stream of the page; widths int32[s]: the tokens of the window, or 0 for
    an anchor.
    """

    hashes: NDArray[np.uint64]
    positions: NDArray[np.int32]
    widths: NDArray[np.int32]


def page_seeds(fingerprint: Fingerprint, calibration: Calibration) -> PageSeeds:
    """Return the seeds of a page: its anchors, and its windows at the calibration's step.

    A work has a window every half granularity. With a window at every token, a page has a window in phase with each of
    them.
    """
    algorithm, tokens = fingerprint.algorithm, fingerprint.tokens
    if Seeds.WINDOWS not in algorithm.seeds:
        return PageSeeds(fingerprint.hashes, fingerprint.anchors, np.zeros(fingerprint.hashes.size, np.int32))
    parts = []
    if Seeds.ANCHORS in algorithm.seeds:
        parts.append((*find_anchors(tokens, algorithm.anchors, algorithm.symbols), 0))
    for rule in algorithm.windows:
        step = min(rule.step, calibration.page_window_step_tokens)
        parts.append((*window_seeds_at_step(tokens, rule, algorithm.tables.initials, step), rule.granularity))
    return PageSeeds(
        np.concatenate([hashes for hashes, _, _ in parts]),
        np.concatenate([positions for _, positions, _ in parts]),
        np.concatenate([np.full(hashes.size, width, np.int32) for hashes, _, width in parts]),
    )


class SeedQueries(NamedTuple):
    """The distinct hashes of some seeds.

    hashes uint64[q]; members int64[m]: the seeds, grouped by hash; starts int64[q + 1]: the start of each hash's group.
    """

    hashes: NDArray[np.uint64]
    members: NDArray[np.int64]
    starts: NDArray[np.int64]


@kernel()
def group_seeds(
    hashes: NDArray[np.uint64], order: NDArray[np.int64], pages: NDArray[np.int32], max_repeats: int
) -> SeedQueries:
    """Return the distinct hashes to look up.

    A hash that occurs more than `max_repeats` times on a page is omitted for it.

    order: the seeds by hash; pages: the page of each seed, ascending.
    """
    distinct, members = np.empty(hashes.size, np.uint64), np.empty(hashes.size, np.int64)
    starts, size, count, start = np.zeros(hashes.size + 1, np.int64), 0, 0, 0
    while start < hashes.size:
        hash_value, end = hashes[order[start]], start + 1
        while end < hashes.size and hashes[order[end]] == hash_value:
            end += 1
        if end - start > 1:
            order[start:end].sort()
        starts[count] = size
        size = _add_members(members, size, order[start:end], pages, max_repeats)
        if size > starts[count]:
            distinct[count] = hash_value
            count += 1
        start = end
    starts[count] = size
    return SeedQueries(distinct[:count], members[:size], starts[: count + 1])


@kernel(allocates=False)
def _add_members(
    members: NDArray[np.int64], size: int, seeds: NDArray[np.int64], pages: NDArray[np.int32], max_repeats: int
) -> int:
    """Add the seeds of one hash, except those of pages with more than `max_repeats` of them; return the new count."""
    start = 0
    while start < seeds.size:
        end = start + 1
        while end < seeds.size and pages[seeds[end]] == pages[seeds[start]]:
            end += 1
        if end - start <= max_repeats:
            for row in range(start, end):
                members[size] = seeds[row]
                size += 1
        start = end
    return size


class PageHits(NamedTuple):
    """The hits of a page: each seed of the page at each of its positions in a text, unordered.

    Both agree from there on.

    places: texts are numbered as in `text_id` and `streams`. capped int32[c]: the page positions of anchors that are
    too frequent to look up.
    """

    text_id: Callable[[int], WorkTextId]
    places: Hits
    capped: NDArray[np.int32]
    streams: TokenStreams


class _QuerySeeds(NamedTuple):
    """The concatenated seeds of some pages. pages int32[s]: the page of each seed."""

    all: PageSeeds
    pages: NDArray[np.int32]
    page_count: int

    @classmethod
    def from_fingerprints(cls, fingerprints: Sequence[Fingerprint], calibration: Calibration) -> "_QuerySeeds":
        found = [page_seeds(fingerprint, calibration) for fingerprint in fingerprints]
        pages = np.repeat(np.arange(len(found), dtype=np.int32), [seeds.hashes.size for seeds in found])
        return cls(PageSeeds(*(np.concatenate(column) for column in zip(*found, strict=True))), pages, len(found))


def spread_hits(
    queries: NDArray[np.integer], queries_by_hash: SeedQueries, seeds: _QuerySeeds
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of a hit and a seed with the same hash, by page.

    These are the hits int64[n], the seeds int64[n], and the start of each page's pairs. queries: the hash of each hit,
    as an index into `queries_by_hash`.
    """
    firsts, counts = queries_by_hash.starts[queries], np.diff(queries_by_hash.starts)[queries]
    rows = np.repeat(np.arange(queries.size), counts)
    found = queries_by_hash.members[np.arange(rows.size) + np.repeat(firsts - np.cumsum(counts) + counts, counts)]
    pages = seeds.pages[found].astype(np.uint16)
    order = np.argsort(pages, kind="stable")  # radix sort: linear
    starts = np.append(0, np.cumsum(np.bincount(pages, minlength=seeds.page_count)))
    return rows[order], found[order], starts


def find_hits(
    index: MatchIndex, cache: TokenCache, fingerprints: Sequence[Fingerprint], cap: int, calibration: Calibration
) -> tuple[list[PageHits], int]:
    """Look up the seeds of several pages in one query; return the hits of each page, and the postings of the index.

    cap: a seed with more postings in the whole index is common and not looked up. If a page has only common seeds, they
    are looked up with a higher cap. Seeds that the page itself repeats too often are not looked up either: the hits
    would be the product of both counts. Only anchors are reported as capped: a common window says nothing about its
    wording, since tokens in another order give the same window.
    """
    seeds = _QuerySeeds.from_fingerprints(fingerprints, calibration)
    page_hits, postings = _find_hits(index, cache, fingerprints, seeds, cap, calibration)
    for number, (hits, has_capped) in enumerate(page_hits):
        if has_capped and not hits.places.texts.size:
            single_page, higher_cap = fingerprints[number : number + 1], cap * calibration.cap_growth_when_all_capped
            page_hits[number], *_ = _find_hits(
                index,
                cache,
                single_page,
                _QuerySeeds.from_fingerprints(single_page, calibration),
                higher_cap,
                calibration,
            )[0]
    return [hits for hits, _ in page_hits], postings


def _find_hits(  # noqa: PLR0917
    index: MatchIndex,
    cache: TokenCache,
    fingerprints: Sequence[Fingerprint],
    seeds: _QuerySeeds,
    cap: int,
    calibration: Calibration,
) -> tuple[list[tuple[PageHits, bool]], int]:
    """Return the hits of each page, whether any of its seeds are common, and the postings of the index."""
    # In order of their keys, so that look-ups in memory are sequential.
    order = np.argsort(spread_hashes(seeds.all.hashes))
    queries_by_hash = group_seeds(seeds.all.hashes, order, seeds.pages, calibration.max_repeats_on_page)
    hits = index.lookup(queries_by_hash.hashes, cap)
    rows, seed_rows, starts = spread_hits(hits.queries, queries_by_hash, seeds)
    columns = hits.ordinals[rows], seeds.all.positions[seed_rows], hits.positions[rows], seeds.all.widths[seed_rows]
    pages = [_PageRows(*(column[start:end] for column in columns)) for start, end in pairwise(starts.tolist())]
    if hits.streams is None:
        pages = [page.with_likely_hits(calibration.max_fetched_texts) for page in pages]
    texts, streams, text_id = _fetch_streams(hits, [page.ordinals for page in pages], cache)
    capped, is_anchor = _capped_seeds(hits, queries_by_hash, seeds), seeds.all.widths == 0
    page_hits = []
    for fingerprint, page, of_page, of_texts in zip(fingerprints, pages, capped, texts, strict=True):
        places, grams = Hits(of_texts, page.page_positions, page.work_positions), calibration.window_gram_tokens
        places = align_window_hits(fingerprint.tokens, streams, places, page.widths, grams)
        anchors = np.sort(seeds.all.positions[of_page[is_anchor[of_page]]])
        page_hits.append((PageHits(text_id, places, anchors, streams), bool(of_page.size)))
    return page_hits, hits.postings


class _PageRows(NamedTuple):
    """The hits of one page. ordinals: the ordinals of their texts in the index; widths: the widths of their seeds."""

    ordinals: NDArray[np.int32]
    page_positions: NDArray[np.int32]
    work_positions: NDArray[np.int32]
    widths: NDArray[np.int32]

    def with_likely_hits(self, max_texts: int) -> "_PageRows":
        """Return the hits, without isolated hits if more than `max_texts` texts have hits: fetching streams is costly.

        Texts with two hits on nearly one diagonal are kept: a copied passage of 30 characters has at least three
        anchors. So are texts with a hit of a window, which may be the only one of its passage and is rarely due to
        chance.
        """
        if self.ordinals.size <= max_texts or np.unique(self.ordinals).size <= max_texts:
            return self
        diagonals = self.work_positions.astype(np.int64) - self.page_positions
        order = np.lexsort((diagonals, self.ordinals))
        is_near = (np.diff(self.ordinals[order]) == 0) & (np.diff(diagonals[order]) <= NEAR_DIAGONALS)
        pairs = order[np.flatnonzero(is_near)]
        is_kept = np.isin(self.ordinals, np.concatenate([self.ordinals[pairs], self.ordinals[self.widths > 0]]))
        return _PageRows(*(column[is_kept] for column in self))


def _fetch_streams(
    hits: IndexHits, ordinals: Sequence[NDArray[np.int32]], cache: TokenCache
) -> tuple[Sequence[NDArray[np.int32]], TokenStreams, Callable[[int], WorkTextId]]:
    """Return the number of the text of each hit, the streams by number, and a function from numbers to text ids.

    ordinals: the ordinals of each page's hits.
    """
    if hits.streams is not None:
        return ordinals, hits.streams, hits.text_id
    all_ordinals = np.concatenate(ordinals)
    numbers = np.zeros(all_ordinals.max(initial=-1) + 1, np.int32)
    numbers[all_ordinals] = 1
    distinct = np.flatnonzero(numbers)
    numbers[distinct] = np.arange(distinct.size)
    text_ids = [hits.text_id(ordinal) for ordinal in distinct.tolist()]
    texts = np.split(numbers[all_ordinals], np.cumsum([page_ordinals.size for page_ordinals in ordinals])[:-1])
    return texts, cache.streams(text_ids), text_ids.__getitem__


def _capped_seeds(hits: IndexHits, queries_by_hash: SeedQueries, seeds: _QuerySeeds) -> Sequence[NDArray[np.int64]]:
    """Return, for each page, the seeds that occur in the index but have too many postings, int64[c]."""
    if not hits.capped:
        return [np.zeros(0, np.int64)] * seeds.page_count
    is_capped = hits.counts > 0
    is_capped[hits.queries] = False
    _, capped_seeds, starts = spread_hits(np.flatnonzero(is_capped), queries_by_hash, seeds)
    return np.split(capped_seeds, starts[1:-1])
