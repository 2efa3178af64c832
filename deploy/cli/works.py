"""The verbs `work add`, `work times`, `work list`, `work remove`, `work unprotect`, `work protect`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.counting import count_characters
from core.errors import BadInput, NotFound, UnreadableFile
from core.shares import cut_share, percentage
from core.taken import share_of_work
from core.wording import Message
from deploy.cli.faults import USAGE, complain, warn
from deploy.cli.keys import find_work
from deploy.cli.output import as_json, say, table
from deploy.cli.session import local_iso, local_time, session
from deploy.cli.work_plan import plan_lines

if TYPE_CHECKING:
    from core.settings import Settings
    from core.works import WorkFile
    from intake import FoundWork, Intake, ReadFile
    from records.models import RightsHolder, Work
    from records.works.catalogue import AddedWork, PlannedChange

# A text of one line of 100 MB took 3.3 GB to read and add (November 2026), 33 bytes for each byte; 32 MB take 1 GB.
# The longest novels have more than that in one file; split by chapters, each of them is read for itself.
MAX_TEXT_FILE_BYTES = 32 * 1024 * 1024
_TEXTS = frozenset({".txt", ".md", ".html", ".htm", ".xhtml"})
MAX_DOUBTS = 20  # lines about one work


def register(app: typer.Typer) -> None:
    """Add the verbs to `app`."""
    group = typer.Typer(help="The works to protect.", no_args_is_help=True, rich_markup_mode=None)
    group.command("add")(add)
    group.command("times")(times)
    group.command("list")(show)
    group.command("remove")(remove)
    group.command("unprotect")(unprotect)
    group.command("protect")(protect)
    app.add_typer(group, name="work")


def add(  # noqa: PLR0917 - options of a command
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...")],
    rights_holder: str = "",
    title: str = "",
    author: str = "",
    kind: str = "",
    is_plan: Annotated[bool, typer.Option("--plan")] = False,
) -> None:
    """Put works into the reference corpus. The same file again changes nothing; a changed one updates its work."""
    with session():
        from intake import BoundedReader, Intake, read_works

        intake = Intake()
        with BoundedReader() as reader:
            for path in paths:
                try:
                    intake.take(read_works(path, _modest(reader.read_file)))
                except BadInput as fault:
                    intake.faults.append(fault)
        if title and len(intake.works) > 1:
            raise BadInput("corpus.title-for-one", title=title, count=len(intake.works))
        take = _plan if is_plan else _put
        faults = [*intake.faults, *_each(intake.works, take, rights_holder, title, author, kind)]
    for each in faults:
        complain(each)
    if faults:
        raise typer.Exit(USAGE)


def _each(  # noqa: PLR0917 - options of a command
    works: "Sequence[FoundWork]",
    take: "Callable[[str, FoundWork], None]",
    rights_holder: str,
    title: str,
    author: str,
    kind: str,
) -> list[BadInput]:
    """Take each work as the options describe it; returns why some could not be."""
    from dataclasses import replace

    faults: list[BadInput] = []
    for found in works:
        file = replace(found.file, title=title or found.file.title, author=author or found.file.author)
        name = rights_holder or found.rights_holder
        try:
            take(name, replace(found, file=file, kind=kind or found.kind))
        except BadInput as fault:
            faults.append(BadInput("corpus.of-file", source=found.source, fault=fault))
    return faults


def _put(rights_holder: str, found: "FoundWork") -> None:
    """Add a work and say so, and where its texts stand already."""
    from records import stores
    from records.works import catalogue

    owner = catalogue.holder(rights_holder)
    store, outbox = stores.work_store(), stores.outbox()
    keep_missing = not found.is_whole
    planned = catalogue.planned_change(owner, found.file, keep_missing=keep_missing)
    elsewhere, _ = _standing(owner, planned)
    added = catalogue.add_work(owner, found.file, found.kind, store, outbox, keep_missing=keep_missing)
    say(_describe_added(added, sum(count_characters(chapter.text) for chapter in found.file.chapters)))
    for each in elsewhere:
        warn(each)
    _warn(found.file)


def _plan(rights_holder: str, found: "FoundWork") -> None:
    """Say what adding a work would change; nothing is written."""
    from records.works import catalogue

    try:
        owner = catalogue.find_holder(rights_holder) if rights_holder else catalogue.holder("")
    except NotFound:  # adding would make one
        owner = None
    planned = catalogue.planned_change(owner, found.file, keep_missing=not found.is_whole)
    for line in plan_lines(planned):
        say(line)
    elsewhere, unknown = _standing(owner, planned) if owner else ([], None)
    for each in (*elsewhere, *([unknown] if unknown else [])):
        warn(each)


def _standing(owner: "RightsHolder", planned: "PlannedChange") -> "tuple[list[Message], Message | None]":
    """Where the texts that come into a work stand already, and why that may not be all."""
    from records import stores
    from records.works.alike import standing_of

    (stands,) = standing_of(owner, [planned], stores.index())
    return [each.message(planned.title) for each in stands.standing], stands.unknown


def times(
    work: Annotated[str, typer.Argument(metavar="WORK")],
    path: Annotated[Path, typer.Argument(metavar="FILE")],
    rights_holder: str = "",
) -> None:
    """Write when chapters were officially published, from a table (CSV) of chapters and times."""
    with session() as settings:
        from zoneinfo import ZoneInfo

        from intake.plain import read_bytes
        from records.works import official_times

        found = _work_of(work, rights_holder)
        listed = official_times.read_bytes(read_bytes(path, official_times.MAX_BYTES), ZoneInfo(settings.web.time_zone))
        came = official_times.set_times(found, listed)
        say(Message("corpus.times-set", work=_named(found), count=came.changed))
        if came.unknown:
            named = [str(number) for number in came.unknown[:MAX_DOUBTS]]
            left = len(came.unknown) - len(named)
            more = [Message("corpus.and-more", count=left)] if left else []
            warn(Message("corpus.times-unknown", title=found.title, numbers=[*named, *more]))


def _modest(read_file: "ReadFile") -> "ReadFile":
    """`read_file` for files that are not too large to be held; raises UnreadableFile for others."""

    def read(path: Path) -> "Intake":
        if path.suffix.lower() in _TEXTS and _size(path) > MAX_TEXT_FILE_BYTES:
            size, limit = (number // (1024 * 1024) for number in (_size(path), MAX_TEXT_FILE_BYTES))
            raise UnreadableFile(path, "corpus.too-large", size=size, limit=limit)
        return read_file(path)

    return read


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except (OSError, ValueError):
        return 0  # the reading says what is wrong with it


def _warn(file: "WorkFile") -> None:
    """Say which chapters were accepted and can hardly be found."""
    from deploy.cli.findability import doubt

    doubts = [(chapter.number, why) for chapter in file.chapters if (why := doubt(chapter.text))]
    for number, why in doubts[:MAX_DOUBTS]:
        warn(Message("corpus.doubt", number=number, title=file.title, why=why))
    if len(doubts) > MAX_DOUBTS:
        warn(Message("corpus.more-doubts", title=file.title, count=len(doubts) - MAX_DOUBTS))


def _describe_added(added: "AddedWork", chars: int) -> Message:
    work = _named(added.work)
    if added.is_new:
        return Message("corpus.added", work=work, chapters=added.new, chars=chars)
    if added.is_unchanged:
        return Message("corpus.unchanged", work=work, chapters=added.unchanged)
    counts = [
        Message("corpus.new-chapters", count=added.new),
        Message("corpus.changed-chapters", count=added.changed),
        Message("corpus.removed-chapters", count=added.removed),
        Message("corpus.same-chapters", count=added.unchanged),
    ]
    return Message("corpus.updated", work=work, counts=[each for each in counts if each.params["count"]])


def _named(work: "Work") -> Message:
    owner = work.rights_holder.name
    if not work.author:
        return Message("corpus.work-alone", id=work.pk, title=work.title, rights_holder=owner)
    return Message("corpus.work", id=work.pk, title=work.title, author=work.author, rights_holder=owner)


def show(is_json: Annotated[bool, typer.Option("--json")] = False) -> None:
    """List the works."""
    with session() as settings:
        from django.db.models import Count, Q

        from records.matters.taken_of_works import taken_of
        from records.models import Case, Work

        works = Work.objects.select_related("rights_holder", "unprotected").annotate(
            total=Count("chapters"),
            indexed=Count("chapters", filter=Q(chapters__indexed_at__isnull=False)),
        )
        cases = dict(Case.objects.order_by().values_list("work_id").annotate(n=Count("pk")))
        taken = taken_of(Work.objects.all())
        listed = [_Listed(work, cases.get(work.pk, 0), taken.get(work.pk, 0)) for work in works.order_by("pk")]
        if is_json:
            as_json([each.record(settings) for each in listed])
            return
        rows = [each.cells(settings) for each in listed]
        table(_COLUMNS, rows, right=(_COLUMNS[0], *_COLUMNS[5:10]))


_COLUMNS = (
    "column.id",
    "column.title",
    "column.author",
    "column.kind",
    "column.rights-holder",
    "column.indexed",
    "column.characters",
    "column.cases",
    "column.taken",
    "column.share-taken",
    "column.added",
    "column.protection",
)


@dataclass(frozen=True, slots=True)
class _Listed:
    """A work with what was counted of it."""

    work: Any
    cases: int
    taken: int

    @property
    def unprotected(self) -> Any:
        """The mark of a work that is not protected; None for others."""
        return getattr(self.work, "unprotected", None)

    @property
    def share(self) -> float:
        return share_of_work(self.taken, self.work.counted_chars) or 0.0

    def record(self, settings: "Settings") -> dict[str, Any]:
        work = self.work
        return {
            "id": work.pk,
            "title": work.title,
            "author": work.author,
            "kind": work.kind,
            "rights_holder": work.rights_holder.name,
            "chapters": work.total,
            "indexed": work.indexed,
            "characters": work.counted_chars,
            "cases": self.cases,
            "taken_chars": self.taken,
            "work_chars": work.counted_chars,
            "share_taken": cut_share(self.share),
            "added": local_iso(work.added_at, settings),
            "unprotected": self.unprotected.reason if self.unprotected else None,
            "unprotected_note": self.unprotected.note if self.unprotected else "",
        }

    def cells(self, settings: "Settings") -> tuple[object, ...]:
        work = self.work
        return (
            work.pk,
            work.title,
            work.author,
            work.get_kind_display(),
            work.rights_holder.name,
            f"{work.indexed}/{work.total}",
            f"{work.counted_chars:,}",
            self.cases,
            f"{self.taken:,}",
            percentage(self.share),
            local_time(work.added_at, settings),
            self.unprotected.get_reason_display() if self.unprotected else "",
        )


def remove(
    work: Annotated[str, typer.Argument(metavar="WORK")],
    rights_holder: str = "",
) -> None:
    """Take a work out of the corpus. A work with cases stays: they need it as evidence."""
    with session():
        from records import stores
        from records.works import catalogue

        found = _work_of(work, rights_holder)
        number, title = found.pk, found.title
        say(Message("corpus.removed", id=number, title=title, chapters=catalogue.remove_work(found, stores.outbox())))


def unprotect(
    work: Annotated[str, typer.Argument(metavar="WORK")],
    reason: Annotated[str, typer.Option(metavar="REASON")],
    note: str = "",
    rights_holder: str = "",
) -> None:
    """Mark a work as not protected: what is found of it opens no case, and its undecided cases are set aside."""
    with session():
        from records.works import protection

        found = _work_of(work, rights_holder)
        mark = protection.mark_unprotected(found, reason.replace("-", "_"), note)
        say(Message("corpus.unprotected", work=_named(found), reason=str(mark.get_reason_display())))


def protect(
    work: Annotated[str, typer.Argument(metavar="WORK")],
    rights_holder: str = "",
) -> None:
    """Take back that a work is not protected: its cases open again, its other findings are compared again."""
    with session():
        from records.works import protection

        found = _work_of(work, rights_holder)
        is_marked = protection.mark_protected(found)
        say(Message("corpus.protected" if is_marked else "corpus.protected-before", work=_named(found)))


def _work_of(key: str, rights_holder: str) -> "Work":
    from records.works import catalogue

    return find_work(key, catalogue.find_holder(rights_holder) if rights_holder else None)
