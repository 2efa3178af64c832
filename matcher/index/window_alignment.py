"""Turns hits of frequency windows into places that agree.

A hit of two windows means that n tokens of the page and n of a work have the same letters, in the precision of the
rule. It says nothing about their order, and the windows may be out of phase by some tokens. Extension begins at hits
that agree token by token. Each hit of windows is therefore moved to the place where both agree most, or dropped.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from fingerprint.stream import WILDCARD
from matcher.corpus import TokenStreams

MULTIPLIER, SPREAD = np.uint64(1_048_583), np.uint64(0x9E3779B97F4A7C15)
HALF_WORD_BITS = np.uint64(32)

Tokens = NDArray[np.uint16]
Numbers = NDArray[np.int32]


class HitColumns(NamedTuple):
    """Text, page position and work position of each hit."""

    texts: Numbers
    pages: Numbers
    works: Numbers


class PageRuns(NamedTuple):
    """The runs of `gram` tokens in one window of the page, in a hash table that windows share.

    slots: the first place of a run in the window; stamps: the window that filled each slot. A slot is free if its stamp
    differs from `stamp`.
    """

    page: Tokens
    start: int
    gram: int
    stamp: int
    slots: Numbers
    stamps: NDArray[np.int64]


class Diagonals(NamedTuple):
    """By diagonal, the most negative first: the number of its runs, and the place of the first in the page's window."""

    counts: Numbers
    firsts: Numbers


def align_window_hits(
    page: Tokens, streams: TokenStreams, hits: HitColumns, widths: Numbers, gram_tokens: int
) -> HitColumns:
    """Return hits that agree in `gram_tokens` tokens from their positions on; hits of anchors (width 0) are unchanged.

    page: uint16[n]; hits: int32[h] each, texts numbered as in `streams`; widths: int32[h], tokens of both windows. The
    runs of `gram_tokens` tokens that two windows share are counted by diagonal. The hit moves to the first run on the
    fullest diagonal (of equal ones, the one that is full first), and is dropped if there is none. Of runs that the
    page's window repeats, the first counts; none has a wildcard. Time is linear in the widths.
    """
    if not widths.any():
        return hits
    return HitColumns(*_align_hits(page, streams, hits, widths, gram_tokens))


@kernel()
def _align_hits(page: Tokens, works: TokenStreams, hits: HitColumns, widths: Numbers, gram: int) -> HitColumns:
    kept = HitColumns(np.empty_like(hits.texts), np.empty_like(hits.pages), np.empty_like(hits.works))
    widest = widths.max()
    slot_count = _slot_count(widest)
    runs = PageRuns(page, 0, gram, -1, np.empty(slot_count, np.int32), np.full(slot_count, -1, np.int64))
    diagonals = Diagonals(np.empty(2 * widest + 1, np.int32), np.empty(2 * widest + 1, np.int32))
    count, last_width = 0, -1
    for hit in range(hits.texts.size):
        text, page_at, work_at = hits.texts[hit], as_int(hits.pages[hit]), as_int(hits.works[hit])
        width = as_int(widths[hit])
        if width:
            if page_at != runs.start or width != last_width:
                last_width = width
                runs = PageRuns(page, page_at, gram, hit, runs.slots, runs.stamps)
                _enter_runs(runs, min(page_at + width, page.size))
            start = works.starts[text] + work_at
            end = min(start + width, works.ends[text])
            on_page, in_work = _find_place(runs, works.tokens, start, end, width, diagonals)
            if on_page < 0:
                continue
            page_at, work_at = page_at + on_page, work_at + in_work
        kept.texts[count], kept.pages[count], kept.works[count] = text, page_at, work_at
        count += 1
    return HitColumns(kept.texts[:count], kept.pages[:count], kept.works[:count])


@kernel(allocates=False)
def _slot_count(widest: int) -> int:
    """Return a power of two, at least twice the runs of a window."""
    bits = 1
    while 1 << bits < 2 * widest:
        bits += 1
    return 1 << bits


@kernel(allocates=False)
def _enter_runs(runs: PageRuns, end: int) -> None:
    """Store the first place of every run in the page's window."""
    readable = 0
    for last in range(runs.start, end):
        readable = readable + 1 if runs.page[last] != WILDCARD else 0
        if readable >= runs.gram:
            first = last - runs.gram + 1
            slot = _find_slot(runs, runs.page, first)
            if runs.stamps[slot] != runs.stamp:
                runs.stamps[slot], runs.slots[slot] = runs.stamp, first - runs.start


@kernel(allocates=False)
def _find_slot(runs: PageRuns, tokens: Tokens, at: int) -> int:
    """Return the slot that holds the run at tokens[at], or the free slot where it belongs."""
    value = np.uint64(0)
    for step in range(runs.gram):
        value = value * MULTIPLIER + np.uint64(tokens[at + step])
    slot = int((value * SPREAD) >> HALF_WORD_BITS) & (runs.slots.size - 1)
    while runs.stamps[slot] == runs.stamp:
        step, other = 0, runs.start + runs.slots[slot]
        while step < runs.gram and runs.page[other + step] == tokens[at + step]:
            step += 1
        if step == runs.gram:
            break
        slot = (slot + 1) & (runs.slots.size - 1)
    return slot


@kernel(allocates=False)
def _find_place(  # noqa: PLR0917 - kernels take no keywords
    runs: PageRuns, tokens: Tokens, start: int, end: int, width: int, diagonals: Diagonals
) -> tuple[int, int]:
    """Return the first place at which both windows agree on the fullest diagonal, in tokens from their starts.

    Returns -1, -1 if there is none.
    """
    counts, firsts = diagonals
    counts[: 2 * width + 1] = 0
    best, fullest = 0, -1
    for at in range(start, end - runs.gram + 1):
        slot = _find_slot(runs, tokens, at)
        if runs.stamps[slot] == runs.stamp:
            diagonal = at - start - runs.slots[slot] + width
            if not counts[diagonal]:
                firsts[diagonal] = runs.slots[slot]
            counts[diagonal] += 1
            if counts[diagonal] > best:
                best, fullest = counts[diagonal], diagonal
    if fullest < 0:
        return -1, -1
    return firsts[fullest], firsts[fullest] + fullest - width
