"""Reads PDF files with a text layer as one work, divided by the outline or, if there is none, by headings.

Lines that repeat at the edges of pages, such as running heads, are removed. Lines that were broken to fit the page are
joined, so that a paragraph is one line, as in every other format.
"""

import logging
import re
import struct
import unicodedata
import zlib
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from pypdf import PageObject, PasswordType, PdfReader
from pypdf.errors import DependencyError, DeprecationError, PyPdfError
from pypdf.generic import Destination

from core.errors import UnreadableFile
from core.works import OWN, WorkFile
from crawler.characters.mojibake import MIN_QUALITY_TO_TRUST, quality, repair
from crawler.characters.repertoire import count_han
from crawler.formats.headings import cut_at_titles, number_chapters, read_heading, split_chapters
from crawler.formats.plain import MIN_UTF8_QUALITY, normalize_text, require_chinese

MAX_PAGES = 20_000  # the longest novels have some 10,000 pages of the size of a telephone screen
MAX_CHARS = 100_000_000  # on all pages; pypdf unpacks streams of up to 75 MB, and every page can draw the same stream
MAX_OUTLINE_ITEMS, MAX_OUTLINE_DEPTH = 20_000, 8
MIN_LETTERS = 20  # in total; a page number and a stamp are not a text layer
EDGE_LINES = 2  # at the top and bottom of a page: a running head and a page number
# The minimum number of pages for a repeated edge line, and the distance within which two of them must be. Numbers in
# the line are ignored. Left and right pages have different running heads, and chapters may have few pages; a refrain
# does not occur on every page.
MIN_PAGES_TO_REPEAT, MAX_PAGES_BETWEEN = 3, 2
# How much shorter than a full line a line may be whose paragraph continues, in half widths (a Chinese character has
# two). A paragraph's indent takes two characters, punctuation that may not begin a line moves one character, and
# compressed lines have two more. A line that ends a sentence may be less short.
FULL_LINE_SLACK, SENTENCE_SLACK = 10, 3
# The exceptions of pypdf for a damaged or hostile file, and those that it does not catch.
_DAMAGES = (
    *(PyPdfError, DependencyError, DeprecationError, zlib.error, struct.error),
    *(LookupError, ValueError, TypeError, AttributeError, ArithmeticError),
    *(OSError, EOFError, RuntimeError, NotImplementedError, AssertionError),
)
_CJK = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u2018-\u201d\u2026\u2014\U00020000-\U000323af"
# A justified line whose characters are positioned one by one has a space after each of them.
_SPACED = re.compile(rf"(?:[{_CJK}] ){{3,}}")
_FIRST_OF_OTHER_SCRIPTS = "\u0370"  # Greek; wrongly decoded bytes become the Latin letters before it
_NUMBERS = re.compile(r"[0-9零〇一二三四五六七八九十百千]+|\b[ivxlc]+\b", re.IGNORECASE)
_PAGE_NUMBER = re.compile(r"[\s\-—–·•|/第共页頁pP.]*(?:#[\s\-—–·•|/第共页頁.]*){1,2}")
_LATIN_END, _LATIN_START = re.compile(r"[A-Za-z0-9,.;:!?)]$"), re.compile(r"^[A-Za-z0-9(]")
_SENTENCE_END = re.compile(r"[。！？!?…][”’」』）)]*$")
_HYPHENATED = re.compile(r"[a-z][\u00ad\u2010-]$")

logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # pypdf logs every error that it ignores


def read_pdf(file: BinaryIO, name: Path | str) -> WorkFile:
    """Return the work in a PDF file.

    Raises UnreadableFile if the file is damaged, encrypted or too large, or has no Chinese text, also if its pages are
    images.
    """
    try:
        reader = PdfReader(file)
        if reader.is_encrypted and reader.decrypt("") is PasswordType.NOT_DECRYPTED:
            raise UnreadableFile(name, "intake.password")
        pages = _page_lines(reader, name)
        marks = _outline_titles(reader)
        title, author = _stated_metadata(reader)
    except _DAMAGES as error:
        raise _damage_error(name, error) from error
    if not any(count_han(line) for line in chain.from_iterable(pages)):
        raise UnreadableFile(name, _without_chinese(pages))
    paragraphs = list(_text_paragraphs(_without_edges(pages), marks))
    text = require_chinese("\n".join(text for text, _ in paragraphs), name)
    if quality(text) < MIN_UTF8_QUALITY:
        raise UnreadableFile(name, "intake.garbled-text-layer")
    has_outline = sum(bool(title) for _, title in paragraphs) >= 2
    chapters = number_chapters(cut_at_titles(paragraphs)) if has_outline else split_chapters(text)
    return WorkFile(title, author, chapters, OWN if has_outline else "")


