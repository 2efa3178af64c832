"""One long text -> its chapters, by the headings on lines of their own. Every character stays where it was."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from core.works import WHOLE, ChapterText
from crawler.characters.repertoire import count_han
from crawler.formats.heading_lines import Rank, heading_readings
from crawler.formats.heading_styles import (
    MAX_FRONT_MATTER_CHARS,
    ChapterHeading,
    FoundHeadings,
    as_heading,
    placed_lines,
)

__all__ = [
    "MAX_FRONT_MATTER_CHARS",
    "ChapterHeading",
    "list_styles",
    "read_heading",
    "split_by_titles",
    "split_chapters",
]

MAX_OFFERED = 6  # styles of a text that somebody may choose from


def split_chapters(text: str, style: str = "") -> tuple[ChapterText, ...]:
    """Return the chapters of `text` by a style of headings, "" for the one that divides it best.

    Else it is one chapter.

    The texts of the chapters, joined, are `text`; a heading stands at the head of its chapter, and what comes before
    the first heading goes with the first chapter unless it is long enough to be one. A text with a single heading, at
    its head, is one chapter of that title.
    """
    found = FoundHeadings(text)
    chosen = found.style_by_name(style) if style else found.best
    if chosen is None or style == WHOLE:
        return (ChapterText(1, found.own_title, text),)
    return _cut(text, chosen.headings, chosen.front_chars)


def list_styles(text: str) -> list[tuple[str, int]]:
    """List the styles that divide a text, each with its number of chapters; the best first, WHOLE among them."""
    found = FoundHeadings(text)
    best = [found.best] if found.best else []
    used = [name for each in best for name in each.name.split(" + ")]
    names = [each.name for each in found.styles if each.name not in used][:MAX_OFFERED]
    others = [style for name in names if (style := found.style_by_name(name))]
    counted = [(each.name, len(_cut(text, each.headings, each.front_chars))) for each in (*best, *others)]
    return [*counted[: len(best)], (WHOLE, 1), *counted[len(best) :]]


def split_by_titles(text: str, title_of: Callable[[str], str]) -> tuple[ChapterText, ...]:
    """Cut `text` before each line that `title_of` gives a title ("" for prose); whole where fewer than two are."""
    headings = [
        ChapterHeading(start, start + len(line), title, None)
        for start, line in placed_lines(text)
        if (title := title_of(line))
    ]
    if len(headings) < 2:
        return (ChapterText(1, "", text),)
    return _cut(text, headings, len(text[: headings[0].start].strip()))


def read_heading(line: str) -> ChapterHeading | None:
    """Read a single line that is surely a heading, None for any other line.

    >>> read_heading("第十二章　风起").title, read_heading("第一回见到他的时候，我还小。")
    ('第十二章 风起', None)
    """
    ranks = (Rank.CHAPTER, Rank.SECTION, Rank.VOLUME, Rank.UNNUMBERED)
    sure = (each for each in heading_readings(line) if each.is_sure and each.rank in ranks)
    return next((as_heading(0, line, each) for each in sure), None)


def _cut(text: str, headings: Sequence[ChapterHeading], front_chars: int) -> tuple[ChapterText, ...]:
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


# Texts under titles -> the chapters of a book.


def number_chapters(chapters: Iterable[tuple[str, str]]) -> tuple[ChapterText, ...]:
    """Number (title, text) pairs from 1 on; those without a Chinese character (plates, blanks) are left out."""
    kept = [(title, text) for title, text in chapters if count_han(text)]
    return tuple(ChapterText(number, title.strip(), text) for number, (title, text) in enumerate(kept, 1))


def cut_at_titles(paragraphs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Group the (text, title) of paragraphs, "" for those that begin no chapter, into (title, text) of chapters.

    A few lines before the first title go with the first chapter.
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
