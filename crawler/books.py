"""Reads a file that a site offers for download. The whole book becomes one text with chapters."""

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any, BinaryIO
from urllib.parse import unquote, urlsplit

from core.errors import UnreadableFile
from core.obfuscations import merge_findings
from core.pages import ChapterStart, Reading
from core.states import Rejection
from core.text import TextOffset, storable
from core.wording import Message
from core.works import WorkFile
from crawler.characters.decoding import decode
from crawler.characters.repertoire import count_han
from crawler.formats.archive import EPUB, JSON, PDF, WORD, ZIP
from crawler.formats.headings import split_chapters
from crawler.formats.plain import normalize_text
from crawler.main_text.extraction import MIN_HAN_TO_KEEP
from crawler.markup import element_text, parse
from crawler.obfuscation.text_noise import CleanText, add_noise_marks, clean_text
from crawler.obfuscation.text_origins import join_raw_parts
from crawler.opening import Rejected, is_shown_as_page

# The characters of a plain text in GBK of 16 MB, the largest file fetched by default. Longer texts have not been
# compared.
MAX_CHARS = 8_000_000
MAX_CHAPTERS = 20_000  # the longest novels have some 10,000
_FILE_NAME = re.compile(r"filename\*?\s*=\s*(?:(utf-8)'[^']*')?\"?([^\";]+)", re.IGNORECASE)
_REASONS = {  # the file comes from a third party, so the messages give no advice
    "intake.password": (Rejection.UNREADABLE_FILE, "page.file-protected"),
    "intake.encrypted": (Rejection.UNREADABLE_FILE, "page.file-protected"),
    "intake.no-text-layer": (Rejection.UNREADABLE_FILE, "page.file-pictures"),
    "intake.garbled-text-layer": (Rejection.MOJIBAKE, "page.encoding"),
    "intake.unpacks-too-large": (Rejection.TOO_LARGE, "page.file-swells"),
    "intake.archive-too-large": (Rejection.TOO_LARGE, "page.file-swells"),
    "intake.too-many-files": (Rejection.TOO_LARGE, "page.file-swells"),
    "intake.too-many-pages": (Rejection.TOO_LARGE, "page.file-swells"),
}
_NO_CHINESE = frozenset({"intake.no-chinese", "intake.no-chinese-pictures"})


@dataclass(frozen=True, slots=True)
class Book:
    """The result of reading a file.

    faults: messages for the operator about skipped parts
    """

    reading: Reading | Rejected
    faults: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class _Content:
    title: str
    author: str
    chapters: Sequence[tuple[str, str]]
    encoding: str = "utf-8"
    is_doubtful: bool = False
    faults: tuple[Message, ...] = ()


def read_book(kind: str, body: bytes, headers: Mapping[str, str], url: str) -> Book | None:
    """Read a response that is a file. kind: a kind that crawler.formats.archive.detect_kind returned.

    Return None if the response only begins like a file: it cannot be read as one and is served as a page.
    """
    try:
        content = _json_content(body) if kind == JSON else _book_content(kind, body, url)
    except UnreadableFile as fault:
        content_type = next((value for name, value in headers.items() if name.lower() == "content-type"), "")
        return None if is_shown_as_page(body, content_type) else Book(_to_rejection(fault, kind, url))
    if content is None:
        return None
    joined, is_cut = _join_chapters(content.chapters, url)
    if count_han(joined.text) < MIN_HAN_TO_KEEP:
        return Book(_without_text(content, url), content.faults)
    reading = replace(
        joined,
        title=storable(content.title) or file_name(headers, url),
        author=storable(content.author),
        encoding=content.encoding,
        is_encoding_doubtful=content.is_doubtful,
        extractor=kind,
    )
    cut = (Message("page.file-cut", url=url, most=MAX_CHARS),) if is_cut else ()
    return Book(reading, (*content.faults, *cut))


def chapter_starts(text: str) -> tuple[ChapterStart, ...]:
    """Return the starts of the chapters of a plain text by its headings, or () if it has none."""
    starts, at = [], 0
    for chapter in split_chapters(text)[:MAX_CHAPTERS]:
        starts.append(ChapterStart(chapter.title, TextOffset(at)))
        at += len(chapter.text)
    return tuple(starts) if len(starts) > 1 else ()


def file_name(headers: Mapping[str, str], url: str) -> str:
    """Return the name of a file without its suffix, taken from the headers or, if they state none, from the URL."""
    disposition = next((value for name, value in headers.items() if name.lower() == "content-disposition"), "")
    found = _FILE_NAME.search(disposition)
    name = found[2].strip() if found else urlsplit(url).path.rpartition("/")[2]
    name = unquote(name, errors="replace")
    for codec in ("utf-8", "gb18030"):
        try:
            name = name.encode("latin-1").decode(codec)  # headers are Latin-1, file names in them are not
            break
        except (UnicodeEncodeError, UnicodeDecodeError):
            continue
    return storable(PurePosixPath(name).stem).strip()[:200]


def _book_content(kind: str, body: bytes, url: str) -> _Content:
    if kind == ZIP:
        from crawler.formats.zipped import read_zip  # imported late, as in `_file_reader`

        found = read_zip(io.BytesIO(body), url, MAX_CHARS)
        return _Content(found.title, "", found.chapters, found.encoding, found.is_doubtful, tuple(found.faults))
    book = _file_reader(kind)(io.BytesIO(body), url)
    return _Content(book.title, book.author, [(chapter.title, chapter.text) for chapter in book.chapters])


