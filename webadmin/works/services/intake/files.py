"""Reads the works in a file or folder. The extension of a file determines its reader."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from core.errors import UnreadableFile
from core.states import Rejection
from core.text import storable
from core.wording import Message
from core.works import OWN, WorkFile
from crawler.formats.epub import read_epub
from crawler.formats.headings import number_chapters, split_by_titles, split_chapters
from crawler.formats.plain import TRIED, normalize_text, require_chinese
from crawler.formats.word import read_docx
from crawler.opening import Rejected
from webadmin.works.services.intake.division import FoundWork, Intake
from webadmin.works.services.intake.folder import ReadFile, read_folder
from webadmin.works.services.intake.jsonl import read_jsonl
from webadmin.works.services.intake.plain import open_error_reason, read_bytes, read_text

_BOOK_TITLE = re.compile("《([^《》]{1,100})》")
_AUTHOR = re.compile(r"^[\s\u3000【\[]*作\s*者\s*[:：]\s*(\S[^\n】\]]{0,40})", re.MULTILINE)
_AUTHOR_IN_NAME = re.compile("作者[:：_ ]?(.{1,30})$")
_MARKDOWN = re.compile(r"^(#{1,6})\s+(.+?)\s*#*$", re.MULTILINE)
_HEAD_CHARS = 400
_UNREAD = {  # messages about rejected HTML files, which have no URL
    Rejection.NOT_HTML: Message("intake.not-html"),
    Rejection.MOJIBAKE: Message("intake.no-encoding", tried=TRIED),
    Rejection.NO_MAIN_TEXT: Message("intake.no-main-text"),
}
_MAX_SHOWN_CHARS = 200  # characters of an invalid name that a message quotes


def read_file(path: Path) -> Intake:
    """Return the works in a file. Raises UnreadableFile if it is missing, unreadable or of an unknown kind."""
    try:
        is_there, is_folder = path.exists(), path.is_dir()
    except (OSError, ValueError) as error:
        raise UnreadableFile(_shown_path(path), "intake.bad-name") from error
    if not is_there:
        raise UnreadableFile(path, "intake.missing-or-folder")
    if is_folder:
        raise UnreadableFile(path, "intake.folder-for-file")
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise UnreadableFile(path, "intake.unknown-kind", kinds=" ".join(READERS))
    return reader(path)


def read_works(path: Path, read: ReadFile = read_file) -> Intake:
    """Return all works in a file or folder, with the errors of files that were left out.

    read: the function that reads a single file. Raises UnreadableFile if nothing at `path` can be read.
    """
    intake = read_folder(path, read) if _is_folder(path) else read(path)
    return intake.made_storable()


def read_work(path: Path, read: ReadFile = read_file) -> list[WorkFile]:
    """Return the works in a file or folder. Raises the first error if no work could be read."""
    intake = read_works(path, read)
    if not intake.works and intake.faults:
        raise intake.faults[0]
    return [found.file for found in intake.works]


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _shown_path(path: Path) -> str:
    text = storable(str(path))
    return text if len(text) <= _MAX_SHOWN_CHARS else f"{text[:_MAX_SHOWN_CHARS]}..."


def _read_plain_file(path: Path) -> Intake:
    read = read_text(path)
    return Intake(
        [FoundWork(WorkFile(*_title_and_author(path, read.text), split_chapters(read.text), flaws=read.flaws()), path)]
    )


def _read_markdown(path: Path) -> Intake:
    """Return the work in a Markdown file.

    Chapters start at headings of the highest level that occurs at least twice. The first heading above that level is
    the title.
    """
    read = read_text(path)
    text = read.text
    found = [(len(marks), title) for marks, title in _MARKDOWN.findall(text)]
    levels = [level for level, _ in found]
    level = next((each for each in sorted(set(levels)) if levels.count(each) >= 2), 0)
    above = [title for each, title in found if each < (level or 7)]
    title, author = _title_and_author(path, text)
    chapters = split_by_titles(text, lambda line: _markdown_title(line, level)) if level else split_chapters(text)
    file = WorkFile(above[0] if above else title, author, chapters, OWN if level else "", read.flaws())
    return Intake([FoundWork(file, path)])


def _markdown_title(line: str, level: int) -> str:
    found = _MARKDOWN.fullmatch(line)
    return found[2] if found and len(found[1]) == level else ""


def _title_and_author(path: Path, text: str) -> tuple[str, str]:
    """Return the title from the file name, such as 《书名》作者：某某, and the author from the text or the file name.

    The author is "" if neither names one.
    """
    in_name = _BOOK_TITLE.search(path.stem)
    title = in_name[1] if in_name else _AUTHOR_IN_NAME.sub("", path.stem).strip(" _-—")
    author = _AUTHOR.search(text[:_HEAD_CHARS]) or _AUTHOR_IN_NAME.search(path.stem)
    return title.strip() or path.stem, author[1].strip() if author else ""


def _read_book(path: Path, read: Callable[[BinaryIO, Path], WorkFile]) -> Intake:
    try:
        with path.open("rb") as file:
            book = read(file, path)
    except OSError as error:
        raise UnreadableFile(path, open_error_reason(error)) from error
    return Intake([FoundWork(replace(book, title=book.title or path.stem), path)])


def _read_html(path: Path) -> Intake:
    from crawler.reading import read_page  # Imported here, because it loads fingerprint.

    reading = read_page(read_bytes(path), {}, str(path))
    if isinstance(reading, Rejected):
        raise UnreadableFile(path, _UNREAD.get(reading.reason, reading.message))
    if not reading.text:
        raise UnreadableFile(path, _UNREAD[Rejection.NO_MAIN_TEXT])
    if reading.is_encoding_doubtful:
        raise UnreadableFile(path, "intake.doubtful-page-encoding", name=reading.encoding)
    text = require_chinese(normalize_text(reading.text), path)
    return Intake(
        [FoundWork(WorkFile(reading.title or path.stem, reading.author, number_chapters([("", text)])), path)]
    )


def _pdf(path: Path) -> Intake:
    from crawler.formats.pdf import read_pdf  # loads pypdf, which only the reading process needs

    return _read_book(path, read_pdf)


READERS: dict[str, Callable[[Path], Intake]] = {
    ".txt": _read_plain_file,
    ".md": _read_markdown,
    ".epub": lambda path: _read_book(path, read_epub),
    ".docx": lambda path: _read_book(path, read_docx),
    ".pdf": _pdf,
    ".html": _read_html,
    ".htm": _read_html,
    ".xhtml": _read_html,
    ".jsonl": read_jsonl,
}
