"""The verb `batch`: an archive of pages against works, in one process and without any service."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import BadInput
from deploy.cli.faults import FAILED, complain
from deploy.cli.output import counted, progress, say, table

if TYPE_CHECKING:
    from deploy.cli.archive import Summary, Works
    from deploy.cli.comparers import Method

SUFFIX = ".jsonl"


def register(app: typer.Typer) -> None:
    """Add the verb to `app`."""
    app.command("batch")(batch)


def batch(
    works: Annotated[Path, typer.Option(metavar="FILE", help='JSON lines: {"work_id", "title", "text"}')],
    pages: Annotated[Path, typer.Option(metavar="FILE", help='JSON lines: {"page_id", "text"} or {"page_id", "html"}')],
    out: Annotated[Path, typer.Option(metavar="FILE", help="JSON lines: a line for each page with a match")],
    *,
    exclude_same_id: Annotated[bool, typer.Option(help="leave out the work whose id is the page's")] = False,
    engine: Annotated[
        str, typer.Option(metavar="NAME", help="what compares, of `zhuiwen engines`; all: each into a file beside FILE")
    ] = "zhuiwen",
    algorithm: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="zhuiwen's own fingerprint; 1, 2, 5: anchors, 3: the published windows, 4: both"
        ),
    ] = None,
    page_step: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="tokens between a page's windows, with 3 and 4; published: 32"),
    ] = None,
) -> None:
    """Compare many pages with many works. Malformed lines are named, left out, and make the exit code 1."""
    from deploy.cli.archive import Works
    from deploy.cli.comparers import ALL, engine_names, method_of

    names, method = engine_names(engine), method_of(engine, algorithm, page_step)
    files = {name: _beside(out, name) if engine == ALL else out for name in names}
    for file in files.values():
        _require_unread(file, works, pages)
    archive = Works.of(works, _complain)
    summaries = {
        # Every engine reads the same pages: what is wrong with them is told once.
        name: _compared(name, method, archive, pages, file, exclude_same_id=exclude_same_id, is_first=name == names[0])
        for name, file in files.items()
    }
    if engine == ALL:
        _tabulate(files, summaries)
    _summarize(archive, summaries[names[0]], names[0] if engine != ALL else "", out)


def _compared(
    name: str, method: "Method", works: "Works", pages: Path, out: Path, *, exclude_same_id: bool, is_first: bool
) -> "Summary":
    """One engine at a time is in memory."""
    from deploy.cli.archive import compared_into
    from deploy.cli.comparers import comparer_of

    with progress(f"pages by {name}") as meter:
        return compared_into(
            out,
            comparer_of(name, works.texts, method),
            pages,
            exclude_same_id=exclude_same_id,
            complain=_complain if is_first else lambda _: None,
            on_progress=meter.text,
        )


def _tabulate(files: dict[str, Path], summaries: dict[str, "Summary"]) -> None:
    from deploy.cli.comparers import gives_spans

    rows = [
        (name, f"{summary.matched:,}", "yes" if gives_spans(name) else "no", files[name])
        for name, summary in summaries.items()
    ]
    table(("engine", "pages matched", "spans", "file"), rows, right=("pages matched",))


def _summarize(works: "Works", summary: "Summary", name: str, out: Path) -> None:
    """The last line. name: of the engine, empty where there were several."""
    from deploy.cli.comparers import gives_spans

    skipped = summary.skipped + works.skipped
    matched = f" {summary.matched:,} with a match," if name else ""
    written = f"; written to {out}" if name else ""
    spans = "" if not name or gives_spans(name) else f"; {name} gives no spans"
    say(
        f"{summary.pages:,} pages compared with {len(works.texts):,} works:{matched} "
        f"{summary.without_text:,} without a text, {counted(skipped, 'line')} skipped{written}{spans}"
    )
    if skipped:
        raise typer.Exit(FAILED)


def _beside(out: Path, name: str) -> Path:
    """OUT.NAME.jsonl for an --out of OUT.jsonl."""
    return out.with_name(f"{out.stem}.{name}{out.suffix or SUFFIX}")


def _require_unread(out: Path, *inputs: Path) -> None:
    for path in inputs:
        if out.resolve() == path.resolve():
            raise BadInput(f"--out {out} is also read; choose another file")


def _complain(fault: BadInput) -> None:
    complain(str(fault))
