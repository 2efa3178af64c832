"""The verb `matter`."""

from datetime import datetime
from typing import Annotated

import typer

from core.errors import BadInput
from core.wording import Message
from deploy.cli.keys import matter_number
from deploy.cli.matter_export import export
from deploy.cli.output import as_json, say
from deploy.cli.session import local_time, session


def register(app: typer.Typer) -> None:
    """Add the verbs to `app`."""
    group = typer.Typer(help="All that one site took from one work.", no_args_is_help=True, rich_markup_mode=None)
    group.command("damages")(damages)
    group.command("export")(export)
    app.add_typer(group, name="matter")


def damages(
    matter_key: Annotated[str, typer.Argument(metavar="MATTER")],
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Reckon characters taken, days online as seen and the licence fee; the rights holder's own arithmetic."""
    number = matter_number(matter_key)
    with session() as settings:
        from records.matters.damages import damages_of
        from records.matters.damages_told import told
        from records.models import Matter

        matter = Matter.objects.select_related("site", "work").filter(pk=number).first()
        if matter is None:
            raise BadInput("corpus.no-matter", number=number)
        found = damages_of(matter)
        if is_json:
            as_json(found.as_dict())
            return

        def moment(at: datetime) -> str:
            return local_time(at, settings)

        say(Message("damages.head", site=matter.site.name, work=matter.work.title))
        for line in [*told(found, moment), Message("damages.own")]:
            say(line)
