"""The verbs `bench quality`, `speed` and `extract`: how well and how fast copies are found. Nothing is stored."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import BadInput, UnreadableFile
from deploy.cli.bench_extract import extract
from deploy.cli.bench_speed import speed
from deploy.cli.faults import complain
from deploy.cli.output import counting, say, table

if TYPE_CHECKING:
    from laboratory.results import Results


def register(app: typer.Typer) -> None:
    """Add the verb to `app`."""
    bench = typer.Typer(
        help="How well and how fast copies are found and pages read.", no_args_is_help=True, rich_markup_mode=None
    )
    bench.command("quality")(quality)
    bench.command("speed")(speed)
    bench.command("extract")(extract)
    bench.callback()(_one_of_several)
    app.add_typer(bench, name="bench")


def quality(  # noqa: PLR0917 - options of a command
    engine: Annotated[
        str, typer.Option(metavar="NAME", help="zhuiwen, published engines (parted by commas), or all")
    ] = "zhuiwen",
    texts: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="make cases of these .txt and .jsonl files, not of the corpora"),
    ] = None,
    corpora: Annotated[Path | None, typer.Option(metavar="FOLDER", help="where the shared corpora are")] = None,
    cases: Annotated[Path | None, typer.Option(metavar="FOLDER", help="cases that --out wrote before")] = None,
    size: Annotated[str, typer.Option(metavar="SIZE", help="tiny, small or full")] = "small",
    seed: Annotated[int | None, typer.Option(help="another seed draws other cases")] = None,
    classes: Annotated[str, typer.Option(metavar="NAMES", help="only these, parted by commas")] = "",
    jobs: Annotated[int, typer.Option(min=1, help="processes that look pages up")] = 1,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="all figures, for programs")] = None,
    html_file: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="one page with curves")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FOLDER", help="write the cases and the matches there")] = None,
) -> None:
    """Make copies of real texts, look them up, and show how many were found and who was accused."""
    from laboratory.build import DEFAULT_SEED, SHARED_CORPORA
    from laboratory.conditions import SIZES
    from laboratory.measuring import Listener, Plan, classes_of, measure
    from laboratory.results import as_dict
    from laboratory.web_page import rendered

    if size not in SIZES:
        raise BadInput(f"there is no size {size}; choose {', '.join(SIZES)}")
    for path in (json_file, html_file):
        if path is not None and not path.parent.is_dir():
            raise UnreadableFile(path, "cannot be written: there is no such folder")
    plan = Plan(
        engine=engine,
        size=size,
        seed=DEFAULT_SEED if seed is None else seed,
        classes=frozenset(classes_of(classes)),
        corpora=corpora or SHARED_CORPORA,
        texts=texts,
        ready=cases,
        jobs=jobs,
        out=out,
    )
    results = measure(plan, Listener(complain, counting))
    _show(results)
    if json_file is not None:
        text = json.dumps(as_dict(results), ensure_ascii=False, indent=1)
        _write(json_file, (text + "\n").encode("utf-8", "surrogatepass"))
    if html_file is not None:
        _write(html_file, rendered(results))


def _one_of_several() -> None:
    """How well and how fast copies are found."""


def _show(results: "Results") -> None:
    from laboratory.tables import tables

    for number, each in enumerate(tables(results)):
        if number:
            say("")
        say(each.title)
        table(each.columns, each.rows, right=each.right)


def _write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise UnreadableFile(path, f"cannot be written ({error.strerror or error})") from error
    say(f"written to {path}")
