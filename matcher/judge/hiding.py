"""Items put between the characters of a passage to hide it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.obfuscations import Obfuscation
from fingerprint.stream import NOISE_KINDS
from matcher.align.changes import PassageComparison
from matcher.align.token_alignment import TO_PAGE, TO_WORK
from matcher.align.tokenized_text import TokenizedText

# Private-use characters stand for characters and are changes; full-width letters are read as letters.
HIDING_KINDS = (Obfuscation.ZERO_WIDTH, Obfuscation.SPACES, Obfuscation.PINYIN_INSERTED, Obfuscation.STREWN)
HIDING_NUMBERS = {kind: NOISE_KINDS.index(kind) for kind in HIDING_KINDS}
MIN_RATIO_TO_WORK = 2  # a work that is itself set with spaces explains as many on the page


@dataclass(frozen=True, slots=True, eq=False)
class HidingPlaces:
    """Noise in a passage. starts, ends: int64[n], page offsets; work_places: where it would stand in the work."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    work_places: NDArray[np.int64]

    def __len__(self) -> int:
        return self.starts.size


def hiding_items(
    page: TokenizedText, work: TokenizedText, found: PassageComparison
) -> dict[Obfuscation, NDArray[np.int64]]:
    """Return the rows of the page's noise by kind, int64[n], without kinds that are frequent in the work itself.

    Noise within pinyin that replaces a character is part of that change.
    """
    if not page.fingerprint.noise.starts.size:
        return {}
    first, kinds = _select_noise(page, found.page_start, found.page_end)
    if not kinds.size:
        return {}
    of_work = np.bincount(_select_noise(work, found.work_start, found.work_end)[1], minlength=len(NOISE_KINDS))
    hiding = {}
    for kind, number in HIDING_NUMBERS.items():
        items = _without_letters(page, first + np.flatnonzero(kinds == number), found)
        if items.size and items.size > MIN_RATIO_TO_WORK * of_work.item(number):
            hiding[kind] = items
    return hiding


def hiding_places(page: TokenizedText, work: TokenizedText, found: PassageComparison) -> HidingPlaces:
    """Return the places of a passage's hiding items."""
    rows = np.concatenate([np.zeros(0, np.int64), *hiding_items(page, work, found).values()])
    noise = page.fingerprint.noise
    tokens = np.searchsorted(page.fingerprint.offsets, noise.starts[rows]).astype(np.int32)
    places = _work_tokens(found, tokens)
    starts, ends = noise.starts[rows].astype(np.int64), noise.ends[rows].astype(np.int64)
    return HidingPlaces(starts, ends, work.ranges(places, places)[0])


def _work_tokens(found: PassageComparison, page_tokens: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the work tokens of page tokens, counted from the end of the last change before each."""
    page_ends = np.append(np.int32(found.page_start), found.changes[:, TO_PAGE])
    work_ends = np.append(np.int32(found.work_start), found.changes[:, TO_WORK])
    before = np.maximum(np.searchsorted(page_ends, page_tokens, side="right") - 1, 0)
    counted = work_ends[before] + page_tokens - page_ends[before]
    return np.asarray(np.minimum(counted, found.work_end), np.int32)


def _without_letters(page: TokenizedText, items: NDArray[np.int64], found: PassageComparison) -> NDArray[np.int64]:
    if not found.letters or not items.size:
        return items
    bounds = np.array(sorted((place.start, place.end) for place in found.letters.values()), np.int64)
    starts = page.fingerprint.noise.starts[items]
    before = np.searchsorted(bounds[:, 0], starts, side="right") - 1
    return np.asarray(items[(before < 0) | (starts >= bounds[before, 1])])


def _select_noise(text: TokenizedText, start: int, end: int) -> tuple[int, NDArray[np.uint8]]:
    """Return the first row of the noise between these tokens, and the kinds of all of it."""
    noise, within = text.fingerprint.noise, text.text_range(start, end)
    first, last = noise.starts.searchsorted((within.start, within.end)).tolist() if noise.starts.size else (0, 0)
    return first, noise.kinds[first:last]
