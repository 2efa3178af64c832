"""The `holder` command, which exports the data of one rights holder."""

from pathlib import Path
from typing import Annotated

import typer

from core.errors import BadInput
from core.wording import Message
from webadmin.accounts.cli.keys import find_holder
from webadmin.ui.console.groups import verb_group
from webadmin.ui.console.output import as_json, print_line, progress
from webadmin.ui.console.session import session


def export(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    out: Annotated[Path, typer.Option(metavar="FILE")],
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Write all data of a rights holder to a file that can be read without this program."""
    if not out.absolute().parent.is_dir():
        raise BadInput("custody.no-folder", folder=out.absolute().parent)
    with session():
        from webadmin.backups.services.data_export import take_out

        holder = find_holder(name)
        try:
            with progress(Message("backup.taking-out")) as meter:
                taken = take_out(holder, out, meter.of_part)
        except OSError as error:
            raise BadInput("backup.unwritable", path=out, reason=error.strerror or error) from error
    if is_json:
        as_json({"path": str(out.absolute()), "files": taken.files, "bytes": taken.bytes, "rows": taken.rows,
                 "lacking": taken.missing})  # fmt: skip
    else:
        print_line(Message("backup.taken-out", path=out.absolute(), files=taken.files, bytes=taken.bytes))
        if taken.missing:
            print_line(Message("backup.lacking-files", count=len(taken.missing), names=taken.missing[:5]), err=True)
    raise typer.Exit(1 if taken.missing else 0)


GROUP = verb_group(
    "Rights holders and what is theirs.",
    {"export": export},
)
