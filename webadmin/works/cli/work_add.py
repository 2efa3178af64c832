"""The `work add` command, which adds works from files, or prints the changes with --plan."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.counting import count_characters
from core.errors import BadInput, NotFound, UnreadableFile
from core.wording import Message
from webadmin.ui.console.faults import USAGE, complain, warn
from webadmin.ui.console.output import as_json, print_line
from webadmin.ui.console.session import session
from webadmin.works.cli.work_plan import plan_lines, plan_record

if TYPE_CHECKING:
    from webadmin.accounts.models import RightsHolder
    from webadmin.works.models import Work
    from webadmin.works.services.catalogue import AddedWork, PlannedChange
    from webadmin.works.services.intake.division import FoundWork, Intake
    from webadmin.works.services.intake.folder import ReadFile

# Reading and adding a text of one line takes 33 bytes of memory for each byte (November 2026), or 1 GB for 32 MB.
# The longest novels exceed this size in one file. If they are split by chapters, each file is read separately.
MAX_TEXT_FILE_BYTES = 32 * 1024 * 1024
_TEXTS = frozenset({".txt", ".md", ".html", ".htm", ".xhtml"})
MAX_DOUBTS = 20  # lines for one work
# A copy of a text that repeats 2 to 6 characters is not found; a copy of one that repeats 8 to 23 characters is found
# (November 2026, 400 characters). Any 23 characters of the demo's works have at least 9 different readings.
MIN_DIFFERENT_READINGS = 8
HEAD_CHARS = 4_000  # For nearly every chapter, its beginning suffices to see that copies can be found.


def add(  # noqa: PLR0917 - options of a command
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...")],
    rights_holder: str = "",
    title: str = "",
    author: str = "",
    kind: str = "",
    chapters: Annotated[str, typer.Option(metavar="STYLE")] = "",
    is_plan: Annotated[bool, typer.Option("--plan")] = False,
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Add works to the reference corpus. A changed file updates its work; an unchanged file has no effect."""
    with session():
        intake = _read_paths(paths)
        if title and len(intake.works) > 1:
            raise BadInput("corpus.title-for-one", title=title, count=len(intake.works))
        records, faults = list[dict[str, Any]](), list(intake.faults)
        for found in intake.works:
            file = replace(found.file, title=title or found.file.title, author=author or found.file.author)
            described = replace(found, file=file, kind=kind)
            take = _plan_work if is_plan else _add_work
            try:
                record, lines = take(rights_holder, described, chapters)
            except UnreadableFile as fault:
                faults.append(fault)
                continue
            except BadInput as fault:
                faults.append(BadInput("corpus.of-file", source=found.source, fault=fault))
                continue
            records.append(record)
            for line in () if is_json else lines:
                print_line(line)
            for note in record["notes"]:
                warn(note)
        if is_json:
            as_json({"works": records, "left_out": faults})
    for each in faults:
        complain(each)
    if faults:
        raise typer.Exit(USAGE)


def _read_paths(paths: Sequence[Path]) -> "Intake":
    from webadmin.works.services.intake.bounded import BoundedReader
    from webadmin.works.services.intake.division import Intake
    from webadmin.works.services.intake.files import read_works

    intake = Intake()
    with BoundedReader() as reader:
        for path in paths:
            try:
                intake.take(read_works(path, _limit_file_size(reader.read_file)))
            except BadInput as fault:
                intake.faults.append(fault)
    return intake


def _add_work(rights_holder: str, read: "FoundWork", style: str) -> tuple[dict[str, Any], list[Message]]:
    """Add the work `read`, divided by the heading style `style`. Returns a JSON record and the lines to print."""
    from webadmin import stores
    from webadmin.accounts.services import holders
    from webadmin.works.services import catalogue
    from webadmin.works.services.intake.division import divide_work

    found = divide_work(read, style)
    owner = holders.holder(rights_holder)
    keep_missing = not found.is_whole
    planned = catalogue.planned_change(owner, found.file, keep_missing=keep_missing)
    elsewhere, _ = _alike_messages(owner, planned)
    store, outbox = stores.work_store(), stores.outbox()
    added = catalogue.add_work(owner, found.file, found.kind, store, outbox, keep_missing=keep_missing)
    texts = [chapter.text for chapter in found.file.chapters]
    record = _added_record(added, len(texts), sum(map(count_characters, texts)))
    record["notes"] = [*found.file.flaws, *elsewhere, *_doubtful_chapters(found)]
    return record, [_describe_added(added, record["characters"])]


