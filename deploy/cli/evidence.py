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
    from collections.abc import Callable, Sequence

    from core.settings import Settings
    from evidence.ports import Stamper
    from evidence.records import CaseMaterial
    from evidence.verification import Report

    Writer = Callable[[Sequence[Stamper]], Report]


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
    is_lead: Annotated[bool, typer.Option("--lead")] = False,
    *,
    with_names: Annotated[bool, typer.Option("--names/--no-names")] = False,
) -> None:
    """Write one file with all evidence of a case or a lead, its stamps, and an explanation in Chinese and English."""
    from deploy.cli.keys import case_number, lead_number
    from deploy.cli.session import session

    if is_lead and is_removal:
        raise BadInput("custody.lead-or-removal")
    number = lead_number(case_key) if is_lead else case_number(case_key)
    if not out.absolute().parent.is_dir():
        raise BadInput("custody.no-folder", folder=out.absolute().parent)
    with session() as settings:
        if is_lead:
            write = _lead_writer(number, out, with_names=with_names)
        else:
            write = _case_writer(_removal_of(number) if is_removal else _case(number, with_names=with_names), out)
        report = _written(write, settings, is_sealed=is_sealed)
    counts = {"bundles": len(report.bundles), "files": report.files, "bytes": report.bytes}
    say(Message("custody.written", path=out.absolute(), **counts))
    if not report.is_stamped:
        say(Message("custody.unsealed" if is_lead else "custody.unstamped"), err=True)


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


def _case(number: int, *, with_names: bool) -> "CaseMaterial":
    from records.evidence.case_export import materials

    return materials().material_of(number, with_names=with_names)


def _removal_of(case: int) -> "CaseMaterial":
    """What shows the newest removal of a case's page. Raises BadInput where there is none, or no proof yet."""
    from records import stores
    from records.models import Removal
    from records.removals.proof import material_of

    removal = Removal.objects.filter(case=case).select_related("case").first()
    if removal is None:
        raise BadInput("removal.none", case=case)
    return material_of(removal, stores.evidence_store())


def _case_writer(material: "CaseMaterial", out: Path) -> "Writer":
    from evidence.export import write
    from records.code_version import code_version

    return lambda seals: write(out, material, code_version(), seals=seals)


def _lead_writer(number: int, out: Path, *, with_names: bool) -> "Writer":
    """Raises BadInput for no such lead, or one that nobody confirmed as it is."""
    from evidence.lead_export import write_lead
    from records import stores
    from records.code_version import code_version
    from records.leads.lead_export import lead_material
    from records.models import RewordedLead

    lead = RewordedLead.objects.select_related("work", "site", "rights_holder").filter(pk=number).first()
    if lead is None:
        raise BadInput("reworded.no-lead", number=number)
    material = lead_material(lead, stores.page_store(), stores.work_store(), with_names=with_names)
    return lambda seals: write_lead(out, material, code_version(), seals)


def _written(write: "Writer", settings: "Settings", *, is_sealed: bool) -> "Report":
    from records.evidence.authorities import authorities_of

    seals = authorities_of(settings.evidence) if is_sealed else []
    try:
        return write(seals)
    except RetryLater as error:
        raise RetryLater("custody.or-no-seal", fault=error) from error
