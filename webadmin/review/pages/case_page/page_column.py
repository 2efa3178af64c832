"""The page's column in one of three views: the compared text, the raw text, or the screenshots.

In the raw text, obfuscations are marked, and the passages are at their original positions.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from html import escape
from itertools import groupby

from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from core.marks import SURROUNDING, Mark
from core.obfuscations import OBFUSCATIONS
from core.pages import Reading
from webadmin.cases.models import Case, CaseMatch
from webadmin.evidence.models import EvidenceBundle
from webadmin.evidence.pages.drawing_texts import list_drawings
from webadmin.review.pages.case_page.comparison import ComparisonColumn
from webadmin.review.pages.case_page.comparison_html import TextBlocks, column_html, split_lines
from webadmin.review.pages.case_page.sweep import ChangeMark, PassageRun, PlacedPassage, sweep_passages
from webadmin.ui.models.phrases import name_of_obfuscation
from webadmin.ui.pages.visible_text import visible

BESIDE_NAME = gettext_lazy("not part of the text")
_WHOLE = 0  # the number of the whole text in the sweep; pairs are numbered from 1


@dataclass(frozen=True, slots=True)
class UndoneKind:
    """A kind of obfuscation and how often it was undone. name: in the user's language."""

    kind: str
    name: str
    count: int


@dataclass(frozen=True, slots=True)
class RawTextMarkup:
    """The text as markup, and the kinds of marks in it, the most frequent first."""

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
    for pair, passage, start, end in _pair_places(page):
        passage_of[pair] = passage
        raw_place = places.find_range(start, end)
        placed.append(PlacedPassage(pair, raw_place.start, raw_place.end))
    writer = _RawTextWriter(raw, marks, passage_of)
    for run in sweep_passages(placed, len(raw)):
        writer.write(run)
    counts = Counter(mark.kind for mark in marks)
    return RawTextMarkup(
        writer.blocks.markup(), [UndoneKind(_css_name(kind), kind_name(kind), n) for kind, n in counts.most_common()]
    )


def kind_name(kind: str) -> str:
    """Return the label of a mark's kind, or the stored name if the kind is unknown."""
    if kind == SURROUNDING:
        return str(BESIDE_NAME)
    return name_of_obfuscation(kind)


def _css_name(kind: str) -> str:
    return kind if kind == SURROUNDING or kind in OBFUSCATIONS else "other"


def _pair_places(column: ComparisonColumn) -> Iterator[tuple[int, int, int, int]]:
    """Yield the number of each pair, its passage, and its range on the page."""
    for pairs, pieces in groupby(column.pieces, lambda each: each[1].pairs):
        (start, first, passages), *others = pieces
        at, last, _ = others[-1] if others else (start, first, passages)
        yield pairs[0], passages[0], start, at + len(last.text)


class _RawTextWriter:
    """Writes the runs of a sweep as markup, in order."""

    def __init__(self, raw: str, marks: Sequence[Mark], passage_of: Mapping[int, int]) -> None:
        self.blocks = TextBlocks()
        self._raw, self._marks, self._passage_of = raw, marks, passage_of
        self._begun = set[int]()

    def write(self, run: PassageRun) -> None:
        """Write a run with its marks. A run is in at most one pair."""
        pair = next((number for number in run.passages if number != _WHOLE), 0)
        if pair:
            self._open_passage(pair)
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

    def _open_passage(self, pair: int) -> None:
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


MAX_PICTURES = 20


class View(StrEnum):
    """The views of the page, by the value of the URL parameter `column`."""

    TEXT = "text"
    CAME = "came"
    PICTURE = "picture"


VIEWS: dict[View, Promise] = {
    View.TEXT: pgettext_lazy("how a page is shown", "Text"),
    View.CAME: pgettext_lazy("how a page is shown", "As received"),
    View.PICTURE: pgettext_lazy("how a page is shown", "Screenshot"),
}
MEANINGS: dict[View, Promise] = {
    View.TEXT: gettext_lazy("The page's text as compared, with all obfuscation removed"),
    View.CAME: gettext_lazy("The page's text as the site sent it: hidden and inserted text is marked"),
    View.PICTURE: gettext_lazy("The page as rendered by a browser for the evidence"),
}


@dataclass(frozen=True, slots=True)
class CaseScreenshot:
    """A screenshot in a bundle of the case.

    shown: the value of the URL parameter. label: the page's number in a text of several pages.
    """

    bundle: int
    shown: str
    label: str


@dataclass(frozen=True, slots=True)
class PageColumn:
    """The content of the page's column. html: safe markup made by this program.

    note: a sentence above or instead of the markup, or "". is_alone: whether there are no other views.
    """

    view: View
    html: str = ""
    kinds: Sequence[UndoneKind] = ()
    screenshots: Sequence[CaseScreenshot] = ()
    note: str = ""
    is_alone: bool = False

    @property
    def views(self) -> list[tuple[str, str, str]]:
        """The values, names and explanations of the three views, or [] if there are no others."""
        return [] if self.is_alone else [(str(view), str(name), str(MEANINGS[view])) for view, name in VIEWS.items()]


def requested_view(requested: str) -> View:
    """Return the requested view, or the compared text if the value is invalid."""
    return View(requested) if requested in set(View) else View.TEXT


def page_column(
    view: View, case: Case, match: CaseMatch, column: ComparisonColumn, reading: Reading | None
) -> PageColumn:
    """Return the page's column in a view. reading: of the compared version, or None if it is no longer stored."""
    if view is View.PICTURE:
        screenshots = list_screenshots(case, match)
        return PageColumn(view, screenshots=screenshots, note="" if screenshots else _no_picture(case, match))
    if view is View.TEXT:
        return PageColumn(view, column_html(column))
    if reading is None:
        return PageColumn(view, note=_("The page as received is no longer in the page store."))
    came = mark_raw_text(reading, column)
    note = "" if came.kinds else _("Nothing was undone: the text was compared as received.")
    return PageColumn(view, came.html, came.kinds, note=note)


def list_screenshots(case: Case, match: CaseMatch) -> list[CaseScreenshot]:
    """Return the screenshots of the compared version in the newest bundle that has any."""
    for bundle in _version_bundles(case, match).order_by("-made_at", "-pk"):
        drawn = [page for page in list_drawings(bundle).drawn if page.has_screenshot]
        if drawn:
            return [
                CaseScreenshot(bundle.pk, f"screenshot{page.file_suffix}", page.label) for page in drawn[:MAX_PICTURES]
            ]
    return []


def _version_bundles(case: Case, match: CaseMatch) -> QuerySet[EvidenceBundle]:
    kept = EvidenceBundle.objects.filter(case=case, version_id=match.version_id)
    return kept.exclude(state__in=(EvidenceBundle.State.REMOVED, EvidenceBundle.State.MISSING))


def _no_picture(case: Case, match: CaseMatch) -> str:
    if _version_bundles(case, match).filter(drawing=EvidenceBundle.Drawing.FAILED).exists():
        return _("The page could not be rendered.")
    return _("There is no screenshot of this version of the page yet.")
