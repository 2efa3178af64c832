"""Finds notices, users and addressees by the keys that a user types; parses days and reads files."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.addressees import Paper
from core.errors import BadInput, NotFound, UnreadableFile
from webadmin.cases.cli.keys import parse_case_id
from webadmin.ui.console.keys import find_row

if TYPE_CHECKING:
    from webadmin.accounts.models import User
    from webadmin.notices.models import Addressee, Notice
    from webadmin.sites.models import Site

USER = Annotated[str, typer.Option("--as", metavar="USER")]


def find_notice(key: str) -> "Notice":
    """Return the notice with this number. Raises BadInput."""
    from webadmin.notices.models import Notice

    rows = Notice.objects.select_related("site", "rights_holder", "addressee")
    return find_row(rows, parse_case_id(key), "notice.no-notice")


def find_user(name: str) -> "User":
    """Return the user with this name. Raises NotFound."""
    from webadmin.accounts.models import User

    found = User.objects.filter(username=name).first()
    if found is None:
        raise NotFound("user", name)
    return found


def find_addressee(site: "Site", name: str) -> "Addressee":
    """Return an addressee entered for the site or its family, by name. Raises BadInput."""
    from webadmin.notices.services.addressees import list_addressees

    for each in list_addressees(site):
        if each.addressee is not None and name in {each.name, str(each.addressee)}:
            return each.addressee
    raise BadInput("notice.no-addressee", name=name, choices=list(Paper))


def parse_iso_day(text: str) -> date:
    """Parse a day such as 2026-03-09. Raises BadInput."""
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise BadInput("notice.no-day") from error


def read_files(paths: Sequence[Path]) -> list[tuple[str, bytes]]:
    """Return the name and bytes of each file. Raises UnreadableFile.

    Reading stops one byte after the size limit, so that a later check can reject the file.
    """
    from webadmin.evidence.services.third_party import MAX_BYTES

    found = []
    for path in paths:
        try:
            with path.open("rb") as file:
                found.append((path.name, file.read(MAX_BYTES + 1)))
        except OSError as error:
            raise UnreadableFile(path, "file.cannot-be-read", error=error.strerror or error) from error
    return found
