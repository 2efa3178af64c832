"""Renders the raw text of the page, with marks for obfuscations and with the passages at their original places."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.marks import SURROUNDING, Mark, RawPlaces
from core.obfuscations import OBFUSCATIONS
from core.pages import Reading
from webadmin.review.pages.case_page.comparison import ComparisonColumn
from webadmin.review.pages.case_page.sweep import ChangeMark, PassageRun, PlacedPassage, sweep_passages
from webadmin.review.pages.case_page.text_blocks import TextBlocks, split_lines
from webadmin.ui.models.phrases import name_of_obfuscation
from webadmin.ui.pages.visible_text import visible

BESIDE_NAME = gettext_lazy("not part of the text")
_WHOLE = 0  # the number of the whole text in the sweep; pairs count from 1 on


@dataclass(frozen=True, slots=True)
class UndoneKind:
    """A kind of obfuscation and the number of times it was undone. name: in the reader's language."""

    kind: str
    name: str
    count: int


@dataclass(frozen=True, slots=True)
class RawTextMarkup:
    """The text as markup, and the kinds marked in it, the most frequent first."""

    html: SafeString
    kinds: Sequence[UndoneKind]


def mark_raw_text(reading: Reading, page: ComparisonColumn) -> RawTextMarkup:
    """Return the raw text with the marks of a reading and the pairs of the page's column.

    page: the column of a comparison with the main or the whole text of this reading.
    """
    is_whole = page.chars != len(reading.text)
    raw = reading.raw_whole_text if is_whole else reading.raw_text or reading.text
    marks = sorted(reading.marks, key=lambda mark: (mark.raw.start, mark.raw.end))
    placings = tuple(ChangeMark(_WHOLE, at, mark.raw.start, mark.raw.end) for at, mark in enumerate(marks))
    places = reading.raw_places()
    passage_of, placed = dict[int, int](), [PlacedPassage(_WHOLE, 0, len(raw), placings)]
    for pair, passage, start, end in _stretches(page):
        passage_of[pair] = passage
        placed.append(_raw_passage(pair, start, end, places))
    writer = _RawTextWriter(raw, marks, passage_of)
    for run in sweep_passages(placed, len(raw)):
        writer.write(run)
    counts = Counter(mark.kind for mark in marks)
    return RawTextMarkup(
        writer.blocks.markup(), [UndoneKind(_css_name(kind), kind_name(kind), n) for kind, n in counts.most_common()]
    )


def kind_name(kind: str) -> str:
    """Return the name of a mark's kind; the stored name of an unknown kind."""
    if kind == SURROUNDING:
        return str(BESIDE_NAME)
    return name_of_obfuscation(kind)


def _css_name(kind: str) -> str:
    return kind if kind == SURROUNDING or kind in OBFUSCATIONS else "other"


def _stretches(column: ComparisonColumn) -> Iterator[tuple[int, int, int, int]]:
    """Yield the number, the passage and the place on the page of each pair."""
    for pairs, pieces in groupby(column.pieces, lambda each: each[1].pairs):
        (start, first, passages), *others = pieces
        at, last, _ = others[-1] if others else (start, first, passages)
        yield pairs[0], passages[0], start, at + len(last.text)


def _raw_passage(pair: int, start: int, end: int, places: RawPlaces) -> PlacedPassage:
    raw = places.find_range(start, end)
    return PlacedPassage(pair, raw.start, raw.end)


class _RawTextWriter:
    """Writes the runs of a sweep in order."""

    def __init__(self, raw: str, marks: Sequence[Mark], passage_of: Mapping[int, int]) -> None:
        self.blocks = TextBlocks()
        self._raw, self._marks, self._passage_of = raw, marks, passage_of
        self._begun = set[int]()

    def write(self, run: PassageRun) -> None:
        """Write a stretch in one pair or in none, with the marks in it."""
        pair = next((number for number in run.passages if number != _WHOLE), 0)
        if pair:
            self._open(pair)
        for cut in run.cuts:
            text = self._raw[cut.start : cut.end]
            if not cut.marks:
                for line in split_lines(text):
                    self.blocks.add_piece(visible(line), line)
                continue
            for line in split_lines(text) if text else [""]:
                self.blocks.add_piece(_mark_html(line, self._marks[cut.marks[0].change]), line)
        if pair:
            self.blocks.close()

    def _open(self, pair: int) -> None:
        passage = self._passage_of[pair]
        label = escape(_("Passage %(numbers)s") % {"numbers": passage})
        focus = f' tabindex="0" role="group" data-no="{passage}" aria-label="{label}"'
        begin, inside = f'<span class="zw-passage" data-passages="{passage}"', f'><span data-pair="{pair}">'
        first = focus if passage not in self._begun else ""
        self._begun.add(passage)
        self.blocks.open(f"{begin}{first}{inside}", f"{begin}{inside}", "</span></span>")


def _mark_html(text: str, mark: Mark) -> str:
    name = escape(kind_name(mark.kind))
    if text:
        return (
            f'<span class="zw-came zw-came-{_css_name(mark.kind)}" role="group" title="{name}">{visible(text)}</span>'
        )
    return f'<span class="zw-came zw-came-{_css_name(mark.kind)} zw-came-gap" role="img" title="{name}"></span>'
