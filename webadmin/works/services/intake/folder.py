"""Reads works from folders: chapter files in order, or the works that a manifest lists."""

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.errors import BadInput, UnreadableFile
from core.text import storable
from core.wording import Message
from core.works import GIVEN, ChapterText, WorkFile
from crawler.formats.headings import read_heading
from crawler.formats.numerals import natural_key
from webadmin.works.services.intake.division import FoundWork, Intake
from webadmin.works.services.intake.plain import read_bytes

WORK_MANIFEST, WORKS_MANIFEST = "work.toml", "works.toml"
CHAPTER_SUFFIXES = frozenset({".txt", ".md", ".html", ".htm", ".xhtml", ".docx"})
MAX_CHAPTERS = 20_000
MAX_MANIFEST_BYTES = 4 * 1024 * 1024  # MAX_CHAPTERS entries of 200 bytes each
_MAX_SHOWN_CHARS = 200  # characters of an invalid name that a message quotes

_LEADING_NUMBER = re.compile(r"^\d+(?:[-_.、\s]+|$)")

ReadFile = Callable[[Path], Intake]


@dataclass(frozen=True, slots=True)
class _Manifest:
    title: str = ""
    author: str = ""
    kind: str = ""
    rights_holder: str = ""
    file: str = ""


def read_folder(folder: Path, read_file: ReadFile) -> Intake:
    """Return the works in a folder. `read_file` reads single files.

    With a works.toml, reads the files that it lists, and every folder next to it that has a work.toml. Otherwise, the
    chapter files in the folder are one work, described by work.toml if it exists. Without chapter files, each subfolder
    is read separately.
    """
    if (folder / WORKS_MANIFEST).exists():
        return _read_manifest_works(folder, read_file)
    files = sorted(_chapter_files(folder), key=lambda path: natural_key(path.stem))
    if files:
        return _read_chapters_as_work(folder, files, read_file)
    folders = _subfolders(folder)
    if not folders:
        suffixes = " ".join(sorted(CHAPTER_SUFFIXES))
        raise UnreadableFile(folder, "intake.no-chapter-files", kinds=suffixes, manifest=WORKS_MANIFEST)
    intake = Intake()
    for each in folders:
        intake.take(_read_folder_safely(each, read_file))
    return intake


def _read_manifest_works(folder: Path, read_file: ReadFile) -> Intake:
    intake = Intake()
    path = folder / WORKS_MANIFEST
    entries = _read_toml(path).get("work")
    if not isinstance(entries, list) or not entries:
        raise UnreadableFile(path, "intake.lists-nothing")
    if len(entries) > MAX_CHAPTERS:
        raise UnreadableFile(path, "intake.lists-too-many", most=MAX_CHAPTERS)
    seen: set[Path] = set()
    for number, entry in enumerate(entries, 1):
        try:
            manifest = _parse_entry(path, entry, number)
            source = _resolve_inside(folder, manifest.file, path)
            if source.resolve() in seen:
                again = Message("intake.listed-before", file=manifest.file)
                raise UnreadableFile(path, "intake.entry", number=number, reason=again)
            seen.add(source.resolve())
            intake.take(_apply_manifest(read_file(source), manifest))
        except BadInput as fault:
            intake.faults.append(fault)
    for subfolder in _subfolders(folder):
        if (subfolder / WORK_MANIFEST).exists():
            intake.take(_read_folder_safely(subfolder, read_file))
    return intake


def _read_chapters_as_work(folder: Path, files: Sequence[Path], read_file: ReadFile) -> Intake:
    manifest_path = folder / WORK_MANIFEST
    manifest = _parse_manifest(manifest_path, _read_toml(manifest_path)) if manifest_path.exists() else _Manifest()
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
        title = manifest.title or folder.resolve().name
        file = WorkFile(title, manifest.author, tuple(chapters), GIVEN, tuple(flaws))
        of_whom = manifest.kind, manifest.rights_holder
        intake.works.append(FoundWork(file, folder, *of_whom, is_whole=not intake.faults))
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
    """Return the heading at the start of the text, or else the file name without its number."""
    first = text.lstrip().partition("\n")[0]
    heading = read_heading(first)
    return heading.title if heading else _LEADING_NUMBER.sub("", path.stem).strip() or path.stem


def _read_folder_safely(folder: Path, read_file: ReadFile) -> Intake:
    try:
        return read_folder(folder, read_file)
    except BadInput as fault:
        return Intake(faults=[fault])


def _apply_manifest(intake: Intake, manifest: _Manifest) -> Intake:
    """Apply the manifest's title, author and other values to the works of one listed file."""
    for index, work in enumerate(intake.works):
        title = manifest.title if len(intake.works) == 1 else ""
        file = replace(work.file, title=title or work.file.title, author=manifest.author or work.file.author)
        intake.works[index] = replace(work, file=file, kind=manifest.kind, rights_holder=manifest.rights_holder)
    return intake


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


def _resolve_inside(folder: Path, name: str, manifest: Path) -> Path:
    if not name:
        raise UnreadableFile(manifest, "intake.entry-without-file")
    path = folder / name
    shown = storable(name if len(name) <= _MAX_SHOWN_CHARS else f"{name[:_MAX_SHOWN_CHARS]}...")
    try:
        is_inside = path.resolve().is_relative_to(folder.resolve())
        path.exists()
    except (OSError, ValueError, RuntimeError) as error:
        raise UnreadableFile(manifest, "intake.entry-bad-name", name=shown) from error
    if not is_inside:
        raise UnreadableFile(manifest, "intake.entry-outside", name=shown)
    return path


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_bytes(path, MAX_MANIFEST_BYTES).decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UnreadableFile(path, "intake.toml-not-utf8") from error
    except RecursionError as error:
        raise UnreadableFile(path, "intake.toml-too-deep") from error
    except ValueError as error:  # TOMLDecodeError, and numbers with more digits than Python converts
        raise UnreadableFile(path, "intake.not-toml", error=error) from error


def _parse_entry(path: Path, table: Any, number: int) -> _Manifest:
    try:
        return _parse_manifest(path, table)
    except UnreadableFile as fault:
        raise UnreadableFile(path, "intake.entry", number=number, reason=fault.reason) from fault


def _parse_manifest(path: Path, table: Any) -> _Manifest:
    names = _Manifest.__dataclass_fields__
    if not isinstance(table, dict):
        raise UnreadableFile(path, "intake.no-table")
    wrong = [name for name in names if not isinstance(table.get(name, ""), str)]
    if wrong:
        raise UnreadableFile(path, "intake.no-string", name=wrong[0])
    return _Manifest(**{name: table.get(name, "").strip() for name in names})
