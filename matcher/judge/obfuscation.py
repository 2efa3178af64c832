"""How a copy was hidden: the obfuscations that are more than accident."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from core.matches import ChangeKind
from core.obfuscations import Obfuscation, ObfuscationFound
from core.text import TextRange
from matcher.align.change_kernels import TOKENS
from matcher.align.changes import CHANGE_KINDS, Comparison, number_of, sizes_of
from matcher.align.token_alignment import FROM_PAGE, FROM_WORK, TO_PAGE, TO_WORK
from matcher.align.tokenized_text import TokenizedText
from matcher.calibration import Calibration
from matcher.judge.figures import Figures
from matcher.judge.hiding import hiding_items

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
# That a passage is shuffled follows from `displaced`; its moved pieces say the same once more.
_NO_EVIDENCE = frozenset({ChangeKind.MOVED})
_IN_PASSAGES = {ChangeKind.INSERTED: Obfuscation.TEXT_INSERTED, ChangeKind.DELETED: Obfuscation.TEXT_DELETED}


def find_obfuscations(
    page: TokenizedText,
    work: TokenizedText,
    comparisons: Sequence[Comparison],
    found: Figures,
    calibration: Calibration,
) -> tuple[ObfuscationFound, ...]:
    """What was done to hide the passages, where it is more than accident."""
    evidence: dict[Obfuscation, list[_Evidence]] = {}
    for comparison in comparisons:
        for kind, piece in _find_evidence(page, work, comparison):
            evidence.setdefault(kind, []).append(piece)
    shown = []
    for kind, seen in evidence.items():
        places, tokens = sum(piece.places for piece in seen), sum(piece.tokens for piece in seen)
        if _is_intended(kind, places, tokens, found.matched, calibration):
            shown.append(ObfuscationFound(kind, places, seen[0].example()))
    shown += _whole_passages(page, work, comparisons, calibration, {obfuscation.kind for obfuscation in shown})
    if found.displaced >= calibration.min_displaced_segments:
        shown.append(ObfuscationFound(Obfuscation.SHUFFLED, found.displaced))
    return tuple(sorted(shown, key=lambda obfuscation: _RANKS[obfuscation.kind]))


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What speaks for an obfuscation in one passage."""

    places: int
    tokens: int
    example: Callable[[], str]  # most are never shown


def _find_evidence(
    page: TokenizedText, work: TokenizedText, comparison: Comparison
) -> Iterator[tuple[Obfuscation, _Evidence]]:
    noise = page.fingerprint.noise
    for kind, items in hiding_items(page, work, comparison).items() if len(noise) else ():
        first = TextRange(int(noise.starts[items[0]]), int(noise.ends[items[0]]))
        yield kind, _Evidence(items.size, items.size, partial(_example, page.text, first))
    for kind_of_change, (places, tokens, first_row) in zip(CHANGE_KINDS, comparison.totals, strict=True):
        # Between pieces in another order alignment loses a few tokens on each side; only whole passages count there.
        is_seam = comparison.displaced and kind_of_change in _IN_PASSAGES
        if places and not is_seam and kind_of_change not in _NO_EVIDENCE:
            obfuscation = _OBFUSCATION_OF_CHANGE.get(kind_of_change) or _IN_PASSAGES[kind_of_change]
            example = partial(_row_text, page, work, kind_of_change, comparison.changes[first_row])
            yield obfuscation, _Evidence(places, tokens, example)


def _is_intended(kind: Obfuscation, places: int, tokens: int, matched: int, calibration: Calibration) -> bool:
    if kind is Obfuscation.PINYIN_REPLACED and tokens >= calibration.min_matched_tokens:
        return True  # a passage all in pinyin is one place
    if places < calibration.min_places:
        return kind is Obfuscation.SCRIPT_CONVERTED and tokens >= calibration.min_script_share * matched and places > 1
    if kind in _NEVER_BY_ACCIDENT:
        return True
    least = calibration.min_script_share if kind is Obfuscation.SCRIPT_CONVERTED else calibration.min_share
    return tokens >= least * matched


def _whole_passages(
    page: TokenizedText,
    work: TokenizedText,
    comparisons: Sequence[Comparison],
    calibration: Calibration,
    shown: set[Obfuscation],
) -> Iterator[ObfuscationFound]:
    """Text put in or left out in one piece counts even once."""
    for kind, obfuscation in _IN_PASSAGES.items():
        if obfuscation in shown:
            continue
        number, least = number_of(kind), calibration.min_passage_tokens
        found = [one.of_kind(kind) for one in comparisons if one.totals[number][TOKENS] >= least]
        pieces = [row for rows in found for row in rows[sizes_of(rows) >= least]]
        if pieces:
            yield ObfuscationFound(obfuscation, len(pieces), _row_text(page, work, kind, pieces[0]))


def _row_text(page: TokenizedText, work: TokenizedText, kind: ChangeKind, row: NDArray[np.int32]) -> str:
    if kind is ChangeKind.DELETED:
        return _example(work.text, work.range_of(int(row[FROM_WORK]), int(row[TO_WORK])))
    return _example(page.text, page.range_of(int(row[FROM_PAGE]), int(row[TO_PAGE])))


def _example(text: str, place: TextRange) -> str:
    """The place with a few characters around it, on one line."""
    around = max(0, 12 - len(place)) // 2
    shown = text[max(0, place.start - around) : place.end + around][:MAX_EXAMPLE_CHARS]
    return " ".join(shown.split("\n"))
