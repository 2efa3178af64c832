"""Detects obfuscations: changes that hide a copy and are not accidental."""

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
    """The noise in a passage.

    starts, ends: int64[n], its offsets on the page; work_places: int64[n], the corresponding offsets in the work.
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    work_places: NDArray[np.int64]

    def __len__(self) -> int:
        return self.starts.size


def hiding_items(
    page: TokenizedText, work: TokenizedText, comparison: PassageComparison
) -> dict[Obfuscation, NDArray[np.int64]]:
    """Return the rows of the page's noise in a passage by kind, int64[n] each. Kinds frequent in the work are omitted.

    Noise within pinyin that replaces a character is part of that change.
    """
    if not page.fingerprint.noise.starts.size:
        return {}
    first, kinds = _select_noise(page, comparison.page_start, comparison.page_end)
    if not kinds.size:
        return {}
    of_work = np.bincount(
        _select_noise(work, comparison.work_start, comparison.work_end)[1], minlength=len(NOISE_KINDS)
    )
    hiding = {}
    for kind, number in HIDING_NUMBERS.items():
        items = _without_letters(page, first + np.flatnonzero(kinds == number), comparison)
        if items.size and items.size > MIN_RATIO_TO_WORK * of_work.item(number):
            hiding[kind] = items
    return hiding


def hiding_places(page: TokenizedText, work: TokenizedText, comparison: PassageComparison) -> HidingPlaces:
    """Return the offsets of the noise in a passage."""
    rows = np.concatenate([np.zeros(0, np.int64), *hiding_items(page, work, comparison).values()])
    noise = page.fingerprint.noise
    tokens = np.searchsorted(page.fingerprint.offsets, noise.starts[rows]).astype(np.int32)
    work_tokens = _work_tokens(comparison, tokens)
    starts, ends = noise.starts[rows].astype(np.int64), noise.ends[rows].astype(np.int64)
    return HidingPlaces(starts, ends, work.ranges(work_tokens, work_tokens)[0])


def _work_tokens(comparison: PassageComparison, page_tokens: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the work tokens that correspond to page tokens, counted from the end of the preceding change."""
    page_ends = np.append(np.int32(comparison.page_start), comparison.changes[:, TO_PAGE])
    work_ends = np.append(np.int32(comparison.work_start), comparison.changes[:, TO_WORK])
    before = np.maximum(np.searchsorted(page_ends, page_tokens, side="right") - 1, 0)
    counted = work_ends[before] + page_tokens - page_ends[before]
    return np.asarray(np.minimum(counted, comparison.work_end), np.int32)


def _without_letters(page: TokenizedText, items: NDArray[np.int64], comparison: PassageComparison) -> NDArray[np.int64]:
    if not comparison.letters or not items.size:
        return items
    bounds = np.array(sorted((letters.start, letters.end) for letters in comparison.letters.values()), np.int64)
    starts = page.fingerprint.noise.starts[items]
    before = np.searchsorted(bounds[:, 0], starts, side="right") - 1
    return np.asarray(items[(before < 0) | (starts >= bounds[before, 1])])


def _select_noise(text: TokenizedText, start: int, end: int) -> tuple[int, NDArray[np.uint8]]:
    """Return the first row of the noise between two tokens of a text, and the kind of each row."""
    noise, within = text.fingerprint.noise, text.text_range(start, end)
    first, last = noise.starts.searchsorted((within.start, within.end)).tolist() if noise.starts.size else (0, 0)
    return first, noise.kinds[first:last]


def find_obfuscations(
    page: TokenizedText,
    work: TokenizedText,
    comparisons: Sequence[PassageComparison],
    figures: Figures,
    calibration: Calibration,
) -> tuple[ObfuscationFound, ...]:
    """Return the obfuscations in the passages of a text that are not accidental."""
    evidence: dict[Obfuscation, _Evidence] = {}
    for comparison in comparisons:
        for kind, places, tokens, change, first in _find_evidence(page, work, comparison):
            seen = evidence.setdefault(kind, _Evidence(comparison, change, first))
            seen.places += places
            seen.tokens += tokens
    obfuscations = [
        ObfuscationFound(kind, seen.places, seen.example(page, work))
        for kind, seen in evidence.items()
        if _is_intended(kind, seen.places, seen.tokens, figures.matched, calibration)
    ]
    obfuscations += _find_long_changes(
        page, work, comparisons, calibration, {obfuscation.kind for obfuscation in obfuscations}
    )
    obfuscations += _find_reordering(page, comparisons, figures, calibration)
    return tuple(sorted(obfuscations, key=lambda obfuscation: _RANKS[obfuscation.kind]))


