"""Texts under titles -> the chapters of a book."""

from collections.abc import Iterable, Iterator

from core.works import ChapterText
from crawler.characters.repertoire import count_han
from crawler.formats.headings import MAX_FRONT_MATTER_CHARS


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
