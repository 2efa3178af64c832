"""The `batch` command: compares an archive of pages with works, without any service."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import BadInput
from core.wording import Message
from webadmin.ui.console.faults import FAILED, complain
from webadmin.ui.console.interrupts import raise_on_termination
from webadmin.ui.console.output import as_json, print_line, print_table, progress

if TYPE_CHECKING:
    from deploy.cli.archive import ComparedWorks, Summary
    from deploy.cli.comparers import Method

SUFFIX = ".jsonl"


def batch(
    works: Annotated[Path, typer.Option(metavar="FILE")],
    pages: Annotated[Path, typer.Option(metavar="FILE")],
    out: Annotated[Path, typer.Option(metavar="FILE")],
    *,
    exclude_same_id: bool = False,
    changes: bool = False,
    reworded: bool = False,
    engine: Annotated[str, typer.Option(metavar="NAME")] = "zhuiwen",
    algorithm: Annotated[int | None, typer.Option(metavar="N")] = None,
    page_step: Annotated[int | None, typer.Option(metavar="N", min=1)] = None,
    processes: Annotated[int | None, typer.Option(metavar="N", min=1)] = None,
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Compare many pages with many works. Malformed lines are reported, skipped, and make the exit code 1."""
    from deploy.cli.archive import ComparedWorks
    from deploy.cli.comparers import ALL, engine_names, parse_method
    from deploy.cli.engines import OWN

    names, method = engine_names(engine), parse_method(engine, algorithm, page_step)
    if reworded and names != (OWN,):
        raise BadInput("batch.reworded-own", own=OWN, engine=engine)
    files = {name: _engine_path(out, name) if engine == ALL else out for name in names}
    for file in files.values():
        _require_unread(file, works, pages)
    archive = ComparedWorks.from_file(works, complain)
    summaries = {
        # All engines read the same pages, so malformed lines are reported only once.
        name: _compare_pages(
            name,
            method,
            archive,
            pages,
            file,
            exclude_same_id=exclude_same_id,
            with_changes=changes,
            with_reworded=reworded,
            processes=processes,
            is_first=name == names[0],
        )
        for name, file in files.items()
    }
    if is_json:
        as_json([_engine_record(name, archive, summaries[name], file) for name, file in files.items()])
    else:
        if engine == ALL:
            _print_table(files, summaries)
        _print_summary(archive, summaries[names[0]], names[0] if engine != ALL else "", out)
    if summaries[names[0]].skipped + archive.skipped:
        raise typer.Exit(FAILED)


def _engine_record(name: str, works: "ComparedWorks", summary: "Summary", file: Path) -> dict[str, object]:
    return {
        "engine": name,
        "file": str(file),
        "works": len(works.texts),
        "pages": summary.pages,
        "matched": summary.matched,
        "without_text": summary.without_text,
        "skipped": summary.skipped + works.skipped,
    }


def _compare_pages(
    name: str,
    method: "Method",
    works: "ComparedWorks",
    pages: Path,
    out: Path,
    *,
    exclude_same_id: bool,
    with_changes: bool,
    with_reworded: bool,
    processes: int | None,
    is_first: bool,
) -> "Summary":
    """Compare all pages with one engine and return the counts.

    name: the engine. is_first: whether to report malformed lines. Only one engine at a time is in memory.
    """
    from deploy.cli.archive import write_comparison
    from deploy.cli.comparers import make_comparer
    from deploy.cli.comparing_processes import default_processes

    with raise_on_termination(), progress(Message("batch.pages-by", engine=name)) as meter:
        comparer = make_comparer(name, works.texts, method, with_changes=with_changes)
        if with_reworded:
            from deploy.cli.reworded_comparer import RewordedComparer, detect_scripts

            with progress(Message("reworded.encoding")) as reading:
                comparer = RewordedComparer(comparer, works.texts, detect_scripts(pages), reading.update)
        return write_comparison(
            out,
            comparer,
            pages,
            exclude_same_id=exclude_same_id,
            processes=processes or default_processes(),
            complain=complain if is_first else lambda _: None,
            on_progress=meter.text,
        )


def _print_table(files: dict[str, Path], summaries: dict[str, "Summary"]) -> None:
    from deploy.cli.comparers import gives_spans

    rows = [
        (name, f"{summary.matched:,}", Message("cli.yes" if gives_spans(name) else "cli.no"), files[name])
        for name, summary in summaries.items()
    ]
    right = ("column.pages-matched",)
    print_table(("column.engine", "column.pages-matched", "column.spans", "column.out-file"), rows, right=right)


def _print_summary(works: "ComparedWorks", summary: "Summary", name: str, out: Path) -> None:
    """Print the counts and the output file. name: the engine, or "" if there are several."""
    from deploy.cli.comparers import gives_spans

    counts = {
        "pages": summary.pages,
        "works": len(works.texts),
        "without_text": summary.without_text,
        "skipped": summary.skipped + works.skipped,
    }
    if name:
        matched = Message("batch.matched", matched=summary.matched)
        told = Message("batch.written", summary=Message("batch.summary", outcome=matched, **counts), path=out)
        print_line(told if gives_spans(name) else Message("batch.no-spans", summary=told, engine=name))
    else:
        print_line(Message("batch.summary-all", **counts))


def _engine_path(out: Path, name: str) -> Path:
    """Return the path of an engine's output, such as OUT.NAME.jsonl for the option `--out OUT.jsonl`."""
    return out.with_name(f"{out.stem}.{name}{out.suffix or SUFFIX}")


def _require_unread(out: Path, *inputs: Path) -> None:
    for path in inputs:
        if out.resolve() == path.resolve():
            raise BadInput("batch.also-read", path=out)