def extract_words(file: BinaryIO, name: Path | str, max_pages: int, max_chars: int) -> tuple[str, bool]:
    """Return the text of a PDF file without chapters, and True if the file exceeds one of the limits.

    max_pages, max_chars: what exceeds them is cut off. Raises UnreadableFile if the file is damaged or needs a
    password.
    """
    try:
        reader = PdfReader(file)
        if reader.is_encrypted and reader.decrypt("") is PasswordType.NOT_DECRYPTED:
            raise UnreadableFile(name, "intake.password")
        found, left = list[str](), max_chars
        for page in reader.pages[:max_pages]:
            found.append(_page_text(page)[: left + 1])
            left -= len(found[-1])
            if left < 0:
                break
        return "\n".join(found)[:max_chars], left < 0 or len(reader.pages) > max_pages
    except _DAMAGES as error:
        raise _damage_error(name, error) from error


def _damage_error(name: Path | str, error: Exception) -> UnreadableFile:
    if isinstance(error, (DependencyError, DeprecationError)):  # features that pypdf recognises but does not support
        return UnreadableFile(name, "intake.unread-pdf", reason=str(error).partition(". ")[0])
    return UnreadableFile(name, "intake.damaged", kind=".pdf")


def _without_chinese(pages: Sequence[Sequence[str]]) -> str:
    """Return the message code for missing Chinese text: images, garbled text, or text in another language."""
    text = "".join(chain.from_iterable(pages))
    if sum(map(str.isalpha, text)) < MIN_LETTERS:
        return "intake.no-text-layer"
    odd = sum(not char.isascii() and (char < _FIRST_OF_OTHER_SCRIPTS or not char.isalpha()) for char in text)
    return "intake.garbled-text-layer" if 2 * odd > len("".join(text.split())) else "intake.no-chinese"


def _page_text(page: PageObject) -> str:
    """Return the text of a page.

    If a font declares the bytes of Chinese characters as Latin letters, these bytes are decoded again.
    """
    text = page.extract_text()
    if text.isascii() or (count_han(text) and quality(text) >= MIN_QUALITY_TO_TRUST):
        return text
    # A line with a single character gives no evidence, so all lines are repaired together.
    mended = repair(text.replace("\t", " ").replace("\n", "\t"))
    return mended.text.replace("\t", "\n") if mended is not None else text


