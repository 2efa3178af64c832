"""Folders -> works: chapter files in the order people gave them, or a manifest of works."""

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.errors import BadInput, UnreadableFile
from core.text import storable
from core.works import Chapter, WorkFile
from webadmin.intake.found import FoundWork, Intake
from webadmin.intake.headings import heading_of
from webadmin.intake.numerals import natural_key
from webadmin.intake.plain import read_bytes

WORK_MANIFEST, WORKS_MANIFEST = "work.toml", "works.toml"
CHAPTER_SUFFIXES = frozenset({".txt", ".md", ".html", ".htm", ".xhtml", ".docx"})
MAX_CHAPTERS = 20_000
MAX_MANIFEST_BYTES = 4 * 1024 * 1024  # MAX_CHAPTERS entries of 200 bytes each
_MAX_SHOWN_CHARS = 200  # of a name that cannot be

_LEADING_NUMBER = re.compile(r"^\d+(?:[-_.、\s]+|$)")

ReadFile = Callable[[Path], Intake]


@dataclass(frozen=True, slots=True)
class _Manifest:
    title: str = ""
    author: str = ""
    kind: str = ""
    rights_holder: str = ""
    key: str = ""
    file: str = ""


def read_folder(folder: Path, read_file: ReadFile) -> Intake:
    """The works in a folder. `read_file` reads single files.

    With works.toml: the files that it lists, and every folder beside it that has a work.toml. Else the chapter files in
    it are one work, described by work.toml where there is one. Else each folder in it is taken by itself.
    """
    if (folder / WORKS_MANIFEST).exists():
        return _listed(folder, read_file)
    files = sorted(_chapter_files(folder), key=lambda path: natural_key(path.stem))
    if files:
        return _one_work(folder, files, read_file)
    return _each(_subfolders(folder), read_file) or _nothing(folder)


def _listed(folder: Path, read_file: ReadFile) -> Intake:
    intake = Intake()
    path = folder / WORKS_MANIFEST
    entries = _toml(path).get("work")
    if not isinstance(entries, list) or not entries:
        raise UnreadableFile(path, "lists no works; each needs a [[work]] table with its file")
    if len(entries) > MAX_CHAPTERS:
        raise UnreadableFile(path, f"lists more than {MAX_CHAPTERS:,} works")
    seen: set[Path] = set()
    for number, entry in enumerate(entries, 1):
        try:
            manifest = _manifest(path, entry, f"[[work]] {number}: ")
            source = _inside(folder, manifest.file, path)
            if source.resolve() in seen:
                raise UnreadableFile(path, f"[[work]] {number}: {manifest.file} is listed before; list each file once")
            seen.add(source.resolve())
            intake.take(_described(read_file(source), manifest))
        except BadInput as fault:
            intake.faults.append(fault)
    for subfolder in _subfolders(folder):
        if (subfolder / WORK_MANIFEST).exists():
            intake.take(_guarded(subfolder, read_file))
    return intake


def _one_work(folder: Path, files: Sequence[Path], read_file: ReadFile) -> Intake:
    manifest_path = folder / WORK_MANIFEST
    manifest = _manifest(manifest_path, _toml(manifest_path)) if manifest_path.exists() else _Manifest()
    if len(files) > MAX_CHAPTERS:
        raise UnreadableFile(folder, f"holds more than {MAX_CHAPTERS:,} chapter files")
    intake = Intake()
    chapters: list[Chapter] = []
    for number, path in enumerate(files, 1):
        try:
            chapters.append(_chapter(number, path, read_file))
        except BadInput as fault:
            intake.faults.append(fault)
    if chapters:
        file = WorkFile(manifest.title or folder.resolve().name, manifest.author, tuple(chapters))
        described = manifest.kind, manifest.rights_holder, manifest.key
        intake.works.append(FoundWork(file, folder, *described, is_whole=not intake.faults))
    return intake


