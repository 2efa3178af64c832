"""The verbs of `bench`: how well and how fast copies are found, pages read, and cases shown. Nothing is stored."""

from pathlib import Path
from typing import Annotated

import typer

from core.errors import BadInput
from core.wording import Message
from deploy.cli.bench_admin import admin
from deploy.cli.bench_extract import extract
from deploy.cli.bench_output import require_folder, show, write, write_figures
from deploy.cli.bench_speed import speed
from deploy.cli.faults import complain
from deploy.cli.output import counting


def register(app: typer.Typer) -> None:
    """Add the verb to `app`."""
    bench = typer.Typer(
        help="How well and how fast copies are found, pages read and cases shown.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    bench.command("quality")(quality)
    bench.command("speed")(speed)
    bench.command("extract")(extract)
    bench.command("admin")(admin)
    bench.callback()(_one_of_several)
    app.add_typer(bench, name="bench")


def quality(  # noqa: PLR0917 - options of a command
    engine: Annotated[str, typer.Option(metavar="NAME")] = "zhuiwen",
    texts: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER"),
    ] = None,
    corpora: Annotated[Path | None, typer.Option(metavar="FOLDER")] = None,
    cases: Annotated[Path | None, typer.Option(metavar="FOLDER")] = None,
    size: Annotated[str, typer.Option(metavar="SIZE")] = "small",
    seed: int | None = None,
    classes: Annotated[str, typer.Option(metavar="NAMES")] = "",
    parts: Annotated[str, typer.Option(metavar="NAMES")] = "cases",
    jobs: Annotated[int, typer.Option(min=1)] = 1,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE")] = None,
    html_file: Annotated[Path | None, typer.Option("--html", metavar="FILE")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FOLDER")] = None,
) -> None:
    """Make copies of real texts, look them up, and show how many were found and who was accused."""
    from laboratory.cases.build import DEFAULT_SEED, SHARED_CORPORA
    from laboratory.cases.conditions import SIZES
    from laboratory.measures.quality import Listener, Plan, classes_of, measure
    from laboratory.measures.results import as_dict
    from laboratory.measures.tables import tables
    from laboratory.measures.web_page import rendered

    if size not in SIZES:
        raise BadInput("cli.choose", what=Message("cli.size"), name=size, choices=list(SIZES))
    require_folder(json_file)
    require_folder(html_file)
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
        parts=frozenset(name.strip() for name in parts.split(",")),
    )
    results = measure(plan, Listener(complain, counting))
    show(tables(results))
    write_figures(json_file, as_dict(results))
    if html_file is not None:
        write(html_file, rendered(results))


def _one_of_several() -> None:
    """How well and how fast copies are found."""
