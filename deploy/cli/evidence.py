"""The verb `evidence`: all but `verify`, which needs the file alone, need the installation."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import BadInput, RetryLater
from core.wording import Message
from deploy.cli import evidence_authority
from deploy.cli.evidence_digests import digests
from deploy.cli.evidence_factors import factors
from deploy.cli.output import say

if TYPE_CHECKING:
    from core.settings import Settings
    from evidence.records import CaseMaterial
    from evidence.verification import Report


def register(app: typer.Typer) -> None:
    """Add the verbs to `app`."""
    group = typer.Typer(help="Evidence that stands alone.", no_args_is_help=True, rich_markup_mode=None)
    group.command("export")(export)
    group.command("verify")(verify)
    group.command("status")(status)
    group.command("factors")(factors)
    group.command("digests")(digests)
    evidence_authority.register(group)
    app.add_typer(group, name="evidence")


def export(
    case_key: Annotated[str, typer.Argument(metavar="CASE")],
    out: Annotated[Path, typer.Option(metavar="FILE")],
    is_sealed: Annotated[bool, typer.Option("--seal/--no-seal")] = True,
    is_removal: Annotated[bool, typer.Option("--removal")] = False,
) -> None:
    """Write one file with all evidence of a case, its stamps, and an explanation in Chinese and English."""
    from deploy.cli.keys import case_number
    from deploy.cli.session import session

    number = case_number(case_key)
    if not out.absolute().parent.is_dir():
        raise BadInput("custody.no-folder", folder=out.absolute().parent)
    with session() as settings:
        material = _removal_of(number) if is_removal else _case(number)
        report = _written(material, out, settings, is_sealed=is_sealed)
    counts = {"bundles": len(report.bundles), "files": report.files, "bytes": report.bytes}
    say(Message("custody.written", path=out.absolute(), **counts))
    if not report.is_stamped:
        say(Message("custody.unstamped"), err=True)


def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE")],
    trusted: Annotated[Path | None, typer.Option("--ca", metavar="PEM")] = None,
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Check an export offline. Exit codes: 0 holds, 1 does not, 2 cannot be read, 3 holds but bears no stamp."""
    from evidence.verify import report_verification

    raise typer.Exit(report_verification(file, trusted, is_json=is_json))


def status(is_json: Annotated[bool, typer.Option("--json")] = False) -> None:
    """Show how many bundles there are, what is owed, stamped and damaged, and what the last nightly check saw."""
    from deploy.cli.evidence_standing import evidence_lines
    from deploy.cli.output import as_json

    lines, values = evidence_lines()
    if is_json:
        as_json(values)
    else:
        for line in lines:
            say(line)


def _case(number: int) -> "CaseMaterial":
    from records.evidence.case_export import materials

    return materials().material_of(number)


def _removal_of(case: int) -> "CaseMaterial":
    """What shows the newest removal of a case's page. Raises BadInput where there is none, or no proof yet."""
    from records import stores
    from records.models import Removal
    from records.removals.proof import material_of

    removal = Removal.objects.filter(case=case).select_related("case").first()
    if removal is None:
        raise BadInput("removal.none", case=case)
    return material_of(removal, stores.evidence_store())


def _written(material: "CaseMaterial", out: Path, settings: "Settings", *, is_sealed: bool) -> "Report":
    from evidence.export import write
    from records.code_version import code_version
    from records.evidence.authorities import authorities_of

    seals = authorities_of(settings.evidence) if is_sealed else []
    try:
        return write(out, material, code_version(), seals=seals)
    except RetryLater as error:
        raise RetryLater("custody.or-no-seal", fault=error) from error
