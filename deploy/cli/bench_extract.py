"""The verb `bench extract`: how well saved pages are read, beside the published extractors. Nothing is stored."""

from pathlib import Path
from typing import Annotated

import typer

from deploy.cli.bench_output import require_folder, show, write_figures
from deploy.cli.faults import complain
from deploy.cli.output import say


def extract(  # noqa: PLR0917 - options of a command
    corpora: Annotated[Path | None, typer.Option(metavar="FOLDER")] = None,
    pages: Annotated[
        Path | None,
        typer.Option(metavar="PATH"),
    ] = None,
    parts: Annotated[str, typer.Option(metavar="NAMES")] = "",
    rounds: Annotated[int, typer.Option(min=1)] = 1,
    seed: int | None = None,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE")] = None,
) -> None:
    """Read saved pages with the crawler and with the published extractors, and show how much was found."""
    from laboratory.cases.build import DEFAULT_SEED, SHARED_CORPORA
    from laboratory.extraction.measured_parts import measure
    from laboratory.extraction.sections import ExtractPlan

    require_folder(json_file)
    plan = ExtractPlan(
        corpora=corpora or SHARED_CORPORA,
        seed=DEFAULT_SEED if seed is None else seed,
        pages=pages,
        rounds=rounds,
    )
    sections = measure(plan, [name.strip() for name in parts.split(",") if name.strip()], complain)
    for section in sections.values():
        for note in section.notes:
            say(note)
        show(section.tables)
    write_figures(json_file, {name: each.record for name, each in sections.items()})
