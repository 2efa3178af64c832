"""The verb `site reach`."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from core.errors import BadInput
from core.text import storable
from core.wording import Message
from deploy.cli.output import say
from deploy.cli.session import session


def register(group: typer.Typer) -> None:
    """Add the verb to the group `site`."""
    group.command("reach")(reach)


def reach(file: Annotated[Path, typer.Argument(metavar="FILE")]) -> None:
    """Read how many visits a month sites have, by which matters are ordered: lines of SITE,VISITS (CSV)."""
    with session() as settings:
        from intake.plain import read_bytes
        from records.sites.reach import import_reach

        text = _decoded(read_bytes(file, settings.crawl.max_body_bytes), file)
        say(Message("site.reach-written", count=len(import_reach(text))))


def _decoded(data: bytes, path: Path) -> str:
    """The text of a file. Spreadsheets save CSV in UTF-8, or in the encoding of a Chinese Windows. Raises BadInput."""
    for encoding in ("utf-8-sig", "gb18030"):
        with suppress(UnicodeDecodeError):
            text = data.decode(encoding)
            if storable(text) == text:  # bytes that are no text may be valid in either
                return text
    raise BadInput("site.reach-no-text", path=path)
