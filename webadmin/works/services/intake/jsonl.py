"""Reads works from JSON lines: {"work_id", "title", "text", "author"?, "chapter"?, "published_at"?}.

Lines with the same id are chapters of one work. published_at: the official publication time of the chapter, with its
UTC offset.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from core.errors import BadInput, MalformedLine, UnreadableFile
from core.moments import parse_moment
from core.works import GIVEN, ChapterText, WorkFile
from crawler.characters.repertoire import count_han
from crawler.formats.plain import normalize_text
from webadmin.ui.services.json_lines import records
from webadmin.works.services.intake.division import FoundWork, Intake

MAX_FAULTS = 1_000  # A file with more faulty lines is of another kind; the rest are only counted.


@dataclass(slots=True)
class _Gathered:
    title: str
    author: str
    chapters: list[ChapterText] = field(default_factory=list)  # with the number 0 if the line has none

    def file(self) -> WorkFile:
        given = {chapter.number for chapter in self.chapters if 0 < chapter.number < 2**31}
        chapters = (
            [replace(chapter, number=number) for number, chapter in enumerate(self.chapters, 1)]
            if len(given) < len(self.chapters)
            else sorted(self.chapters, key=lambda chapter: chapter.number)
        )
        return WorkFile(self.title, self.author, tuple(chapters), GIVEN)


@dataclass(frozen=True, slots=True)
class _JsonLine:
    work_id: str
    title: str
    author: str
    chapter: ChapterText


def read_jsonl(path: Path) -> Intake:
    """Return the works in a JSON lines file, and an error for each of the first MAX_FAULTS malformed lines.

    Raises UnreadableFile if the file cannot be read or is empty.
    """
    intake = Intake()
    works: dict[str, _Gathered] = {}
    unlisted = 0

    def leave_out(fault: BadInput) -> None:
        nonlocal unlisted
        if len(intake.faults) < MAX_FAULTS:
            intake.faults.append(fault)
        else:
            unlisted += 1

    for record in records(path, leave_out):
        try:
            line = _parse_line(path, record.line_number, record.values)
        except MalformedLine as fault:
            leave_out(fault)
            continue
        work = works.setdefault(line.work_id, _Gathered(line.title, line.author))
        work.chapters.append(line.chapter)
    if unlisted:
        intake.faults.append(UnreadableFile(path, "intake.more-lines", count=unlisted))
    if not works and not intake.faults:
        raise UnreadableFile(path, "intake.empty")
    intake.works = [FoundWork(work.file(), path, is_whole=not intake.faults) for work in works.values()]
    return intake


def _parse_line(path: Path, number: int, record: dict[str, Any]) -> _JsonLine:
    for name in ("work_id", "title", "text"):
        if not isinstance(record.get(name), str) or not record[name].strip():
            raise MalformedLine(path, number, "intake.lacks-field", field=name)
    if not count_han(record["text"]):
        raise MalformedLine(path, number, "intake.text-no-chinese")
    chapter_number, chapter_title = _parse_chapter(path, number, record.get("chapter"))
    author = record.get("author") or ""
    if not isinstance(author, str):
        raise MalformedLine(path, number, "intake.author-no-string")
    published_at = _parse_published(path, number, record.get("published_at"))
    chapter = ChapterText(chapter_number or 0, chapter_title.strip(), normalize_text(record["text"]), published_at)
    return _JsonLine(record["work_id"], record["title"].strip(), author.strip(), chapter)


def _parse_chapter(path: Path, number: int, value: object) -> tuple[int | None, str]:
    if value is None:
        return None, ""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise MalformedLine(path, number, "intake.bad-chapter")
    return (value, "") if isinstance(value, int) else (None, value)


def _parse_published(path: Path, number: int, value: object) -> datetime | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise MalformedLine(path, number, "intake.published-no-string")
    try:
        return parse_moment(value, None)
    except BadInput as fault:
        raise MalformedLine(path, number, "intake.published-at", fault=fault) from fault
