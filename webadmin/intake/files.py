"""A path -> the works in it, by what the file is called."""

import re
from collections.abc import Callable
from pathlib import Path

from core.errors import UnreadableFile
from core.works import WorkFile
from crawler.reading import Rejected, read_page
from webadmin.intake.epub import read_epub
from webadmin.intake.folder import WORK_MANIFEST, WORKS_MANIFEST, read_folder
from webadmin.intake.found import FoundWork, Intake, numbered
from webadmin.intake.headings import split_at, split_chapters
from webadmin.intake.jsonl import read_jsonl
from webadmin.intake.plain import read_bytes, read_text, unified, with_text
from webadmin.intake.word import read_docx

_BOOK_TITLE = re.compile("《([^《》]{1,100})》")
_AUTHOR = re.compile(r"^[\s\u3000【\[]*作\s*者\s*[:：]\s*(\S[^\n】\]]{0,40})", re.MULTILINE)
_AUTHOR_IN_NAME = re.compile("作者[:：_ ]?(.{1,30})$")
_MARKDOWN = re.compile(r"^(#{1,6})\s+(.+?)\s*#*$", re.MULTILINE)
_HEAD_CHARS = 400


def read_works(path: Path) -> Intake:
    """All works of a file or folder, and what was left out of it. Raises UnreadableFile where there is nothing."""
    return _read(path).made_storable()


def read_work(path: Path) -> list[WorkFile]:
    """The works of a file or folder. Raises the first fault where nothing could be read."""
    intake = read_works(path)
    if not intake.works and intake.faults:
        raise intake.faults[0]
    return [found.file for found in intake.works]


def _read(path: Path) -> Intake:
    if path.is_dir():
        return read_folder(path, read_file)
    if path.name in (WORK_MANIFEST, WORKS_MANIFEST):
        return read_folder(path.parent, read_file)
    return read_file(path)


def read_file(path: Path) -> Intake:
    """The works of a single file. Raises UnreadableFile."""
    if not path.exists():
        raise UnreadableFile(path, "there is no such file or folder")
    if path.is_dir():
        raise UnreadableFile(path, "is a folder where a file is expected")
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise UnreadableFile(
            path, f"is none of the kinds that can be read: {' '.join(READERS)}, or a folder of chapters"
        )
    return reader(path)


def _plain(path: Path) -> Intake:
    text = read_text(path)
    return Intake([FoundWork(WorkFile(*_named(path, text), split_chapters(text)), path)])


def _markdown(path: Path) -> Intake:
    """The shallowest heading that stands twice makes the chapters; a single one above it is the title."""
    text = read_text(path)
    found = [(len(marks), title) for marks, title in _MARKDOWN.findall(text)]
    levels = [level for level, _ in found]
    level = next((each for each in sorted(set(levels)) if levels.count(each) >= 2), 0)
    above = [title for each, title in found if each < (level or 7)]
    title, author = _named(path, text)
    chapters = split_at(text, lambda line: _markdown_title(line, level)) if level else split_chapters(text)
    return Intake([FoundWork(WorkFile(above[0] if above else title, author, chapters), path)])


def _markdown_title(line: str, level: int) -> str:
    found = _MARKDOWN.fullmatch(line)
    return found[2] if found and len(found[1]) == level else ""


def _named(path: Path, text: str) -> tuple[str, str]:
    """Title and author by the file's name, which often reads 《书名》作者：某某, and by the first lines of its text."""
    in_name = _BOOK_TITLE.search(path.stem)
    title = in_name[1] if in_name else _AUTHOR_IN_NAME.sub("", path.stem).strip(" _-—")
    author = _AUTHOR.search(text[:_HEAD_CHARS]) or _AUTHOR_IN_NAME.search(path.stem)
    return title.strip() or path.stem, author[1].strip() if author else ""


def _html(path: Path) -> Intake:
    reading = read_page(read_bytes(path), {}, str(path))
    if isinstance(reading, Rejected):
        raise UnreadableFile(path, reading.sentence.removeprefix(f"{path} "))
    if reading.is_encoding_doubtful:
        raise UnreadableFile(
            path, f"its encoding is doubtful: {reading.encoding} fits best, but badly; save it as UTF-8"
        )
    text = with_text(unified(reading.text), path)
    return Intake([FoundWork(WorkFile(reading.title or path.stem, reading.author, numbered([("", text)])), path)])


READERS: dict[str, Callable[[Path], Intake]] = {
    ".txt": _plain,
    ".md": _markdown,
    ".epub": lambda path: Intake([read_epub(path)]),
    ".docx": lambda path: Intake([read_docx(path)]),
    ".html": _html,
    ".htm": _html,
    ".xhtml": _html,
    ".jsonl": read_jsonl,
}
