"""What a match is called, and which disguises it shows."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from core.matches import ChangeKind, MatchClass
from core.pages import Disguise, DisguiseFound
from core.text import TextRange
from matcher.calibration import Calibration
from matcher.changes import CHANGE_KINDS, Comparison, sizes_of
from matcher.hiding import hidden_items
from matcher.sides import Side
from matcher.spans import Figures

MAX_EXAMPLE_CHARS = 80

_DISGUISE_OF_CHANGE = {
    ChangeKind.HOMOPHONE: Disguise.HOMOPHONE,
    ChangeKind.SHAPE: Disguise.SHAPE,
    ChangeKind.REPLACED: Disguise.REPLACED,
    ChangeKind.SCRIPT: Disguise.SCRIPT_CONVERTED,
    ChangeKind.PINYIN: Disguise.PINYIN_REPLACED,
    ChangeKind.NOISE: Disguise.PRIVATE_USE,
}
_RANKS = {kind: rank for rank, kind in enumerate(Disguise)}
_NEVER_BY_ACCIDENT = frozenset(
    {Disguise.ZERO_WIDTH, Disguise.PINYIN_INSERTED, Disguise.PINYIN_REPLACED, Disguise.PRIVATE_USE}
)
# A shuffled passage is told by `displaced`, which is what its marks are made of.
_NO_SIGNS = frozenset({ChangeKind.MOVED})
_IN_PASSAGES = {ChangeKind.INSERTED: Disguise.TEXT_INSERTED, ChangeKind.DELETED: Disguise.TEXT_DELETED}


def class_of(found: Figures, is_quotation: bool, is_patchwork: bool, calibration: Calibration) -> MatchClass:
    """Name a match: what it is first of all, then how far it was edited."""
    if is_quotation:
        return MatchClass.QUOTATION
    if is_patchwork:
        return MatchClass.PATCHWORK
    is_whole_page = (
        found.page_containment >= calibration.min_whole_page_containment
        and found.page_tokens >= calibration.min_whole_page_tokens
    )
    if not is_whole_page and found.work_containment < calibration.min_whole_work_containment:
        return MatchClass.EXCERPT
    if found.similarity >= 1 - calibration.max_changed_identical and not found.displaced:
        return MatchClass.IDENTICAL
    is_light = found.similarity >= 1 - calibration.max_changed_light and not found.displaced
    return MatchClass.LIGHTLY_EDITED if is_light else MatchClass.HEAVILY_EDITED


def patchwork(found: Sequence[Figures], works: Sequence[object], calibration: Calibration) -> list[bool]:
    """For each match of a page that is no quotation, whether it is a piece of a patchwork of parts of several works.

    works: of which work each of the texts is; two chapters of one work after each other are no patchwork.
    """
    pieces = [
        figures.matched >= calibration.min_patchwork_tokens
        and figures.work_containment < calibration.max_patchwork_work_containment
        and figures.page_containment < calibration.min_whole_page_containment
        for figures in found
    ]
    sources = {work for work, is_piece in zip(works, pieces, strict=True) if is_piece}
    return [is_piece and len(sources) > 1 for is_piece in pieces]


def disguises_of(
    page: Side, work: Side, comparisons: list[Comparison], found: Figures, calibration: Calibration
) -> tuple[DisguiseFound, ...]:
    """What was done to hide the passages, where it is more than accident."""
    signs: dict[Disguise, list[_Sign]] = {}
    for comparison in comparisons:
        for kind, sign in _signs(page, work, comparison):
            signs.setdefault(kind, []).append(sign)
    shown = []
    for kind, seen in signs.items():
        places, tokens = sum(sign.places for sign in seen), sum(sign.tokens for sign in seen)
        if _is_meant(kind, places, tokens, found.matched, calibration):
            shown.append(DisguiseFound(kind, places, seen[0].example()))
    shown += _passages(page, work, comparisons, calibration, {disguise.kind for disguise in shown})
    if found.displaced >= calibration.min_displaced_segments:
        shown.append(DisguiseFound(Disguise.SHUFFLED, found.displaced))
    return tuple(sorted(shown, key=lambda disguise: _RANKS[disguise.kind]))


@dataclass(frozen=True, slots=True)
class _Sign:
    """What speaks for a disguise in one passage."""

    places: int
    tokens: int
    example: Callable[[], str]  # most are never shown


def _signs(page: Side, work: Side, comparison: Comparison) -> Iterator[tuple[Disguise, _Sign]]:
    noise = page.fingerprint.noise
    for kind, items in hidden_items(page, work, comparison).items() if len(noise) else ():
        first = TextRange(int(noise.starts[items[0]]), int(noise.ends[items[0]]))
        yield kind, _Sign(items.size, items.size, partial(_example, page.text, first))
    for kind_of_change, (places, tokens, first_row) in zip(CHANGE_KINDS, comparison.totals.tolist(), strict=True):
        # Between pieces in another order alignment loses a few tokens on each side; only whole passages count there.
        is_seam = comparison.displaced and kind_of_change in _IN_PASSAGES
        if places and not is_seam and kind_of_change not in _NO_SIGNS:
            disguise = _DISGUISE_OF_CHANGE.get(kind_of_change) or _IN_PASSAGES[kind_of_change]
            example = partial(_row_text, page, work, kind_of_change, comparison.changes[first_row])
            yield disguise, _Sign(places, tokens, example)


def _is_meant(kind: Disguise, places: int, tokens: int, matched: int, calibration: Calibration) -> bool:
    if places < calibration.min_places:
        return kind is Disguise.SCRIPT_CONVERTED and tokens >= calibration.min_script_share * matched and places > 1
    if kind in _NEVER_BY_ACCIDENT:
        return True
    least = calibration.min_script_share if kind is Disguise.SCRIPT_CONVERTED else calibration.min_share
    return tokens >= least * matched


def _passages(
    page: Side, work: Side, comparisons: list[Comparison], calibration: Calibration, shown: set[Disguise]
) -> Iterator[DisguiseFound]:
    """Text put in or left out in one piece counts even once."""
    for kind, disguise in _IN_PASSAGES.items():
        if disguise in shown:
            continue
        found = [comparison.of_kind(kind) for comparison in comparisons]
        pieces = [row for rows in found for row in rows[sizes_of(rows) >= calibration.min_passage_tokens]]
        if pieces:
            yield DisguiseFound(disguise, len(pieces), _row_text(page, work, kind, pieces[0]))


def _row_text(page: Side, work: Side, kind: ChangeKind, row: NDArray[np.int32]) -> str:
    if kind is ChangeKind.DELETED:
        return _example(work.text, work.range_of(int(row[3]), int(row[4])))
    return _example(page.text, page.range_of(int(row[1]), int(row[2])))


def _example(text: str, place: TextRange) -> str:
    """The place with a few characters around it, on one line."""
    around = max(0, 12 - len(place)) // 2
    shown = text[max(0, place.start - around) : place.end + around][:MAX_EXAMPLE_CHARS]
    return " ".join(shown.split("\n"))
