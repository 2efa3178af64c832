"""The verbs `work add`, `work list`, `work remove`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import BadInput, UnreadableFile
from deploy.cli.faults import USAGE, complain
from deploy.cli.keys import find_work
from deploy.cli.output import as_json, counted, say, table
from deploy.cli.session import local_iso, local_time, session

if TYPE_CHECKING:
    from core.works import WorkFile
    from webadmin.catalogue import AddedWork
    from webadmin.intake import FoundWork, Intake, ReadFile

# A text of one line of 100 MB took 3.3 GB to read and add (November 2026), 33 bytes for each byte; 32 MB take 1 GB.
# The longest novels have more than that in one file; split by chapters, each of them is read for itself.
MAX_TEXT_FILE_BYTES = 32 * 1024 * 1024
_TEXTS = frozenset({".txt", ".md", ".html", ".htm", ".xhtml"})
MAX_DOUBTS = 20  # lines about one work


def register(app: typer.Typer) -> None:
    """Add the verbs to `app`."""
    group = typer.Typer(help="The works to protect.", no_args_is_help=True, rich_markup_mode=None)
    group.command("add")(add)
    group.command("list")(show)
    group.command("remove")(remove)
    app.add_typer(group, name="work")


def add(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH...", help="txt, md, epub, docx, html, jsonl, or a folder of chapters")
    ],
    rights_holder: Annotated[str, typer.Option(help="who owns them; made if new. Needed where there are several")] = "",
    title: Annotated[str, typer.Option(help="of the one work that PATH is")] = "",
    author: Annotated[str, typer.Option(help="of every work given")] = "",
    kind: Annotated[str, typer.Option(help="novel, news, essay, story or other")] = "",
) -> None:
    """Put works into the mother corpus. The same file again changes nothing; a changed one updates its work."""
    with session():
        from webadmin.intake import BoundedReader, Intake, read_works

        intake = Intake()
        with BoundedReader() as reader:
            for path in paths:
                try:
                    intake.take(read_works(path, _modest(reader.read_file)))
                except BadInput as fault:
                    intake.faults.append(fault)
        if title and len(intake.works) > 1:
            raise BadInput(f"--title {title} is for one work, and {len(intake.works)} were given; leave it out")
        faults = [*intake.faults, *_put(intake.works, rights_holder, title, author, kind)]
    for each in faults:
        complain(str(each))
    if faults:
        raise typer.Exit(USAGE)


def _put(works: "Sequence[FoundWork]", rights_holder: str, title: str, author: str, kind: str) -> list[BadInput]:
    """Add each work and say so; returns why some could not be."""
    from dataclasses import replace

    from webadmin import catalogue, stores

    faults: list[BadInput] = []
    for found in works:
        file = replace(found.file, title=title or found.file.title, author=author or found.file.author)
        try:
            owner = catalogue.holder(rights_holder or found.rights_holder)
            store, outbox = stores.work_store(), stores.outbox()
            added = catalogue.add_work(owner, file, kind or found.kind, store, outbox, keep_missing=not found.is_whole)
        except BadInput as fault:
            faults.append(BadInput(f"{found.source}: {fault}"))
            continue
        say(_told(added, sum(len(chapter.text) for chapter in file.chapters)))
        _warn(file)
    return faults


def _modest(read_file: "ReadFile") -> "ReadFile":
    """`read_file` for files that are not too large to be held; raises UnreadableFile for others."""

    def read(path: Path) -> "Intake":
        if path.suffix.lower() in _TEXTS and _size(path) > MAX_TEXT_FILE_BYTES:
            size, limit = (number // (1024 * 1024) for number in (_size(path), MAX_TEXT_FILE_BYTES))
            remedy = "split it by chapters, a file each, and add their folder"
            raise UnreadableFile(path, f"has {size} MB, and a text file may have {limit} MB; {remedy}")
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
        complain(f"warning: chapter {number} of 《{file.title}》 {why}")
    if len(doubts) > MAX_DOUBTS:
        complain(f"warning: so it is with {len(doubts) - MAX_DOUBTS:,} more chapters of 《{file.title}》")


def _told(added: "AddedWork", chars: int) -> str:
    work = added.work
    name = f"{work.pk} 《{work.title}》{work.author and f' {work.author}'} ({work.rights_holder.name})"
    if added.is_new:
        return f"added {name}: {counted(added.new, 'chapter')}, {chars:,} characters"
    if added.is_unchanged:
        return f"unchanged {name}: {counted(added.unchanged, 'chapter')}"
    counts = {"new": added.new, "changed": added.changed, "removed": added.removed, "unchanged": added.unchanged}
    return f"updated {name}: " + ", ".join(f"{count} {what}" for what, count in counts.items() if count)


def show(is_json: Annotated[bool, typer.Option("--json", help="for programs")] = False) -> None:
    """List the works."""
    with session() as settings:
        from django.db.models import Count, Q, Sum

        from webadmin.models import Case, Work

        works = list(
            Work.objects.select_related("rights_holder")
            .annotate(
                total=Count("chapters"),
                indexed=Count("chapters", filter=Q(chapters__indexed_at__isnull=False)),
                chars=Sum("chapters__chars"),
            )
            .order_by("pk")
        )
        cases = dict(Case.objects.order_by().values_list("work_id").annotate(n=Count("pk")))
        if is_json:
            as_json(
                [
                    {
                        "id": work.pk,
                        "title": work.title,
                        "author": work.author,
                        "kind": work.kind,
                        "rights_holder": work.rights_holder.name,
                        "chapters": work.total,
                        "indexed": work.indexed,
                        "characters": work.chars or 0,
                        "cases": cases.get(work.pk, 0),
                        "added": local_iso(work.added_at, settings),
                    }
                    for work in works
                ]
            )
            return
        rows = [
            (
                work.pk,
                work.title,
                work.author,
                work.kind,
                work.rights_holder.name,
                f"{work.indexed}/{work.total}",
                f"{work.chars or 0:,}",
                cases.get(work.pk, 0),
                local_time(work.added_at, settings),
            )
            for work in works
        ]
        columns = ("id", "title", "author", "kind", "rights holder", "indexed", "characters", "cases", "added")
        table(columns, rows, right=("id", "indexed", "characters", "cases"))


def remove(
    work: Annotated[str, typer.Argument(metavar="WORK", help="its number or title")],
    rights_holder: Annotated[str, typer.Option(help="where several have a work of that title")] = "",
) -> None:
    """Take a work out of the corpus. A work with cases stays: they need it as evidence."""
    with session():
        from webadmin import catalogue, stores

        owner = catalogue.find_holder(rights_holder) if rights_holder else None
        found = find_work(work, owner)
        name = f"{found.pk} 《{found.title}》"
        chapters = catalogue.remove_work(found, stores.outbox())
        say(f"removed {name}: {counted(chapters, 'chapter')}")
