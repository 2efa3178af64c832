"""The verb `evidence`: `export` and `status` need the installation, `verify` nothing but the file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import BadInput, RetryLater

if TYPE_CHECKING:
    from core.settings import Settings
    from evidence.verify import Report


def register(app: typer.Typer) -> None:
    """Add the verbs to `app`."""
    group = typer.Typer(help="Evidence that stands alone.", no_args_is_help=True, rich_markup_mode=None)
    group.command("export")(export)
    group.command("verify")(verify)
    group.command("status")(status)
    app.add_typer(group, name="evidence")


def export(
    case_key: Annotated[str, typer.Argument(metavar="CASE", help="its number")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="where to; a zip")],
    is_sealed: Annotated[
        bool, typer.Option("--seal/--no-seal", help="have the authorities stamp the whole export as well")
    ] = True,
) -> None:
    """Write one file with all evidence of a case, its stamps, and an explanation in Chinese and English."""
    from deploy.cli.keys import case_number
    from deploy.cli.session import session

    number = case_number(case_key)
    if not out.absolute().parent.is_dir():
        raise BadInput(f"there is no folder {out.absolute().parent}; choose another --out")
    with session() as settings:
        report = _written(number, out, settings, is_sealed=is_sealed)
    typer.echo(f"{out.absolute()}: {len(report.bundles)} bundle(s), {report.files:,} files, {report.bytes:,} bytes")
    if not report.is_stamped:
        typer.echo("not every bundle bears a time stamp yet: days are stamped after they end (UTC)", err=True)


def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="an export")],
    trusted: Annotated[
        Path | None, typer.Option("--ca", metavar="PEM", help="roots that you got from the authorities yourself")
    ] = None,
    is_json: Annotated[bool, typer.Option("--json", help="for programs")] = False,
) -> None:
    """Check an export offline. Exit codes: 0 holds, 1 does not, 2 cannot be read, 3 holds but bears no stamp."""
    from evidence.told import tell

    raise typer.Exit(tell(file, trusted, is_json=is_json))


def status(is_json: Annotated[bool, typer.Option("--json", help="for programs")] = False) -> None:
    """Show how many bundles there are, what is owed, stamped and damaged, and what the last nightly check saw."""
    from deploy.cli.evidence_standing import told
    from deploy.cli.output import as_json

    lines, values = told()
    if is_json:
        as_json(values)
    else:
        typer.echo("\n".join(lines))


def _written(case: int, out: Path, settings: "Settings", *, is_sealed: bool) -> "Report":
    from evidence.export import write
    from webadmin.evidence_authorities import authorities_of
    from webadmin.evidence_export import materials
    from webadmin.version import code_version

    seals = authorities_of(settings.evidence) if is_sealed else []
    try:
        return write(out, materials().material_of(case), code_version(), seals=seals)
    except RetryLater as error:
        raise RetryLater(f"{error}; or export with --no-seal") from error
