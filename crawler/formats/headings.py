"""Divides a long text into chapters by headings on separate lines. No character is lost or moved."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from core.works import WHOLE, ChapterText
from crawler.characters.repertoire import count_han
from crawler.formats.heading_lines import Rank, heading_readings
from crawler.formats.heading_styles import (
    MAX_FRONT_MATTER_CHARS,
    ChapterHeading,
    FoundHeadings,
    make_heading,
    placed_lines,
)

MAX_OFFERED = 6  # number of styles from which a person may choose


def split_chapters(text: str, style: str = "") -> tuple[ChapterText, ...]:
    """Divide a text into chapters by a style of headings. style: "" for the best style, WHOLE for none.

    The joined texts of the chapters equal `text`. A heading begins its chapter. Text before the first heading belongs
    to the first chapter, unless it is long enough for a chapter of its own. A text that no style divides is one
    chapter; if it begins with its only heading, that heading is the title.
    """
    found = FoundHeadings(text)
    chosen = found.style_by_name(style) if style else found.best
    if chosen is None or style == WHOLE:
        return (ChapterText(1, found.own_title, text),)
    return _cut_at_headings(text, chosen.headings, chosen.front_chars)


def list_styles(text: str) -> list[tuple[str, int]]:
    """Return the styles that divide a text, each with its number of chapters.

    The best comes first; WHOLE is included.
    """
    found = FoundHeadings(text)
    best = [found.best] if found.best else []
    used = [name for each in best for name in each.name.split(" + ")]
    names = [each.name for each in found.styles if each.name not in used][:MAX_OFFERED]
    others = [style for name in names if (style := found.style_by_name(name))]
    counted = [(each.name, len(_cut_at_headings(text, each.headings, each.front_chars))) for each in (*best, *others)]
    return [*counted[: len(best)], (WHOLE, 1), *counted[len(best) :]]


def split_by_titles(text: str, title_of: Callable[[str], str]) -> tuple[ChapterText, ...]:
    """Divide a text before each line for which `title_of` returns a title.

    A text with fewer than two such lines is one chapter.
    """
    headings = [
        ChapterHeading(start, start + len(line), title, None)
        for start, line in placed_lines(text)
        if (title := title_of(line))
    ]
    if len(headings) < 2:
        return (ChapterText(1, "", text),)
    return _cut_at_headings(text, headings, len(text[: headings[0].start].strip()))


def read_heading(line: str) -> ChapterHeading | None:
    """Return the heading on a line, or None if the line is not certainly a heading.

    >>> read_heading("第十二章　风起").title, read_heading("第一回见到他的时候，我还小。")
    ('第十二章 风起', None)
    """
    ranks = (Rank.CHAPTER, Rank.SECTION, Rank.VOLUME, Rank.UNNUMBERED)
    sure = (each for each in heading_readings(line) if each.is_sure and each.rank in ranks)
    return next((make_heading(0, line, each) for each in sure), None)


def _cut_at_headings(text: str, headings: Sequence[ChapterHeading], front_chars: int) -> tuple[ChapterText, ...]:
    starts = [each.start for each in headings]
    titles = [each.title for each in headings]
    if front_chars < MAX_FRONT_MATTER_CHARS:
        starts[0] = 0
    else:
        starts.insert(0, 0)
        titles.insert(0, "")
    pieces = [text[start:end] for start, end in pairwise([*starts, len(text)])]
    return tuple(
        ChapterText(number, title, piece) for number, (title, piece) in enumerate(zip(titles, pieces, strict=True), 1)
    )


# Converts titled texts into the chapters of a book.


def number_chapters(chapters: Iterable[tuple[str, str]]) -> tuple[ChapterText, ...]:
    """Number (title, text) pairs from 1.

    Pairs without Chinese characters, such as plates and blank pages, are dropped.
    """
    kept = [(title, text) for title, text in chapters if count_han(text)]
    return tuple(ChapterText(number, title.strip(), text) for number, (title, text) in enumerate(kept, 1))


def cut_at_titles(paragraphs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Join paragraphs (text, title) into chapters (title, text). A paragraph with a title begins a chapter.

    A few lines before the first title are added to the first chapter.
    """
    title, lines = "", list[str]()
    for text, own in paragraphs:
        if own:
            is_front_matter = not title and len("".join(lines)) < MAX_FRONT_MATTER_CHARS
            if not is_front_matter:
                yield title, "\n".join(lines)
                lines = []
            title = own
        lines.append(text)
    yield title, "\n".join(lines)
