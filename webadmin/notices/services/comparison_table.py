"""The comparison table (侵权比对表): passages of work and page side by side, with their differences marked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.matches import ChangeKind
from core.wording import Message
from documents.blocks import (
    Align,
    Block,
    BlockPicture,
    BlockTable,
    Cell,
    Document,
    InlineMark,
    PageBreak,
    Paragraph,
    TextRun,
)
from documents.pictures import PagePicture

TITLE = Message("comparison.title")
_LEGEND = Message("comparison.legend")
_HEADS = Message("comparison.work"), Message("comparison.page")
_PICTURE = Message("comparison.picture")
_CUT_PICTURE = Message("comparison.picture-cut")
_NO_MARK = frozenset({ChangeKind.SCRIPT, ChangeKind.MOVED})


@dataclass(frozen=True, slots=True)
class ComparedCase:
    """A page and its work for the table.

    work_facts, page_facts: pairs of name and value; pairs without a value are omitted. spans: in the format of
    `webadmin.cases.models.CaseMatch.spans`.
    """

    heading: str
    work_facts: tuple[tuple[str, str], ...]
    page_facts: tuple[tuple[str, str], ...]
    spans: Sequence[Mapping[str, Any]] = field(repr=False)
    picture: PagePicture | None = None


def comparison_table(cases: Sequence[ComparedCase], language: str) -> Document:
    """Return the table, which starts a new page for each case. language: of its headings."""
    title = TITLE.in_language(language)
    blocks: list[Block] = [
        Paragraph.heading(title, 1, Align.CENTER),
        Paragraph.from_text(_LEGEND.in_language(language)),
    ]
    for number, case in enumerate(cases):
        blocks += [PageBreak()] if number else []
        blocks += _case_blocks(case, language)
    return Document(title, tuple(blocks), "zh" if language.startswith("zh") else "en")


def _case_blocks(case: ComparedCase, language: str) -> Iterator[Block]:
    yield Paragraph.heading(case.heading, 2)
    heads = tuple(Cell.from_text(words.in_language(language), is_bold=True) for words in _HEADS)
    facts = tuple(Cell((_facts_paragraph(each),)) for each in (case.work_facts, case.page_facts))
    passages = (tuple(Cell((Paragraph(side),)) for side in mark_differences(span)) for span in case.spans)
    yield BlockTable((heads, facts, *passages), (0.5, 0.5), has_head=True)
    if case.picture is not None:
        # Table, caption and image rarely fit on one page. The break keeps the caption with the image.
        yield PageBreak()
        caption = _CUT_PICTURE if case.picture.is_cut else _PICTURE
        yield Paragraph.from_text(caption.in_language(language), is_bold=True)
        yield BlockPicture(case.picture.content)


def _facts_paragraph(facts: Sequence[tuple[str, str]]) -> Paragraph:
    runs: list[TextRun] = []
    for number, (name, value) in enumerate(each for each in facts if each[1].strip()):
        runs += [TextRun(("\n" if number else "") + f"{name}  ", is_bold=True), TextRun(value)]
    return Paragraph(tuple(runs))


def mark_differences(span: Mapping[str, Any]) -> tuple[tuple[TextRun, ...], tuple[TextRun, ...]]:
    """Return a passage of the work and its copy on the page as text runs, with their differences marked."""
    changes = [(ChangeKind(kind), places) for kind, *places in span["changes"] if ChangeKind(kind) not in _NO_MARK]
    work = [
        (places[2], places[3], InlineMark.LOST if kind is ChangeKind.DELETED else InlineMark.CHANGED)
        for kind, places in changes
    ]
    page = [
        (places[0], places[1], InlineMark.ADDED if places[2] == places[3] else InlineMark.CHANGED)
        for _, places in changes
    ]
    return (
        tuple(_marked_runs(span["work_excerpt"], span["work"][0], work)),
        tuple(_marked_runs(span["page_excerpt"], span["page"][0], page)),
    )


def _marked_runs(text: str, begins: int, marks: Sequence[tuple[int, int, InlineMark]]) -> Iterator[TextRun]:
    at = 0
    for start, end, mark in sorted(marks):
        if start == end or end - begins <= at:
            continue
        first = max(at, start - begins)
        if first > at:
            yield TextRun(text[at:first])
        yield TextRun(text[first : end - begins], mark=mark)
        at = end - begins
    if text[at:]:
        yield TextRun(text[at:])
