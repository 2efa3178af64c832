"""Converts page and work to markup sentence by sentence, in the order of the page; crawled text is escaped."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe

from matcher.reworded.shared_wording import Places, shared_wording
from webadmin.rewrites.pages.lead_page.pairs import Pair
from webadmin.ui.pages.visible_text import visible

AROUND_CHARS = 1_200  # of context before the first and after the last pair
MAX_GAP_CHARS = 12_000  # shown between two pairs
MAX_OPEN = 3  # consecutive sentences without a counterpart that are shown; more are folded
MAX_SENTENCE_CHARS = 1_000  # a sentence has 50; longer ranges in a corrupt row are cut


@dataclass(frozen=True, slots=True)
class SentenceRow:
    """A sentence of the page and its counterpart."""

    pair: Pair
    page: SafeString
    work: SafeString


@dataclass(frozen=True, slots=True)
class UnmatchedSentences:
    """Consecutive sentences of the page without a counterpart. more_chars: number of characters not shown."""

    sentences: tuple[SafeString, ...]
    more_chars: int = 0

    @property
    def is_folded(self) -> bool:
        return len(self.sentences) > MAX_OPEN


def sentence_rows(page: str, work: str, pairs: Sequence[Pair]) -> list[SentenceRow | UnmatchedSentences]:
    """Return the rows of the page around and between the pairs, in order."""
    return list(_rows(page, work, pairs)) if pairs else []


def _rows(page: str, work: str, pairs: Sequence[Pair]) -> Iterator[SentenceRow | UnmatchedSentences]:
    at = max(0, pairs[0].page_start - AROUND_CHARS)
    for pair in pairs:
        yield from _gap(page, at, pair.page_start)
        yield _row(page, work, pair)
        at = max(at, pair.page_end)
    yield from _gap(page, at, min(len(page), at + AROUND_CHARS))


def _row(page: str, work: str, pair: Pair) -> SentenceRow:
    said = _sentence(page, pair.page_start, pair.page_end)
    counterpart = _sentence(work, pair.work_start, pair.work_end)
    on_page, on_work = shared_wording(said, counterpart)
    return SentenceRow(pair, _mark_shared(said, on_page), _mark_shared(counterpart, on_work))


def _gap(page: str, start: int, end: int) -> Iterator[UnmatchedSentences]:
    from matcher.reworded.sentences import sentence_units  # late: its tables take memory

    text = page[start : min(end, start + MAX_GAP_CHARS)]
    sentences = tuple(visible(text[first:last]) for first, last in sentence_units(text).tolist())
    if sentences:
        yield UnmatchedSentences(sentences, max(0, end - start - MAX_GAP_CHARS))


def _sentence(text: str, start: int, end: int) -> str:
    return text[start : min(end, start + MAX_SENTENCE_CHARS)]


def _mark_shared(text: str, places: Places) -> SafeString:
    parts, at = [], 0
    for start, end in places:
        parts += [visible(text[at:start]), "<mark>", visible(text[start:end]), "</mark>"]
        at = end
    return mark_safe("".join([*parts, visible(text[at:])]))  # noqa: S308 - escaped by `visible`, piece by piece
