"""The `evidence` commands. All except `verify`, which needs only a file, need the installation."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from zoneinfo import ZoneInfo

import typer

from core.errors import BadInput, RetryLater, UnreadableFile
from core.wording import Message
from deploy.cli.evidence_authority import add_authority
from webadmin.cases.cli.keys import parse_case_id
from webadmin.rewrites.cli.keys import find_lead
from webadmin.sites.cli.keys import find_site
from webadmin.ui.console.groups import verb_group
from webadmin.ui.console.output import print_line
from webadmin.ui.console.session import session
from webadmin.ui.console.words import console_language
from webadmin.works.cli.keys import find_work

if TYPE_CHECKING:
    from bundles.ports import Stamper
    from bundles.records import CaseMaterial
    from bundles.verification import VerificationReport
    from core.settings import Settings
    from webadmin.rewrites.models import RewordedLead

    Writer = Callable[[Sequence[Stamper]], VerificationReport]

_MATTER = re.compile(r"[Mm]([0-9]{1,18})")  # distinguishes matters from cases


def export(
    case_key: Annotated[str, typer.Argument(metavar="CASE")],
    out: Annotated[Path, typer.Option(metavar="FILE")],
    is_sealed: Annotated[bool, typer.Option("--seal/--no-seal")] = True,
    is_removal: Annotated[bool, typer.Option("--removal")] = False,
    is_lead: Annotated[bool, typer.Option("--lead")] = False,
    *,
    with_names: Annotated[bool, typer.Option("--names/--no-names")] = False,
) -> None:
    """Write the evidence of a case or suspected rewrite, its timestamps, and a bilingual explanation to one file."""
    if is_lead and is_removal:
        raise BadInput("custody.lead-or-removal")
    if not out.absolute().parent.is_dir():
        raise BadInput("custody.no-folder", folder=out.absolute().parent)
    with session() as settings:
        if is_lead:
            write = _lead_writer(find_lead(case_key), out, with_names=with_names)
        else:
            number = parse_case_id(case_key)
            write = _case_writer(
                _newest_removal(number) if is_removal else _case_material(number, with_names=with_names), out
            )
        report = _write_report(write, settings, is_sealed=is_sealed)
    counts = {"bundles": len(report.bundles), "files": report.files, "bytes": report.bytes}
    print_line(Message("custody.written", path=out.absolute(), **counts))
    if not report.is_stamped:
        print_line(Message("custody.unsealed" if is_lead else "custody.unstamped"), err=True)


def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE")],
    trusted: Annotated[Path | None, typer.Option("--ca", metavar="PEM")] = None,
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Verify an export offline. Exit codes: 0 valid, 1 invalid, 2 unreadable, 3 valid without a timestamp."""
    from bundles.verify import report_verification

    raise typer.Exit(report_verification(file, trusted, is_json=is_json))


def digests(
    chosen: Annotated[list[str] | None, typer.Argument(metavar="[CASE|MATTER]...")] = None,
    site: Annotated[list[str] | None, typer.Option()] = None,
    work: Annotated[list[str] | None, typer.Option()] = None,
    out: Annotated[Path | None, typer.Option("--csv", metavar="FILE")] = None,
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """List the digests of chosen bundles in the form that evidence platforms import: CSV or JSON."""
    if not (chosen or site or work):
        raise BadInput("digests.nothing-chosen")
    if out is None and not is_json:
        raise BadInput("digests.no-output")
    cases, matters = parse_numbers(chosen or ())
    with session() as settings:
        from webadmin.evidence.services import digest_list

        sites = [find_site(key).pk for key in site or ()]
        works = [find_work(key).pk for key in work or ()]
        found = digest_list.select_bundles(cases, matters, sites, works)
        rows = list(digest_list.digest_rows(digest_list.held_bundles(found), ZoneInfo(settings.web.time_zone)))
        left_out = found.count() - len(rows)
    if not rows and not left_out:
        raise BadInput("digests.none")
    if out is not None:
        _write_file(out, digest_list.as_csv(rows, console_language()))
    if is_json:
        typer.echo(digest_list.as_json(rows), nl=False)
    elif out is not None:
        print_line(Message("digests.written", path=out.absolute(), bundles=len(rows)))
    if left_out:
        print_line(Message("digests.left-out", bundles=left_out), err=True)


def parse_numbers(chosen: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return the numbers of the chosen cases and of the chosen matters, which begin with M.

    Raises BadInput if a text is not such a number.
    """
    cases, matters = list[int](), list[int]()
    for text in chosen:
        if found := _MATTER.fullmatch(text):
            matters.append(int(found[1]))
            continue
        try:
            cases.append(parse_case_id(text))
        except BadInput as error:
            raise BadInput("digests.no-number", text=repr(text)) from error
    return cases, matters


def _write_file(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise UnreadableFile(path, "file.cannot-be-written", error=error.strerror or error) from error


def _case_material(number: int, *, with_names: bool) -> "CaseMaterial":
    from webadmin.evidence.services.case_export import stored_materials

    return stored_materials().case_material(number, with_names=with_names)


def _newest_removal(case: int) -> "CaseMaterial":
    """Return the evidence of the last removal of a case's page. Raises BadInput if there is no removal or proof."""
    from webadmin import stores
    from webadmin.notices.models import Removal
    from webadmin.notices.services.removals.proof import removal_material

    removal = Removal.objects.filter(case=case).select_related("case").first()
    if removal is None:
        raise BadInput("removal.none", case=case)
    return removal_material(removal, stores.evidence_store())


def _case_writer(material: "CaseMaterial", out: Path) -> "Writer":
    from core.program import code_version
    from webadmin.evidence.services.export import write_case_export

    return lambda seals: write_case_export(out, material, code_version(), seals=seals)


def _lead_writer(lead: "RewordedLead", out: Path, *, with_names: bool) -> "Writer":
    """Return a function that writes the export of a lead. Raises BadInput if its current version is not confirmed."""
    from core.program import code_version
    from webadmin import stores
    from webadmin.rewrites.services.lead_export import lead_material, write_lead

    material = lead_material(lead, stores.page_store(), stores.work_store(), with_names=with_names)
    return lambda seals: write_lead(out, material, code_version(), seals)


def _write_report(write: "Writer", settings: "Settings", *, is_sealed: bool) -> "VerificationReport":
    from webadmin.evidence.services.authorities import configured_authorities

    seals = configured_authorities(settings.evidence) if is_sealed else []
    try:
        return write(seals)
    except RetryLater as error:
        raise RetryLater("custody.or-no-seal", fault=error) from error


GROUP = verb_group(
    "Evidence that stands alone.",
    {
        "export": export,
        "verify": verify,
        "digests": digests,
        "add-authority": add_authority,
    },
)
