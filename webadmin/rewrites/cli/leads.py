"""The `leads` command, which lists suspected rewrites and translations."""

from typing import TYPE_CHECKING, Annotated

import typer

from core.settings import Settings
from core.wording import Message
from webadmin.accounts.cli.keys import find_holder
from webadmin.ui.console.lists import ConsoleColumn, print_list
from webadmin.ui.console.output import print_line
from webadmin.ui.console.session import local_time, session

if TYPE_CHECKING:
    from webadmin.rewrites.models import RewordedLead


def leads(
    holder: str = "",
    limit: Annotated[int, typer.Option(min=1, max=100_000)] = 50,
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """List suspected rewrites and translations, at most `limit`.

    holder: only those of this rights holder.
    """
    with session() as settings:
        from django.db.models import Q

        from core.matches import RewordedState
        from webadmin.rewrites.models import RewordedLead

        listed = Q(lapsed_at__isnull=True) | Q(state=RewordedState.CONFIRMED)
        found = RewordedLead.objects.filter(listed).select_related("work", "site", "rights_holder")
        if holder:
            found = found.filter(rights_holder=find_holder(holder))
        shown, total = list(found[:limit]), found.count()
        state = ConsoleColumn("", "column.state", lambda lead: _describe_state(lead, settings))
        print_list(shown, (_COLUMNS[0], state, *_COLUMNS[1:]), settings, is_json=is_json)
    if is_json:
        return
    print_line(Message("reworded.leads", count=total, caution=Message("reworded.caution")), err=True)
    if total > limit:
        print_line(Message("reworded.more", left=total - limit, total=total), err=True)


_PAIR = ("page_start", "page_end", "work_start", "work_end", "strength")


def _counterparts_cell(lead: "RewordedLead") -> Message:
    return Message("reworded.of-sentences", pairs=lead.pair_count, sentences=lead.sentence_count)


def _band_name(lead: "RewordedLead") -> dict[str, object] | None:
    return {"name": lead.band, "alarms": lead.band_alarms, "passages": lead.band_passages} if lead.band else None


_COLUMNS = (
    ConsoleColumn("id", "column.id", "pk", is_number=True),
    ConsoleColumn("class", "column.class", "found_as", "get_found_as_display"),
    ConsoleColumn("work", "column.work", "work.title"),
    ConsoleColumn("chapter", "column.chapter", "chapter_title"),
    ConsoleColumn("site", "column.site", "site.name"),
    ConsoleColumn("", "column.of-sentences", _counterparts_cell, is_number=True),
    ConsoleColumn("found_at", "column.first-found", "found_at"),
    ConsoleColumn("url", "column.page", "page_url"),
    ConsoleColumn("state", "", "state"),
    ConsoleColumn("rights_holder", "", "rights_holder.name"),
    ConsoleColumn("title", "", "page_title"),
    ConsoleColumn("score", "", "score"),
    ConsoleColumn("elsewhere", "", "elsewhere"),
    ConsoleColumn("band", "", _band_name),
    ConsoleColumn("algorithm", "", "algorithm_version"),
    ConsoleColumn("pairs", "", lambda lead: [dict(zip(_PAIR, pair, strict=True)) for pair in lead.pairs]),
    ConsoleColumn("sentences_of_the_page", "", "sentence_count"),
    ConsoleColumn("in_order", "", "in_order"),
    ConsoleColumn("version_id", "", "version_id"),
    ConsoleColumn("fetched_at", "", "fetched_at"),
    ConsoleColumn("lapsed_at", "", "lapsed_at"),
)


def _describe_state(lead: "RewordedLead", settings: Settings) -> Message | str:
    if lead.lapsed_at is None:
        return str(lead.get_state_display())
    day, _ = local_time(lead.lapsed_at, settings).split()
    return Message("reworded.state-not-found-since", state=lead.get_state_display(), since=day)
