"""What was put between the characters of a passage to hide it."""

import numpy as np
from numpy.typing import NDArray

from core.pages import Disguise
from core.text import TextRange
from fingerprint.noise import NOISE_KINDS
from matcher.changes import Comparison
from matcher.sides import Side

# Private-use characters stand for characters and are changes; full-width letters are read as letters.
HIDING_KINDS = (Disguise.ZERO_WIDTH, Disguise.SPACES, Disguise.PINYIN_INSERTED)
MIN_RATIO_TO_WORK = 2  # a work that is itself set with spaces explains as many on the page


def hidden_items(page: Side, work: Side, found: Comparison) -> dict[Disguise, NDArray[np.int64]]:
    """By kind: int64[n], rows of the page's noise; a kind that the work itself is full of is left out."""
    if not len(page.fingerprint.noise):
        return {}
    page_range = page.range_of(found.page_start, found.page_end)
    work_range = work.range_of(found.work_start, found.work_end)
    hidden = {}
    for kind in HIDING_KINDS:
        items = _items(page, kind, page_range)
        if items.size and items.size > MIN_RATIO_TO_WORK * _items(work, kind, work_range).size:
            hidden[kind] = items
    return hidden


def hiding_places(page: Side, work: Side, found: Comparison) -> NDArray[np.int64]:
    """int64[n, 3]: start and end of each on the page, and the place of the work where it would stand (text offsets)."""
    rows = np.concatenate([np.zeros(0, np.int64), *hidden_items(page, work, found).values()])
    noise = page.fingerprint.noise
    tokens = np.searchsorted(page.fingerprint.offsets, noise.starts[rows]).astype(np.int32)
    places = _work_tokens(found, tokens)
    return np.stack([noise.starts[rows], noise.ends[rows], work.ranges(places, places)[0]], axis=1).astype(np.int64)


def _work_tokens(found: Comparison, page_tokens: NDArray[np.int32]) -> NDArray[np.int32]:
    """Counted on from the end of the last change before each."""
    page_ends = np.append(np.int32(found.page_start), found.changes[:, 2])
    work_ends = np.append(np.int32(found.work_start), found.changes[:, 4])
    before = np.maximum(np.searchsorted(page_ends, page_tokens, side="right") - 1, 0)
    counted = work_ends[before] + page_tokens - page_ends[before]
    return np.asarray(np.minimum(counted, found.work_end), np.int32)


def _items(side: Side, kind: Disguise, within: TextRange) -> NDArray[np.int64]:
    noise = side.fingerprint.noise
    first, last = np.searchsorted(noise.starts, [within.start, within.end])
    return np.asarray(first + np.flatnonzero(noise.kinds[first:last] == NOISE_KINDS.index(kind)), np.int64)