def _chapter(number: int, path: Path, read_file: ReadFile) -> Chapter:
    """A file of a folder as one chapter, whatever headings stand in it."""
    read = read_file(path)
    if read.faults:
        raise read.faults[0]
    # The chapters of a text file were cut before lines and join without a line feed of their own.
    joint = "" if path.suffix.lower() in (".txt", ".md") else "\n"
    text = joint.join(chapter.text for work in read.works for chapter in work.file.chapters)
    return Chapter(number, _chapter_title(path, text), text)


def _chapter_title(path: Path, text: str) -> str:
    """The heading that the text begins with, else the file's name without its number."""
    first = text.lstrip().partition("\n")[0]
    heading = heading_of(first)
    return heading.title if heading else _LEADING_NUMBER.sub("", path.stem).strip() or path.stem


def _each(folders: Sequence[Path], read_file: ReadFile) -> Intake | None:
    intake = Intake()
    for folder in folders:
        intake.take(_guarded(folder, read_file))
    return intake if folders else None


def _guarded(folder: Path, read_file: ReadFile) -> Intake:
    try:
        return read_folder(folder, read_file)
    except BadInput as fault:
        return Intake(faults=[fault])


def _nothing(folder: Path) -> Intake:
    suffixes = " ".join(sorted(CHAPTER_SUFFIXES))
    raise UnreadableFile(folder, f"holds no chapter files ({suffixes}) and no {WORKS_MANIFEST}")


def _described(intake: Intake, manifest: _Manifest) -> Intake:
    """The works of one listed file under what the manifest says of them."""
    for index, work in enumerate(intake.works):
        title = manifest.title if len(intake.works) == 1 else ""
        file = replace(work.file, title=title or work.file.title, author=manifest.author or work.file.author)
        intake.works[index] = FoundWork(
            file, work.source, manifest.kind, manifest.rights_holder, manifest.key or work.key
        )
    return intake


def _chapter_files(folder: Path) -> list[Path]:
    try:
        return [
            path
            for path in folder.iterdir()
            if path.suffix.lower() in CHAPTER_SUFFIXES and not path.name.startswith((".", "~$")) and path.is_file()
        ]
    except OSError as error:
        raise UnreadableFile(folder, f"cannot be read ({error.strerror or error})") from error


def _subfolders(folder: Path) -> list[Path]:
    found = (path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    return sorted(found, key=lambda path: natural_key(path.name))


def _inside(folder: Path, name: str, manifest: Path) -> Path:
    if not name:
        raise UnreadableFile(manifest, "a [[work]] table lacks its file")
    path = folder / name
    shown = storable(name if len(name) <= _MAX_SHOWN_CHARS else f"{name[:_MAX_SHOWN_CHARS]}...")
    try:
        is_inside = path.resolve().is_relative_to(folder.resolve())
        path.exists()
    except (OSError, ValueError, RuntimeError) as error:
        raise UnreadableFile(manifest, f"{shown} is no name that a file can have") from error
    if not is_inside:
        raise UnreadableFile(manifest, f"{shown} lies outside the folder; move it in")
    return path


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_bytes(path, MAX_MANIFEST_BYTES).decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UnreadableFile(path, "is not UTF-8; TOML files must be") from error
    except RecursionError as error:
        raise UnreadableFile(path, "is no TOML that can be read: it is nested too deeply") from error
    except ValueError as error:  # TOMLDecodeError, and numbers of more digits than Python reads
        raise UnreadableFile(path, f"is no TOML: {error}") from error


def _manifest(path: Path, table: Any, where: str = "") -> _Manifest:
    names = _Manifest.__dataclass_fields__
    if not isinstance(table, dict):
        raise UnreadableFile(path, f"{where}is no table")
    wrong = [name for name in names if not isinstance(table.get(name, ""), str)]
    if wrong:
        raise UnreadableFile(path, f"{where}{wrong[0]} is no string")
    return _Manifest(**{name: table.get(name, "").strip() for name in names})
