"""The verb `holder`: what belongs to one rights holder."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from core.errors import BadInput, NotFound
from core.wording import Message
from deploy.cli.output import Meter, as_json, say
from deploy.cli.session import session


def register(app: typer.Typer) -> None:
    """Add the verbs to `app`."""
    group = typer.Typer(help="Rights holders and what is theirs.", no_args_is_help=True, rich_markup_mode=None)
    group.callback()(_group)
    group.command("export")(export)
    app.add_typer(group, name="holder")


def _group() -> None:
    """Rights holders and what is theirs."""


def export(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    out: Annotated[Path, typer.Option(metavar="FILE")],
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Write all that a rights holder has, and nothing of another, into one file that is read without this program."""
    if not out.absolute().parent.is_dir():
        raise BadInput("custody.no-folder", folder=out.absolute().parent)
    with session():
        from records.models import RightsHolder
        from records.take_out import take_out

        holder = RightsHolder.objects.filter(name=name).first()
        if holder is None and name.isdecimal():
            holder = RightsHolder.objects.filter(pk=int(name)).first()
        if holder is None:
            raise NotFound("rights-holder", name)
        meter, is_terminal = Meter(Message("backup.taking-out")), sys.stderr.isatty()

        def tell(part: str, done: int, total: int) -> None:
            if is_terminal or (done == total and total):
                meter.text(Message("backup.progress", part=part, done=done, total=total))

        try:
            taken = take_out(holder, out, tell)
        except OSError as error:
            raise BadInput("backup.unwritable", path=out, reason=error.strerror or error) from error
        finally:
            meter.close()
    if is_json:
        as_json({"path": str(out.absolute()), "files": taken.files, "bytes": taken.bytes, "rows": taken.rows,
                 "lacking": taken.lacking})  # fmt: skip
    else:
        say(Message("backup.taken-out", path=out.absolute(), files=taken.files, bytes=taken.bytes))
        if taken.lacking:
            say(Message("backup.lacking-files", count=len(taken.lacking), names=taken.lacking[:5]), err=True)
    raise typer.Exit(1 if taken.lacking else 0)