def _find_reordering(
    page: TokenizedText, comparisons: Sequence[PassageComparison], figures: Figures, calibration: Calibration
) -> Iterator[ObfuscationFound]:
    """Yield transposed characters and shuffled sentences, counted like their MOVED changes."""
    sizes = [end - start for comparison in comparisons for start, end, *_ in comparison.moved.tolist()]
    transposed = sum(comparison.transposed for comparison in comparisons)
    short_count = sum(size < MAX_TRANSPOSED for size in sizes)
    has_transposed = _is_intended(Obfuscation.REARRANGED, transposed, 2 * transposed, figures.matched, calibration)
    if has_transposed:
        yield ObfuscationFound(Obfuscation.REARRANGED, short_count, _moved_text(page, comparisons))
    if figures.displaced >= calibration.min_displaced_segments:
        long_count = len(sizes) - short_count if has_transposed else len(sizes)
        yield ObfuscationFound(Obfuscation.SHUFFLED, long_count or figures.displaced)


def add_obfuscation(obfuscations: Sequence[ObfuscationFound], added: ObfuscationFound) -> tuple[ObfuscationFound, ...]:
    """Return the obfuscations with another one added, in order.

    If there is one of the same kind already, the counts are summed, and the example of `added` is used.
    """
    same_kind_count = sum(each.count for each in obfuscations if each.kind is added.kind)
    others = [each for each in obfuscations if each.kind is not added.kind]
    return tuple(
        sorted([*others, replace(added, count=added.count + same_kind_count)], key=lambda each: _RANKS[each.kind])
    )


@dataclass(slots=True)
class _Evidence:
    """The evidence for an obfuscation.

    first: the row of the first change of that kind in the comparison; if `change` is None, of the page's noise.
    """

    comparison: PassageComparison
    change: ChangeKind | None
    first: int
    places: int = 0
    tokens: int = 0

    def example(self, page: TokenizedText, work: TokenizedText) -> str:
        """Return the text of the first occurrence."""
        if self.change is not None:
            return _row_text(page, work, self.change, self.comparison.changes[self.first])
        noise = page.fingerprint.noise
        return _example_text(page.text, TextRange(int(noise.starts[self.first]), int(noise.ends[self.first])))


def _find_evidence(
    page: TokenizedText, work: TokenizedText, comparison: PassageComparison
) -> Iterator[tuple[Obfuscation, int, int, ChangeKind | None, int]]:
    """Yield each kind of obfuscation with its occurrences, tokens, kind of change, and first row. See `_Evidence`."""
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
    min_share = calibration.min_script_share if kind is Obfuscation.SCRIPT_CONVERTED else calibration.min_share
    return tokens >= min_share * matched


def _find_long_changes(
    page: TokenizedText,
    work: TokenizedText,
    comparisons: Sequence[PassageComparison],
    calibration: Calibration,
    reported_kinds: set[Obfuscation],
) -> Iterator[ObfuscationFound]:
    """Yield insertions and deletions of whole passages, which count even if there is only one.

    reported_kinds: the obfuscations that are reported already.
    """
    for kind, obfuscation in _IN_PASSAGES.items():
        if obfuscation in reported_kinds:
            continue
        number, min_tokens = KIND_NUMBERS[kind], calibration.min_passage_tokens
        rows_of_passages = [
            comparison.changes_of_kind(kind)
            for comparison in comparisons
            if comparison.totals[number, TOKENS] >= min_tokens
        ]
        long_changes = [row for rows in rows_of_passages for row in rows[change_sizes(rows) >= min_tokens]]
        if long_changes:
            yield ObfuscationFound(obfuscation, len(long_changes), _row_text(page, work, kind, long_changes[0]))


def _row_text(page: TokenizedText, work: TokenizedText, kind: ChangeKind, row: NDArray[np.int32]) -> str:
    if kind is ChangeKind.DELETED:
        return _example_text(work.text, work.text_range(int(row[FROM_WORK]), int(row[TO_WORK])))
    return _example_text(page.text, page.text_range(int(row[FROM_PAGE]), int(row[TO_PAGE])))


def _moved_text(page: TokenizedText, comparisons: Sequence[PassageComparison]) -> str:
    """Return the text of the first transposed characters on the page, or "" if there are none."""
    for comparison in comparisons:
        for start, end, *_ in comparison.moved.tolist():
            if end - start < MAX_TRANSPOSED:
                return _example_text(page.text, page.text_range(start, end))
    return ""


def _example_text(text: str, text_range: TextRange) -> str:
    """Return a range of a text with a few characters around it, on one line."""
    around = max(0, 12 - len(text_range)) // 2
    example = text[max(0, text_range.start - around) : text_range.end + around][:MAX_EXAMPLE_CHARS]
    return " ".join(example.split("\n"))
