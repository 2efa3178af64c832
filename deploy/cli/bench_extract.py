"""The verb `bench extract`: how well saved pages are read, beside the published extractors. Nothing is stored."""

import json
from pathlib import Path
from typing import Annotated

import typer

from core.errors import UnreadableFile
from deploy.cli.faults import complain
from deploy.cli.output import say, table


def extract(  # noqa: PLR0917 - options of a command
    corpora: Annotated[Path | None, typer.Option(metavar="FOLDER", help="where the shared corpora are")] = None,
    pages: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="saved pages with a manifest.jsonl, in a folder or a .tar.gz"),
    ] = None,
    parts: Annotated[str, typer.Option(metavar="NAMES", help="only these, parted by commas")] = "",
    rounds: Annotated[int, typer.Option(min=1, help="how often each extractor is timed; the best counts")] = 1,
    seed: Annotated[int | None, typer.Option(help="another seed draws other samples")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="all figures, for programs")] = None,
) -> None:
    """Read saved pages with the crawler and with the published extractors, and show how much was found."""
    from laboratory.build import DEFAULT_SEED, SHARED_CORPORA
    from laboratory.extract import measure
    from laboratory.extract_sections import ExtractPlan

    if json_file is not None and not json_file.parent.is_dir():
        raise UnreadableFile(json_file, "cannot be written: there is no such folder")
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
        for each in section.tables:
            say("")
            say(each.title)
            table(each.columns, each.rows, right=each.right)
    if json_file is not None:
        _write(
            json_file, json.dumps({name: each.record for name, each in sections.items()}, ensure_ascii=False, indent=1)
        )


def _write(path: Path, content: str) -> None:
    try:
        path.write_bytes((content + "\n").encode("utf-8", "surrogatepass"))
    except OSError as error:
        raise UnreadableFile(path, f"cannot be written ({error.strerror or error})") from error
    say(f"written to {path}")
