"""Detects obfuscations: changes that hide a copy and are no accident."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.matches import ChangeKind
from core.obfuscations import Obfuscation, ObfuscationFound
from core.text import TextRange
from fingerprint.stream import NOISE_KINDS
from matcher.align.change_kernels import TOKENS
from matcher.align.changes import CHANGE_KINDS, KIND_NUMBERS, PassageComparison, change_sizes
from matcher.align.token_alignment import FROM_PAGE, FROM_WORK, TO_PAGE, TO_WORK
from matcher.align.tokenized_text import TokenizedText
from matcher.align.transpositions import MAX_TRANSPOSED
from matcher.calibration import Calibration
from matcher.judge.classification import Figures

# Private-use characters replace characters and are changes; full-width letters are read as letters.
HIDING_KINDS = (Obfuscation.ZERO_WIDTH, Obfuscation.SPACES, Obfuscation.PINYIN_INSERTED, Obfuscation.STREWN)
HIDING_NUMBERS = {kind: NOISE_KINDS.index(kind) for kind in HIDING_KINDS}
MIN_RATIO_TO_WORK = 2  # a work that itself contains spaces explains as many on the page
MAX_EXAMPLE_CHARS = 80

_OBFUSCATION_OF_CHANGE = {
    ChangeKind.HOMOPHONE: Obfuscation.HOMOPHONE,
    ChangeKind.SHAPE: Obfuscation.SHAPE,
    ChangeKind.REPLACED: Obfuscation.REPLACED,
    ChangeKind.SCRIPT: Obfuscation.SCRIPT_CONVERTED,
    ChangeKind.PINYIN: Obfuscation.PINYIN_REPLACED,
    ChangeKind.NOISE: Obfuscation.PRIVATE_USE,
}
_RANKS = {kind: rank for rank, kind in enumerate(Obfuscation)}
_NEVER_BY_ACCIDENT = frozenset(
    {
        Obfuscation.ZERO_WIDTH,
        Obfuscation.PINYIN_INSERTED,
        Obfuscation.PINYIN_REPLACED,
        Obfuscation.PRIVATE_USE,
        Obfuscation.STREWN,
    }
)
_IN_PASSAGES = {ChangeKind.INSERTED: Obfuscation.TEXT_INSERTED, ChangeKind.DELETED: Obfuscation.TEXT_DELETED}


@dataclass(frozen=True, slots=True, eq=False)
class HidingPlaces:
    """Noise in a passage.

    starts, ends: int64[n], page offsets; work_places: the corresponding places in the work.
    """

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
    """Return the work tokens of page tokens, counted from the end of the preceding change."""
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
    """Return the first row of the noise between these tokens, and the kind of each row."""
    noise, within = text.fingerprint.noise, text.text_range(start, end)
    first, last = noise.starts.searchsorted((within.start, within.end)).tolist() if noise.starts.size else (0, 0)
    return first, noise.kinds[first:last]


def find_obfuscations(
    page: TokenizedText,
    work: TokenizedText,
    comparisons: Sequence[PassageComparison],
    found: Figures,
    calibration: Calibration,
) -> tuple[ObfuscationFound, ...]:
    """Return the obfuscations of the passages that are no accident."""
    evidence: dict[Obfuscation, _Evidence] = {}
    for comparison in comparisons:
        for kind, places, tokens, change, first in _find_evidence(page, work, comparison):
            seen = evidence.setdefault(kind, _Evidence(comparison, change, first))
            seen.places += places
            seen.tokens += tokens
    shown = [
        ObfuscationFound(kind, seen.places, seen.example(page, work))
        for kind, seen in evidence.items()
        if _is_intended(kind, seen.places, seen.tokens, found.matched, calibration)
    ]
    shown += _whole_passages(page, work, comparisons, calibration, {obfuscation.kind for obfuscation in shown})
    shown += _in_another_order(page, comparisons, found, calibration)
    return tuple(sorted(shown, key=lambda obfuscation: _RANKS[obfuscation.kind]))


def _in_another_order(
    page: TokenizedText, comparisons: Sequence[PassageComparison], found: Figures, calibration: Calibration
) -> Iterator[ObfuscationFound]:
    """Yield moved characters and sentences, counted like the MOVED changes that mark them."""
    sizes = [end - start for one in comparisons for start, end, *_ in one.moved.tolist()]
    transposed = sum(comparison.transposed for comparison in comparisons)
    short = sum(size < MAX_TRANSPOSED for size in sizes)
    has_transposed = _is_intended(Obfuscation.REARRANGED, transposed, 2 * transposed, found.matched, calibration)
    if has_transposed:
        yield ObfuscationFound(Obfuscation.REARRANGED, short, _moved_text(page, comparisons))
    if found.displaced >= calibration.min_displaced_segments:
        far = len(sizes) - short if has_transposed else len(sizes)
        yield ObfuscationFound(Obfuscation.SHUFFLED, far or found.displaced)


def add_obfuscation(found: Sequence[ObfuscationFound], other: ObfuscationFound) -> tuple[ObfuscationFound, ...]:
    """Return the obfuscations with another added, in order; two of one kind are merged, with the other's example."""
    same = sum(each.count for each in found if each.kind is other.kind)
    rest = [each for each in found if each.kind is not other.kind]
    return tuple(sorted([*rest, replace(other, count=other.count + same)], key=lambda each: _RANKS[each.kind]))


