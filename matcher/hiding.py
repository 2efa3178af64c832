"""What was put between the characters of a passage to hide it."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from core.matches import Change, ChangeKind
from core.pages import Disguise
from core.text import TextRange
from fingerprint.noise import NOISE_KINDS
from matcher.changes import Comparison
from matcher.sides import Side

# Private-use characters stand for characters and are changes; full-width letters are read as letters.
HIDING_KINDS = (Disguise.ZERO_WIDTH, Disguise.SPACES, Disguise.PINYIN_INSERTED)
MIN_RATIO_TO_WORK = 2  # a work that is itself set with spaces explains as many on the page


def hidden_kinds(page: Side, work: Side, found: Comparison) -> dict[Disguise, list[TextRange]]:
    """Places on the page by kind; a kind that the work itself is full of is left out."""
    if not len(page.fingerprint.noise):
        return {}
    page_range = page.range_of(found.page_start, found.page_end)
    work_range = work.range_of(found.work_start, found.work_end)
    hidden = {}
    for kind in HIDING_KINDS:
        items = _items(page, kind, page_range)
        if items and len(items) > MIN_RATIO_TO_WORK * len(_items(work, kind, work_range)):
            hidden[kind] = items
    return hidden


def hiding_changes(page: Side, work: Side, found: Comparison) -> Iterator[Change]:
    """The same as changes, each at the place of the work where it would stand."""
    items = [item for items in hidden_kinds(page, work, found).values() for item in items]
    tokens = np.searchsorted(page.fingerprint.offsets, np.array([item.start for item in items], np.int64))
    places = _work_tokens(found, tokens.astype(np.int32))
    for item, place in zip(items, work.ranges(places, places)[0], strict=True):
        yield Change(ChangeKind.NOISE, item, TextRange(place, place))


def _work_tokens(found: Comparison, page_tokens: NDArray[np.int32]) -> NDArray[np.int32]:
    """Counted on from the end of the last change before each."""
    page_ends = np.append(np.int32(found.page_start), found.changes[:, 2])
    work_ends = np.append(np.int32(found.work_start), found.changes[:, 4])
    before = np.maximum(np.searchsorted(page_ends, page_tokens, side="right") - 1, 0)
    counted = work_ends[before] + page_tokens - page_ends[before]
    return np.asarray(np.minimum(counted, found.work_end), np.int32)


def _items(side: Side, kind: Disguise, within: TextRange) -> list[TextRange]:
    noise = side.fingerprint.noise
    first, last = np.searchsorted(noise.starts, [within.start, within.end])
    rows = first + np.flatnonzero(noise.kinds[first:last] == NOISE_KINDS.index(kind))
    return [
        TextRange(start, end) for start, end in zip(noise.starts[rows].tolist(), noise.ends[rows].tolist(), strict=True)
    ]
