"""The verb `batch`: an archive of pages against works, in one process and without any service."""

from pathlib import Path
from typing import Annotated

import typer

from core.errors import BadInput
from deploy.cli.faults import FAILED, complain
from deploy.cli.output import counted, progress, say


def register(app: typer.Typer) -> None:
    """Add the verb to `app`."""
    app.command("batch")(batch)


def batch(
    works: Annotated[Path, typer.Option(metavar="FILE", help='JSON lines: {"work_id", "title", "text"}')],
    pages: Annotated[Path, typer.Option(metavar="FILE", help='JSON lines: {"page_id", "text"} or {"page_id", "html"}')],
    out: Annotated[Path, typer.Option(metavar="FILE", help="JSON lines: a line for each page with a match")],
    exclude_same_id: Annotated[bool, typer.Option(help="leave out the work whose id is the page's")] = False,
) -> None:
    """Compare many pages with many works. Malformed lines are named, left out, and make the exit code 1."""
    from deploy.cli.archive import Archive, compared_into

    for path in (works, pages):
        if out.resolve() == path.resolve():
            raise BadInput(f"--out {out} is also read; choose another file")
    archive = Archive.of(works, _complain)
    with progress("pages") as meter:
        summary = compared_into(
            out, archive, pages, exclude_same_id=exclude_same_id, complain=_complain, on_progress=meter.text
        )
    skipped = summary.skipped + archive.skipped
    say(
        f"{summary.pages:,} pages compared with {archive.works:,} works: {summary.matched:,} with a match, "
        f"{summary.without_text:,} without a text, {counted(skipped, 'line')} skipped; written to {out}"
    )
    if skipped:
        raise typer.Exit(FAILED)


def _complain(fault: BadInput) -> None:
    complain(str(fault))
