"""The verb `engines`: what `batch --engine` can compare with."""

from typing import Annotated

import typer

from core.wording import Message
from deploy.cli.output import as_json, table
from deploy.words import CHINESE, language

OWN = "zhuiwen"


def register(app: typer.Typer) -> None:
    """Add the verb to `app`."""
    app.command("engines")(engines)


def engines(
    is_plain: Annotated[bool, typer.Option("--plain")] = False,
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """List the engines that pages can be compared with: the product's own and the published ones."""
    from fingerprint.engines.catalogue import ENGINES

    own = Message("batch.own")
    if is_plain:
        for name in (OWN, *ENGINES):
            typer.echo(name)
        return
    if is_json:
        published = [(entry.name, entry.gives_spans, entry.summary_en) for entry in ENGINES.values()]
        rows = [(OWN, True, own), *published]
        as_json([dict(zip(("name", "gives_spans", "summary"), row, strict=True)) for row in rows])
        return
    is_chinese = language() == CHINESE
    published = [(e.name, e.gives_spans, e.summary_zh if is_chinese else e.summary_en) for e in ENGINES.values()]
    cells = [
        (name, Message("cli.yes" if gives_spans else "cli.no"), summary)
        for name, gives_spans, summary in ((OWN, True, own), *published)
    ]
    table(("column.engine", "column.spans", "column.what-it-is"), cells)
