"""The verb `site reach`."""

from pathlib import Path
from typing import Annotated

import typer

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

        text = read_bytes(file, settings.crawl.max_body_bytes).decode("utf-8", "replace")
        say(Message("site.reach-written", count=len(import_reach(text))))