def _page_lines(reader: PdfReader, name: Path | str) -> list[list[str]]:
    """Return the lines of each page without empty lines.

    Raises UnreadableFile if there are too many pages or characters.
    """
    if len(reader.pages) > MAX_PAGES:
        raise UnreadableFile(name, "intake.too-many-pages", most=MAX_PAGES)
    pages, left = [], MAX_CHARS
    for page in reader.pages:
        text = normalize_text(_page_text(page))
        left -= len(text)
        if left < 0:
            raise UnreadableFile(name, "intake.unpacks-too-large", most=MAX_CHARS // 1_000_000)
        pages.append([line for each in text.split("\n") if (line := _closed_up(each.strip()))])
    return pages


def _closed_up(line: str) -> str:
    """Return a line in which Chinese characters are no longer followed by spaces, if each of them was."""
    return _SPACED.sub(lambda found: found[0].replace(" ", ""), line)


def _stated_metadata(reader: PdfReader) -> tuple[str, str]:
    """Return the title and author in the metadata of the file, each "" unless it is Chinese.

    Programs store paths and user names there.
    """
    facts = reader.metadata
    stated = (facts.title, facts.author) if facts is not None else (None, None)
    title, author = (" ".join(str(each or "").split()) for each in stated)
    return title if count_han(title) else "", author if count_han(author) else ""


def _outline_titles(reader: PdfReader) -> list[tuple[int, str]]:
    """Return (page number, title) for the highest outline level with at least two entries, or [] if there is none."""
    try:
        found = [(level, at, title) for level, at, title in _outline_entries(reader, reader.outline, 1) if title]
    except _DAMAGES:
        return []  # the headings are used instead
    levels = Counter(level for level, _, _ in found)
    chosen = next((level for level in sorted(levels) if levels[level] >= 2), 0)
    return sorted((at, title) for level, at, title in found if level == chosen)


def _outline_entries(reader: PdfReader, items: Iterable[object], level: int) -> Iterator[tuple[int, int, str]]:
    for item in list(items)[:MAX_OUTLINE_ITEMS]:
        if isinstance(item, list):
            if level < MAX_OUTLINE_DEPTH:
                yield from _outline_entries(reader, item, level + 1)
        elif isinstance(item, Destination):
            at = reader.get_destination_page_number(item)
            if at is not None and at >= 0:
                yield level, at, " ".join(str(item.title or "").split())


def _without_edges(pages: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the pages without running heads, feet and page numbers.

    The first occurrence of a chapter heading is kept.
    """
    seen_on = defaultdict[str, list[int]](list)
    for page, lines in enumerate(pages):
        for shape in {_line_shape(lines[at]) for at in _edge_lines(lines)}:
            seen_on[shape].append(page)
    heads = set[str]()
    kept = []
    for page, lines in enumerate(pages):
        dress = {
            at
            for at in _edge_lines(lines)
            if _PAGE_NUMBER.fullmatch(_line_shape(lines[at]))
            or (_is_repeated(page, seen_on[_line_shape(lines[at])]) and not _is_first_heading(lines[at], heads))
        }
        kept.append([line for at, line in enumerate(lines) if at not in dress])
    return kept


def _is_repeated(page: int, seen_on: Sequence[int]) -> bool:
    at = bisect_left(seen_on, page)
    near_pages = (*seen_on[max(0, at - 1) : at], *seen_on[at + 1 : at + 2])
    return len(seen_on) >= MIN_PAGES_TO_REPEAT and any(abs(other - page) <= MAX_PAGES_BETWEEN for other in near_pages)


def _edge_lines(lines: Sequence[str]) -> list[int]:
    return [at for at in range(len(lines)) if at < EDGE_LINES or at >= len(lines) - EDGE_LINES]


def _line_shape(line: str) -> str:
    """Return a line without spaces, with "#" in place of every number."""
    return "".join(_NUMBERS.sub("#", line).split())


def _is_first_heading(line: str, seen: set[str]) -> bool:
    bare = "".join(line.split())
    if bare in seen or read_heading(line) is None:
        return False
    seen.add(bare)
    return True


def _text_paragraphs(pages: Sequence[Sequence[str]], marks: Sequence[tuple[int, str]]) -> Iterator[tuple[str, str]]:
    """Yield (text, title) of each paragraph. title: the outline title if a chapter begins at the paragraph, or ""."""
    full = _full_width(pages)
    titles = {at: _map_titles(lines, [title for page, title in marks if page == at]) for at, lines in enumerate(pages)}
    parts, own, is_over = list[str](), "", False
    for page, lines in enumerate(pages):
        for at, line in enumerate(lines):
            title, is_heading = titles[page].get(at, ""), read_heading(line) is not None
            if parts and (title or is_heading or is_over):
                yield "".join(parts), own
                parts, own = [], ""
            _append_line(parts, line)
            own, is_over = own or title, is_heading or _ends_paragraph(line, full)
    if parts:
        yield "".join(parts), own


def _map_titles(lines: Sequence[str], titles: Sequence[str]) -> dict[int, str]:
    """Return the outline titles of a page by the index of their line.

    A title that matches no line belongs to the first line.
    """
    bare = ["".join(line.split()) for line in lines]
    placed: dict[int, str] = {}
    for title in titles:
        wanted = "".join(title.split())
        placed.setdefault(next((at for at, line in enumerate(bare) if line and wanted.startswith(line)), 0), title)
    return placed


def _full_width(pages: Sequence[Sequence[str]]) -> int:
    """Return the width of a full line in half widths. One line in ten is at least as wide."""
    widths = sorted(_line_width(line) for lines in pages for line in lines)
    return widths[len(widths) * 9 // 10] if widths else 0


def _line_width(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WFA" else 1 for char in line)


def _ends_paragraph(line: str, full: int) -> bool:
    slack = SENTENCE_SLACK if _SENTENCE_END.search(line) else FULL_LINE_SLACK
    return _line_width(line) < full - slack


def _append_line(parts: list[str], line: str) -> None:
    """Append a line: Chinese without a space, Latin with a space, the rest of a hyphenated word without the hyphen."""
    before = "".join(parts[-2:])[-2:]
    if _HYPHENATED.search(before) and line[:1].islower():
        parts[-1] = parts[-1][:-1]
    elif _LATIN_END.search(before) and _LATIN_START.search(line):
        parts.append(" ")
    parts.append(line)