def _plan_work(rights_holder: str, read: "FoundWork", style: str) -> tuple[dict[str, Any], list[Message]]:
    """Return the changes that adding the work `read` would make, as a JSON record and as lines. Nothing is written."""
    from webadmin.accounts.services import holders
    from webadmin.works.services import catalogue
    from webadmin.works.services.intake.division import divide_work, divisions

    found, ways = divide_work(read, style), divisions(read)
    try:
        owner = holders.find_holder(rights_holder) if rights_holder else holders.holder("")
    except NotFound:  # adding would create it
        owner = None
    planned = catalogue.planned_change(owner, found.file, keep_missing=not found.is_whole)
    elsewhere, unknown = _alike_messages(owner, planned) if owner else ([], None)
    record = plan_record(planned, owner.name if owner else rights_holder, found, ways)
    record["notes"] = [*found.file.flaws, *elsewhere, *([unknown] if unknown else [])]
    return record, list(plan_lines(planned, record, ways))


def _alike_messages(owner: "RightsHolder", planned: "PlannedChange") -> "tuple[list[Message], Message | None]":
    """Return messages about works that already have the texts, and the reason if the search is incomplete, or None."""
    from webadmin import stores
    from webadmin.works.services.alike import find_alike_works

    (stands,) = find_alike_works(owner, [planned], stores.index())
    return [each.message(planned.title) for each in stands.standing], stands.unknown


def _limit_file_size(read_file: "ReadFile") -> "ReadFile":
    """Return `read_file` with a size limit: text files over MAX_TEXT_FILE_BYTES raise UnreadableFile."""

    def read(path: Path) -> "Intake":
        if path.suffix.lower() in _TEXTS and _file_size(path) > MAX_TEXT_FILE_BYTES:
            size, limit = (number // (1024 * 1024) for number in (_file_size(path), MAX_TEXT_FILE_BYTES))
            raise UnreadableFile(path, "corpus.too-large", size=size, limit=limit)
        return read_file(path)

    return read


def _file_size(path: Path) -> int:
    try:
        return path.stat().st_size
    except (OSError, ValueError):
        return 0  # Reading the file reports the error.


def _doubtful_chapters(found: "FoundWork") -> Iterator[Message]:
    """Yield a message for each of the first MAX_DOUBTS chapters whose copies can hardly be found, and for the rest."""
    title = found.file.title
    doubts = [(chapter.number, why) for chapter in found.file.chapters if (why := doubt(chapter.text))]
    for number, why in doubts[:MAX_DOUBTS]:
        yield Message("corpus.doubt", number=number, title=title, why=why)
    if len(doubts) > MAX_DOUBTS:
        yield Message("corpus.more-doubts", title=title, count=len(doubts) - MAX_DOUBTS)


def doubt(text: str) -> Message | None:
    """Return why copies of `text` can hardly be found, as the end of a sentence, or None if they can be found.

    >>> str(doubt("渡口的灯。"))
    'has too few characters with a reading (4); below 23, no copy can be found'
    """
    return _matching_warning(text[:HEAD_CHARS]) and _matching_warning(text)


def _matching_warning(text: str) -> Message | None:
    import numpy as np

    from fingerprint.normalization import normalize
    from fingerprint.stream import WILDCARD
    from matcher.calibration import DEFAULT

    tokens = normalize(text).tokens
    readings = tokens[tokens != WILDCARD]
    if readings.size < DEFAULT.min_matched_tokens:
        return Message("corpus.too-short", count=readings.size, least=DEFAULT.min_matched_tokens)
    different = np.unique(readings).size
    if different < MIN_DIFFERENT_READINGS:
        return Message("corpus.repeats", count=different)
    return None


def _added_record(added: "AddedWork", chapters: int, characters: int) -> dict[str, Any]:
    work = added.work
    return {
        "id": work.pk,
        "title": work.title,
        "author": work.author,
        "rights_holder": work.rights_holder.name,
        "is_new": added.is_new,
        "chapters": chapters,
        "characters": characters,
        "new": added.new,
        "changed": added.changed,
        "removed": added.removed,
        "unchanged": added.unchanged,
    }


def _describe_added(added: "AddedWork", characters: int) -> Message:
    work = describe_work(added.work)
    if added.is_new:
        return Message("corpus.added", work=work, chapters=added.new, chars=characters)
    if added.is_unchanged:
        return Message("corpus.unchanged", work=work, chapters=added.unchanged)
    counts = [
        Message("corpus.new-chapters", count=added.new),
        Message("corpus.changed-chapters", count=added.changed),
        Message("corpus.removed-chapters", count=added.removed),
        Message("corpus.same-chapters", count=added.unchanged),
    ]
    return Message("corpus.updated", work=work, counts=[each for each in counts if each.params["count"]])


def describe_work(work: "Work") -> Message:
    """Return a message that names a work with its number, author (if any) and rights holder."""
    owner = work.rights_holder.name
    if not work.author:
        return Message("corpus.work-alone", id=work.pk, title=work.title, rights_holder=owner)
    return Message("corpus.work", id=work.pk, title=work.title, author=work.author, rights_holder=owner)
