"""The verb `engines`: what `batch --engine` can compare with."""

from typing import Annotated

import typer

from deploy.cli.output import table

OWN_SUMMARY = "the product's own matcher: anchors, verification, spans and classes; the default"


def register(app: typer.Typer) -> None:
    """Add the verb to `app`."""
    app.command("engines")(engines)


def engines(
    is_plain: Annotated[bool, typer.Option("--plain", help="one name a line, for programs")] = False,
) -> None:
    """List the engines that pages can be compared with: the product's own and the published ones."""
    from deploy.cli.comparers import OWN
    from fingerprint.engines.catalogue import ENGINES

    if is_plain:
        for name in (OWN, *ENGINES):
            typer.echo(name)
        return
    rows = [(entry.name, "yes" if entry.gives_spans else "no", entry.summary_en) for entry in ENGINES.values()]
    table(("engine", "spans", "what it is"), [(OWN, "yes", OWN_SUMMARY), *rows])
