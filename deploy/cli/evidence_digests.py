"""The verb `evidence digests`: a list of digests of chosen bundles, for a platform or a notary."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated
from zoneinfo import ZoneInfo

import typer

from core.errors import BadInput, UnreadableFile
from core.wording import Message
from deploy.cli.keys import case_number, find_site, find_work
from deploy.cli.output import say
from deploy.cli.session import session
from deploy.words import language

_MATTER = re.compile(r"[Mm]([0-9]{1,18})")


def digests(
    chosen: Annotated[list[str] | None, typer.Argument(metavar="[CASE|MATTER]...")] = None,
    site: Annotated[list[str] | None, typer.Option()] = None,
    work: Annotated[list[str] | None, typer.Option()] = None,
    out: Annotated[Path | None, typer.Option("--csv", metavar="FILE")] = None,
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """List the digests of chosen bundles, as platforms for evidence take them in: CSV, or JSON."""
    if not (chosen or site or work):
        raise BadInput("digests.nothing-chosen")
    if out is None and not is_json:
        raise BadInput("digests.no-output")
    cases, matters = numbers_in(chosen or ())
    with session() as settings:
        from records.evidence import digest_list

        sites = [find_site(key).pk for key in site or ()]
        works = [find_work(key).pk for key in work or ()]
        found = digest_list.bundles_of(cases, matters, sites, works)
        rows = list(digest_list.rows_of(digest_list.held(found), ZoneInfo(settings.web.time_zone)))
        left_out = found.count() - len(rows)
    if not rows and not left_out:
        raise BadInput("digests.none")
    if out is not None:
        _write(out, digest_list.as_csv(rows, language()))
    if is_json:
        typer.echo(digest_list.as_json(rows), nl=False)
    elif out is not None:
        say(Message("digests.written", path=out.absolute(), bundles=len(rows)))
    if left_out:
        say(Message("digests.left-out", bundles=left_out), err=True)


def numbers_in(chosen: Sequence[str]) -> tuple[list[int], list[int]]:
    """The numbers of cases, and of matters, which have an M before them. Raises BadInput."""
    cases, matters = list[int](), list[int]()
    for text in chosen:
        if found := _MATTER.fullmatch(text):
            matters.append(int(found[1]))
            continue
        try:
            cases.append(case_number(text))
        except BadInput as error:
            raise BadInput("digests.no-number", text=repr(text)) from error
    return cases, matters


def _write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise UnreadableFile(path, "file.cannot-be-written", error=error.strerror or error) from error
