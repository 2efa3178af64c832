"""The pairs of sentences of a lead in page order, with their ranks in the work, as markup with escaped crawled text."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString, mark_safe

from core.matches import strength_dots, strength_step
from matcher.reworded.found import longest_in_order
from matcher.reworded.shared_wording import Ranges, shared_wording
from webadmin.ui.pages.visible_text import visible

WIDTH, HEIGHT = 1_000, 100  # units of the diagram, which is scaled to the available width
MAX_SHOWN = 400  # pairs: two hours of reading


@dataclass(frozen=True, slots=True)
class Pair:
    """Two corresponding sentences.

    rank: of the work's sentence among those with a counterpart, from 1. is_moved: its order differs from the work's.
    strength: from 1 to STRENGTH_STEPS. Sentences of the page that share a counterpart do not count as moved.
    """

    page_start: int
    page_end: int
    work_start: int
    work_end: int
    strength: int
    rank: int
    is_moved: bool

    @property
    def dots(self) -> str:
        """The strength as a row of dots."""
        return strength_dots(self.strength)


def list_pairs(stored: Iterable[Sequence[Any]]) -> list[Pair]:
    """Return the first MAX_SHOWN stored pairs of a lead, in page order."""
    rows = sorted(tuple(each) for each in stored)[:MAX_SHOWN]
    starts = sorted({row[2] for row in rows})
    kept = longest_in_order([row[2] for row in rows])
    return [
        Pair(
            page_start=row[0],
            page_end=row[1],
            work_start=row[2],
            work_end=row[3],
            strength=strength_step(row[4]),
            rank=bisect_left(starts, row[2]) + 1,
            is_moved=number not in kept,
        )
        for number, row in enumerate(rows)
    ]


def sentence_order_lines(pairs: Sequence[Pair]) -> list[dict[str, Any]]:
    """Return the lines that join the sentences of each pair.

    Lines of moved sentences come last, so that they are on top.
    """
    most = max((pair.rank for pair in pairs), default=0)
    lines = [
        {
            "number": number,
            "rank": pair.rank,
            "above": _place_percent(number, len(pairs)),
            "below": _place_percent(pair.rank, most),
            "is_moved": pair.is_moved,
        }
        for number, pair in enumerate(pairs, 1)
    ]
    return sorted(lines, key=lambda line: line["is_moved"])


def _place_percent(number: int, count: int) -> float:
    return round((number - 0.5) * WIDTH / count, 1)


AROUND_CHARS = 1_200  # characters of context before the first and after the last pair
MAX_GAP_CHARS = 12_000  # characters displayed between two pairs
MAX_OPEN = 3  # consecutive sentences without a counterpart that are displayed unfolded
MAX_SENTENCE_CHARS = 1_000  # A sentence has 50. Longer ranges in a corrupt row are cut.


@dataclass(frozen=True, slots=True)
class SentenceRow:
    """A pair as markup: a sentence of the page and its counterpart."""

    pair: Pair
    page: SafeString
    work: SafeString


@dataclass(frozen=True, slots=True)
class UnmatchedSentences:
    """Consecutive sentences of the page without a counterpart. more_chars: the number of characters left out."""

    sentences: tuple[SafeString, ...]
    more_chars: int = 0

    @property
    def is_folded(self) -> bool:
        return len(self.sentences) > MAX_OPEN


def sentence_rows(page: str, work: str, pairs: Sequence[Pair]) -> list[SentenceRow | UnmatchedSentences]:
    """Return the rows for the pairs and the sentences around and between them, in page order, or [] without pairs."""
    return list(_pair_rows(page, work, pairs)) if pairs else []


def _pair_rows(page: str, work: str, pairs: Sequence[Pair]) -> Iterator[SentenceRow | UnmatchedSentences]:
    at = max(0, pairs[0].page_start - AROUND_CHARS)
    for pair in pairs:
        yield from _unmatched_rows(page, at, pair.page_start)
        yield _sentence_row(page, work, pair)
        at = max(at, pair.page_end)
    yield from _unmatched_rows(page, at, min(len(page), at + AROUND_CHARS))


def _sentence_row(page: str, work: str, pair: Pair) -> SentenceRow:
    said = _strip_sentence(page, pair.page_start, pair.page_end)
    counterpart = _strip_sentence(work, pair.work_start, pair.work_end)
    on_page, on_work = shared_wording(said, counterpart)
    return SentenceRow(pair, _mark_shared(said, on_page), _mark_shared(counterpart, on_work))


def _unmatched_rows(page: str, start: int, end: int) -> Iterator[UnmatchedSentences]:
    from matcher.reworded.sentences import sentence_units  # Imported here, because its tables take memory.

    text = page[start : min(end, start + MAX_GAP_CHARS)]
    sentences = tuple(visible(text[first:last]) for first, last in sentence_units(text).tolist())
    if sentences:
        yield UnmatchedSentences(sentences, max(0, end - start - MAX_GAP_CHARS))


def _strip_sentence(text: str, start: int, end: int) -> str:
    return text[start : min(end, start + MAX_SENTENCE_CHARS)]


def _mark_shared(text: str, ranges: Ranges) -> SafeString:
    parts, at = [], 0
    for start, end in ranges:
        parts += [visible(text[at:start]), "<mark>", visible(text[start:end]), "</mark>"]
        at = end
    return mark_safe("".join([*parts, visible(text[at:])]))  # noqa: S308 - escaped by `visible`, piece by piece
