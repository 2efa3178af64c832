"""The verb `matter export`: one file with all evidence of a matter, as a court takes it in."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import BadInput, RetryLater
from core.wording import Message
from deploy.cli.keys import matter_number
from deploy.cli.output import say
from deploy.cli.session import session

if TYPE_CHECKING:
    from core.settings import Settings
    from evidence.verification import Report
    from records.models import Matter

SAY_EVERY_S = 5.0  # as the demo does; a matter of a few pages says nothing before it is done


def export(
    matter_key: Annotated[str, typer.Argument(metavar="MATTER")],
    out: Annotated[Path, typer.Option(metavar="FILE")],
    is_sealed: Annotated[bool, typer.Option("--seal/--no-seal")] = True,
) -> None:
    """Write one file with the list of evidence, bundles, comparison tables, papers and sheets of a matter."""
    number = matter_number(matter_key)
    if not out.absolute().parent.is_dir():
        raise BadInput("custody.no-folder", folder=out.absolute().parent)
    with session() as settings:
        from records.models import Matter

        matter = Matter.objects.select_related("site", "work", "rights_holder").filter(pk=number).first()
        if matter is None:
            raise BadInput("corpus.no-matter", number=number)
        report, left_out = _written(matter, out, settings, is_sealed=is_sealed)
    for each in left_out:
        say(each, err=True)
    counts = {"bundles": len(report.bundles), "files": report.files, "bytes": report.bytes}
    say(Message("custody.written", path=out.absolute(), **counts))
    if not report.is_stamped:
        say(Message("custody.unstamped"), err=True)


def _written(matter: "Matter", out: Path, settings: "Settings", *, is_sealed: bool) -> "tuple[Report, list[Message]]":
    from records.evidence.authorities import authorities_of
    from records.matter_export.writing import prepared

    seals = authorities_of(settings.evidence) if is_sealed else []
    with prepared(matter, out.absolute().parent, _Progress()) as made:
        try:
            return made.write(out, seals), list(made.left_out)
        except RetryLater as error:
            raise RetryLater("custody.or-no-seal", fault=error) from error


class _Progress:
    """Says how far it is, every few seconds, beside the output."""

    def __init__(self) -> None:
        self._said = time.monotonic()

    def __call__(self, message: Message) -> None:
        if time.monotonic() - self._said >= SAY_EVERY_S:
            self._said = time.monotonic()
            say(message, err=True)
