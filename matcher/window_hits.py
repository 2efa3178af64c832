"""Frequency windows as seeds: the windows of a page, and the step from equal windows to places that agree.

A hit of two windows says that n tokens of the page and n of a work have the same letters, as finely as the rule counts
them. It says nothing on their order, and the windows may be out of phase by some tokens. Extension begins at hits that
agree token by token, so each hit of windows becomes the place where both agree most, or nothing.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fingerprint.algorithms import ALGORITHMS, Seeds
from fingerprint.compiled import anchors_of
from fingerprint.record import Fingerprint
from fingerprint.seeds import window_seeds_at_step
from matcher.calibration import Calibration
from matcher.extension import Streams

WILDCARD = 0xFFFF  # fingerprint.normalization.WILDCARD; numba needs a constant of this module
MULTIPLIER, SPREAD = np.uint64(1_048_583), np.uint64(0x9E3779B97F4A7C15)
HALF_WORD_BITS = np.uint64(32)

Tokens = NDArray[np.uint16]
Numbers = NDArray[np.int32]
HitColumns = tuple[Numbers, Numbers, Numbers]  # text, page position, work position of each hit


@dataclass(frozen=True, slots=True, eq=False)
class PageSeeds:
    """What an index is asked for a page.

    hashes uint64[s], positions int32[s] in the stream, widths int32[s]: tokens of the window, 0 for an anchor.
    """

    hashes: NDArray[np.uint64]
    positions: NDArray[np.int32]
    widths: NDArray[np.int32]


def page_seeds(fingerprint: Fingerprint, calibration: Calibration) -> PageSeeds:
    """The seeds of a page: anchors as the fingerprint has them, windows at the step of the calibration.

    Works have a window every half granularity. One at every token of the page leaves none of theirs out of phase.
    """
    algorithm, tokens = ALGORITHMS[fingerprint.algorithm_id], fingerprint.tokens
    if Seeds.WINDOWS not in algorithm.seeds:
        return PageSeeds(fingerprint.hashes, fingerprint.anchors, np.zeros(fingerprint.hashes.size, np.int32))
    parts = [(*anchors_of(tokens, algorithm.anchors), 0)] if Seeds.ANCHORS in algorithm.seeds else []
    for rule in algorithm.windows:
        step = min(rule.step, calibration.page_window_step_tokens)
        parts.append((*window_seeds_at_step(tokens, rule, step), rule.granularity))
    return PageSeeds(
        np.concatenate([hashes for hashes, _, _ in parts]),
        np.concatenate([positions for _, positions, _ in parts]),
        np.concatenate([np.full(hashes.size, width, np.int32) for hashes, _, width in parts]),
    )


def aligned(page: Tokens, streams: Streams, hits: HitColumns, widths: Numbers, gram_tokens: int) -> HitColumns:
    """Hits that agree in `gram_tokens` tokens from their positions on; those of anchors (width 0) as they are.

    page: uint16[n]; hits: int32[h] each, texts as `streams` counts them; widths: int32[h], tokens of both windows.
    Of two windows the runs of `gram_tokens` tokens that both have are counted by diagonal; the hit goes to the first
    run on the fullest diagonal, of equals the one that is full first, and is dropped where there is none. Of runs that
    the page's window repeats the first counts; none has a wildcard. Time is linear in the widths.
    """
    if not widths.any():
        return hits
    found: HitColumns = _aligned(page, streams.tokens, streams.starts, streams.ends, hits, widths, gram_tokens)
    return found


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def _aligned(  # noqa: PLR0917 - numba compiles no records; so everywhere here
    page: Tokens,
    tokens: Tokens,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    hits: HitColumns,
    widths: Numbers,
    gram: int,
) -> HitColumns:
    texts, page_hits, work_hits = hits
    kept_texts, kept_pages, kept_works = np.empty_like(texts), np.empty_like(page_hits), np.empty_like(work_hits)
    widest = widths.max()
    bits = 1
    while 1 << bits < 2 * widest:
        bits += 1
    slots, stamps = np.empty(1 << bits, np.int32), np.full(1 << bits, -1, np.int64)
    counts, firsts = np.empty(2 * widest + 1, np.int32), np.empty(2 * widest + 1, np.int32)
    kept, stamp, last_page, last_width = 0, -1, -1, -1
    for hit in range(texts.size):
        text, page_at, work_at, width = texts[hit], page_hits[hit], work_hits[hit], widths[hit]
        if width:
            if page_at != last_page or width != last_width:
                stamp, last_page, last_width = hit, page_at, width
                _enter(page, page_at, min(page_at + width, page.size), gram, slots, stamps, stamp)
            start = starts[text] + work_at
            end = min(start + width, ends[text])
            ahead = _place(page, page_at, tokens, start, end, gram, slots, stamps, stamp, width, counts, firsts)
            if ahead[0] < 0:
                continue
            page_at, work_at = page_at + ahead[0], work_at + ahead[1]
        kept_texts[kept], kept_pages[kept], kept_works[kept] = text, page_at, work_at
        kept += 1
    return kept_texts[:kept], kept_pages[:kept], kept_works[:kept]


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def _enter(  # noqa: PLR0917
    page: Tokens, start: int, end: int, gram: int, slots: Numbers, stamps: NDArray[np.int64], stamp: int
) -> None:
    """Note the first place of every run in the page's window; slots with another stamp are free."""
    readable = 0
    for last in range(start, end):
        readable = readable + 1 if page[last] != WILDCARD else 0
        if readable >= gram:
            first = last - gram + 1
            slot = _slot(page, first, page, start, gram, slots, stamps, stamp)
            if stamps[slot] != stamp:
                stamps[slot], slots[slot] = stamp, first - start


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def _slot(  # noqa: PLR0917
    tokens: Tokens,
    at: int,
    page: Tokens,
    start: int,
    gram: int,
    slots: Numbers,
    stamps: NDArray[np.int64],
    stamp: int,
) -> int:
    """The slot that holds the run at tokens[at], else the free one where it belongs."""
    value = np.uint64(0)
    for step in range(gram):
        value = value * MULTIPLIER + np.uint64(tokens[at + step])
    slot = int((value * SPREAD) >> HALF_WORD_BITS) & (slots.size - 1)
    while stamps[slot] == stamp:
        step, other = 0, start + slots[slot]
        while step < gram and page[other + step] == tokens[at + step]:
            step += 1
        if step == gram:
            break
        slot = (slot + 1) & (slots.size - 1)
    return slot


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def _place(  # noqa: PLR0917
    page: Tokens,
    page_at: int,
    tokens: Tokens,
    start: int,
    end: int,
    gram: int,
    slots: Numbers,
    stamps: NDArray[np.int64],
    stamp: int,
    width: int,
    counts: Numbers,
    firsts: Numbers,
) -> tuple[int, int]:
    """Where on the fullest diagonal both windows first agree, in tokens into page's and work's; -1, -1: nowhere."""
    counts[: 2 * width + 1] = 0
    best, fullest = 0, -1
    for at in range(start, end - gram + 1):
        slot = _slot(tokens, at, page, page_at, gram, slots, stamps, stamp)
        if stamps[slot] == stamp:
            diagonal = at - start - slots[slot] + width
            if not counts[diagonal]:
                firsts[diagonal] = slots[slot]
            counts[diagonal] += 1
            if counts[diagonal] > best:
                best, fullest = counts[diagonal], diagonal
    if fullest < 0:
        return -1, -1
    return firsts[fullest], firsts[fullest] + fullest - width