@dataclass(slots=True)
class _Evidence:
    """The evidence for an obfuscation.

    first: the row of the first change of that kind in the comparison, or of the page's noise (if change is None).
    """

    comparison: PassageComparison
    change: ChangeKind | None
    first: int
    places: int = 0
    tokens: int = 0

    def example(self, page: TokenizedText, work: TokenizedText) -> str:
        """Return the text of the first place, computed on demand, since most are never shown."""
        if self.change is not None:
            return _row_text(page, work, self.change, self.comparison.changes[self.first])
        noise = page.fingerprint.noise
        return _example_text(page.text, TextRange(int(noise.starts[self.first]), int(noise.ends[self.first])))


def _find_evidence(
    page: TokenizedText, work: TokenizedText, comparison: PassageComparison
) -> Iterator[tuple[Obfuscation, int, int, ChangeKind | None, int]]:
    """Yield obfuscation, places, tokens, kind of change, and first row: see `_Evidence`."""
    for kind, items in hiding_items(page, work, comparison).items():
        yield kind, items.size, items.size, None, int(items[0])
    for change, (places, tokens, first) in zip(CHANGE_KINDS, comparison.totals.tolist(), strict=True):
        # Between pieces in another order alignment loses a few tokens on each side, so only whole passages count there.
        if places and not (comparison.displaced and change in _IN_PASSAGES):
            yield _OBFUSCATION_OF_CHANGE.get(change) or _IN_PASSAGES[change], places, tokens, change, first


def _is_intended(kind: Obfuscation, places: int, tokens: int, matched: int, calibration: Calibration) -> bool:
    if kind is Obfuscation.PINYIN_REPLACED and tokens >= calibration.min_matched_tokens:
        return True  # a passage entirely in pinyin is one place
    if places < calibration.min_places:
        return kind is Obfuscation.SCRIPT_CONVERTED and tokens >= calibration.min_script_share * matched and places > 1
    if kind in _NEVER_BY_ACCIDENT:
        return True
    least = calibration.min_script_share if kind is Obfuscation.SCRIPT_CONVERTED else calibration.min_share
    return tokens >= least * matched


def _whole_passages(
    page: TokenizedText,
    work: TokenizedText,
    comparisons: Sequence[PassageComparison],
    calibration: Calibration,
    shown: set[Obfuscation],
) -> Iterator[ObfuscationFound]:
    """Yield text inserted or left out in one piece, which counts even if it occurs once."""
    for kind, obfuscation in _IN_PASSAGES.items():
        if obfuscation in shown:
            continue
        number, least = KIND_NUMBERS[kind], calibration.min_passage_tokens
        found = [one.of_kind(kind) for one in comparisons if one.totals[number, TOKENS] >= least]
        pieces = [row for rows in found for row in rows[change_sizes(rows) >= least]]
        if pieces:
            yield ObfuscationFound(obfuscation, len(pieces), _row_text(page, work, kind, pieces[0]))


def _row_text(page: TokenizedText, work: TokenizedText, kind: ChangeKind, row: NDArray[np.int32]) -> str:
    if kind is ChangeKind.DELETED:
        return _example_text(work.text, work.text_range(int(row[FROM_WORK]), int(row[TO_WORK])))
    return _example_text(page.text, page.text_range(int(row[FROM_PAGE]), int(row[TO_PAGE])))


def _moved_text(page: TokenizedText, comparisons: Sequence[PassageComparison]) -> str:
    """Return the text of the first moved characters."""
    for comparison in comparisons:
        for start, end, *_ in comparison.moved.tolist():
            if end - start < MAX_TRANSPOSED:
                return _example_text(page.text, page.text_range(start, end))
    return ""


def _example_text(text: str, place: TextRange) -> str:
    """Return the place with a few characters around it, on one line."""
    around = max(0, 12 - len(place)) // 2
    shown = text[max(0, place.start - around) : place.end + around][:MAX_EXAMPLE_CHARS]
    return " ".join(shown.split("\n"))
