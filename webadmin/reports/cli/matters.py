"""The `matter` command, which writes all evidence of a matter to one file for a court."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import BadInput, RetryLater
from core.wording import Message
from webadmin.cases.cli.keys import find_matter
from webadmin.ui.console.groups import verb_group
from webadmin.ui.console.output import print_line
from webadmin.ui.console.session import session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bundles.ports import Stamper
    from bundles.verification import VerificationReport
    from webadmin.cases.models import Matter
    from webadmin.reports.services.court_file.parts import ExportChoice

SAY_EVERY_S = 5.0  # as in the demo; the export of a matter with a few pages finishes earlier


def export(
    matter_key: Annotated[str, typer.Argument(metavar="MATTER")],
    out: Annotated[Path, typer.Option(metavar="FILE")],
    *,
    is_sealed: Annotated[bool, typer.Option("--seal/--no-seal")] = True,
    ownership: Annotated[bool, typer.Option("--ownership/--no-ownership")] = True,
    comparison: Annotated[bool, typer.Option("--comparison/--no-comparison")] = True,
    others: Annotated[bool, typer.Option("--others/--no-others")] = True,
    notices: Annotated[bool, typer.Option("--notices/--no-notices")] = True,
    damages: Annotated[bool, typer.Option("--damages/--no-damages")] = True,
    factors: Annotated[bool, typer.Option("--factors/--no-factors")] = False,
    decisions: Annotated[bool, typer.Option("--decisions/--no-decisions")] = False,
    with_names: Annotated[bool, typer.Option("--names/--no-names")] = False,
) -> None:
    """Write one file with the list of evidence, the bundles, and the chosen parts of a matter.

    Each option of a part includes or omits it. --seal: request timestamps. --names: identify people by name instead of
    role.
    """
    wanted = {
        "ownership": ownership, "comparison": comparison, "others": others, "notices": notices, "damages": damages,
        "factors": factors, "decisions": decisions,
    }  # fmt: skip
    if not out.absolute().parent.is_dir():
        raise BadInput("custody.no-folder", folder=out.absolute().parent)
    with session() as settings:
        from webadmin.evidence.services.authorities import configured_authorities
        from webadmin.reports.services.court_file.parts import ExportChoice, ExportPart

        chosen = ExportChoice(frozenset(part for part in ExportPart if wanted[part.value]), with_names)
        report, left_out = _write_export(
            find_matter(matter_key), chosen, out, configured_authorities(settings.evidence) if is_sealed else []
        )
    for each in left_out:
        print_line(each, err=True)
    counts = {"bundles": len(report.bundles), "files": report.files, "bytes": report.bytes}
    print_line(Message("custody.written", path=out.absolute(), **counts))
    if not report.is_stamped:
        print_line(Message("custody.unstamped"), err=True)


def _write_export(
    matter: "Matter", chosen: "ExportChoice", out: Path, seals: "Sequence[Stamper]"
) -> "tuple[VerificationReport, list[Message]]":
    from webadmin.reports.services.court_file.writing import prepare_export

    with prepare_export(matter, out.absolute().parent, chosen, _ExportProgress()) as made:
        try:
            return made.write(out, seals), made.left_out
        except RetryLater as error:
            raise RetryLater("custody.or-no-seal", fault=error) from error


class _ExportProgress:
    """Prints progress messages on stderr, at most one every SAY_EVERY_S seconds."""

    def __init__(self) -> None:
        self._said = time.monotonic()

    def __call__(self, message: Message) -> None:
        if time.monotonic() - self._said >= SAY_EVERY_S:
            self._said = time.monotonic()
            print_line(message, err=True)


GROUP = verb_group(
    "All that one site took from one work.",
    {
        "export": export,
    },
)