def _file_reader(kind: str) -> Callable[[BinaryIO, str], WorkFile]:
    """Return the reader for a kind of file. It is imported here because a crawl of pages needs none."""
    from crawler.formats.epub import read_epub
    from crawler.formats.pdf import read_pdf
    from crawler.formats.word import read_docx

    return {EPUB: read_epub, WORD: read_docx, PDF: read_pdf}[kind]


def _json_content(body: bytes) -> _Content | None:
    decoded = decode(body)
    found = None if isinstance(decoded, Rejection) else read_json(decoded.text)
    if found is None or isinstance(decoded, Rejection):
        return None
    title, text = found
    return _Content(title, "", [(title, text)], decoded.encoding, decoded.is_doubtful)


def _join_chapters(chapters: Sequence[tuple[str, str]], url: str) -> tuple[Reading, bool]:
    """Join all chapters into one reading without inserted noise. Also return True if the text was cut off."""
    parts: list[CleanText] = []
    raw_parts: list[str] = []
    starts: list[ChapterStart] = []
    at = 0
    for title, raw in chapters[:MAX_CHAPTERS]:
        lines = (line.strip(" \t\r\u3000\u00a0\ufeff") for line in storable(raw).splitlines())
        raw_text = "\n".join(line for line in lines if line)
        clean = clean_text(raw_text, url)
        if not clean.text:
            continue
        starts.append(ChapterStart(storable(title).strip()[:200], TextOffset(at)))
        raw_parts.append(raw_text)
        parts.append(clean)
        at += len(clean.text) + 1
        if at > MAX_CHARS:
            break
    text = "\n".join(part.text for part in parts)
    is_cut = len(text) > MAX_CHARS or len(chapters) > MAX_CHAPTERS
    reading = Reading(
        title="",
        text=text[:MAX_CHARS],
        chapters=tuple(starts) if len(starts) > 1 else (),
        obfuscations=merge_findings([one for part in parts for one in part.obfuscations]),
    )
    return (_with_raw_text(reading, raw_parts, parts) if reading.obfuscations else reading), is_cut


def _with_raw_text(reading: Reading, raw_parts: Sequence[str], parts: Sequence[CleanText]) -> Reading:
    pairs = zip(raw_parts, parts, strict=True)
    raw_text, marks = join_raw_parts(
        ((raw, part.text, add_noise_marks(raw, raw, (), part)) for raw, part in pairs), reading.text
    )
    return replace(reading, raw_text=raw_text, marks=marks)


def _without_text(content: _Content, url: str) -> Rejected:
    if content.faults:  # the skipped parts may contain the text
        return Rejected(Rejection.UNREADABLE_FILE, content.faults[0])
    return Rejected(Rejection.NO_MAIN_TEXT, Message("page.no-text", url=url, chars=MIN_HAN_TO_KEEP))


def _to_rejection(fault: UnreadableFile, kind: str, url: str) -> Rejected:
    if fault.reason.code in _NO_CHINESE:
        return Rejected(Rejection.NO_MAIN_TEXT, Message("page.no-text", url=url, chars=MIN_HAN_TO_KEEP))
    reason, code = _REASONS.get(fault.reason.code, (Rejection.UNREADABLE_FILE, "page.file-damaged"))
    return Rejected(reason, Message(code, url=url, kind=kind))


# A string is prose if it contains punctuation or is as long as a sentence; other strings are names, labels and keys.
MIN_HAN_OF_PROSE, MIN_HAN_BESIDE_MARK = 20, 2
_MARK = re.compile("[，。！？；：…“”、]")
_TITLES = ("title", "chapter_name", "chaptername", "chapter_title", "chaptertitle", "name")
_TAG = re.compile(r"</?(?:p|br|div|span)\b", re.IGNORECASE)


def read_json(text: str) -> tuple[str, str] | None:
    """Return the title and the prose of a JSON text, or None if it is invalid. Markup in strings becomes plain text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    title, prose = "", []
    for key, string in _json_strings(value):
        if key.lower() in _TITLES and not title and count_han(string) and len(string) <= 100:
            title = " ".join(string.split())
            continue
        plain = _plain_string(string)
        han = count_han(plain)
        if han >= MIN_HAN_OF_PROSE or (han >= MIN_HAN_BESIDE_MARK and _MARK.search(plain)):
            prose.append(plain)
    return title, "\n".join(prose)


def _json_strings(value: Any) -> Iterator[tuple[str, str]]:
    """Yield (key, string) for each string of a JSON value in order. Strings in a list have the list's key."""
    waiting = [("", value)]
    while waiting:
        key, each = waiting.pop()
        if isinstance(each, str):
            yield key, each
        elif isinstance(each, dict):
            waiting += reversed(list(each.items()))
        elif isinstance(each, list):
            waiting += ((key, item) for item in reversed(each))


def _plain_string(string: str) -> str:
    if not _TAG.search(string):
        return normalize_text(string)
    tree = parse(string)
    return normalize_text(element_text(tree)) if tree is not None else ""
