"""Reads works from folders. The chapter files in a folder, in natural order, are one work."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from core.errors import BadInput, UnreadableFile
from core.wording import Message
from core.works import GIVEN, ChapterText, WorkFile
from crawler.formats.headings import read_heading
from crawler.formats.numerals import natural_key
from webadmin.works.services.intake.division import FoundWork, Intake

CHAPTER_SUFFIXES = frozenset({".txt", ".md", ".html", ".htm", ".xhtml", ".docx"})
MAX_CHAPTERS = 20_000

_LEADING_NUMBER = re.compile(r"^\d+(?:[-_.、\s]+|$)")

ReadFile = Callable[[Path], Intake]


def read_folder(folder: Path, read_file: ReadFile) -> Intake:
    """Return the works in a folder, with the errors of files that were left out. `read_file` reads single files.

    The chapter files in the folder are one work. Without chapter files, each subfolder is read separately. Raises
    UnreadableFile if there are neither chapter files nor subfolders, or more than MAX_CHAPTERS files.
    """
    files = sorted(_chapter_files(folder), key=lambda path: natural_key(path.stem))
    if files:
        return _read_chapters_as_work(folder, files, read_file)
    folders = _subfolders(folder)
    if not folders:
        raise UnreadableFile(folder, "intake.no-chapter-files", kinds=" ".join(sorted(CHAPTER_SUFFIXES)))
    intake = Intake()
    for each in folders:
        intake.take(_read_folder_safely(each, read_file))
    return intake


def _read_chapters_as_work(folder: Path, files: Sequence[Path], read_file: ReadFile) -> Intake:
    if len(files) > MAX_CHAPTERS:
        raise UnreadableFile(folder, "intake.too-many-chapter-files", most=MAX_CHAPTERS)
    intake = Intake()
    chapters: list[ChapterText] = []
    flaws: list[Message] = []
    for number, path in enumerate(files, 1):
        try:
            chapter, of_file = _read_chapter(number, path, read_file)
            chapters.append(chapter)
            flaws += (Message("core.unreadable", path=path.name, reason=flaw) for flaw in of_file)
        except BadInput as fault:
            intake.faults.append(fault)
    if chapters:
        file = WorkFile(folder.resolve().name, "", tuple(chapters), GIVEN, tuple(flaws))
        intake.works.append(FoundWork(file, folder, is_whole=not intake.faults))
    return intake


def _read_chapter(number: int, path: Path, read_file: ReadFile) -> tuple[ChapterText, list[Message]]:
    """Return the text of a file as the chapter `number`, regardless of its headings, with the flaws of the file.

    Raises the first error if a part of the file could not be read.
    """
    read = read_file(path)
    if read.faults:
        raise read.faults[0]
    # The chapters of a text file contain their line feeds; those of other files do not.
    joint = "" if path.suffix.lower() in (".txt", ".md") else "\n"
    text = joint.join(chapter.text for work in read.works for chapter in work.file.chapters)
    return ChapterText(number, _chapter_title(path, text), text), [
        flaw for work in read.works for flaw in work.file.flaws
    ]


def _chapter_title(path: Path, text: str) -> str:
    """Return the heading at the start of the text, or the file name without its leading number if there is none."""
    first = text.lstrip().partition("\n")[0]
    heading = read_heading(first)
    return heading.title if heading else _LEADING_NUMBER.sub("", path.stem).strip() or path.stem


def _read_folder_safely(folder: Path, read_file: ReadFile) -> Intake:
    try:
        return read_folder(folder, read_file)
    except BadInput as fault:
        return Intake(faults=[fault])


def _chapter_files(folder: Path) -> list[Path]:
    try:
        return [
            path
            for path in folder.iterdir()
            if path.suffix.lower() in CHAPTER_SUFFIXES and not path.name.startswith((".", "~$")) and path.is_file()
        ]
    except OSError as error:
        raise UnreadableFile(folder, "file.cannot-be-read", error=error.strerror or error) from error


def _subfolders(folder: Path) -> list[Path]:
    found = (path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    return sorted(found, key=lambda path: natural_key(path.name))
