"""The `leads` command: lists and shows suspected rewrites and translations, and drafts a letter about one."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from core.settings import Settings
from core.wording import Message
from webadmin.accounts.cli.keys import find_holder
from webadmin.rewrites.cli.keys import find_lead
from webadmin.rewrites.cli.leads_output import describe_leads, shown_sentence
from webadmin.ui.console.groups import verb_group
from webadmin.ui.console.lists import ConsoleColumn, as_record, print_list
from webadmin.ui.console.output import as_json, print_fields, print_line, print_passage
from webadmin.ui.console.session import local_time, session
from webadmin.ui.console.written_files import require_folder, write

if TYPE_CHECKING:
    from webadmin.rewrites.models import RewordedLead


class _ByNumber(TyperGroup):
    """A command group in which `leads 7` means `leads show 7`."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        return super().resolve_command(ctx, args if args[0] in self.commands else ["show", *args])


def leads(
    ctx: typer.Context,
    holder: str = "",
    limit: Annotated[int, typer.Option(min=1, max=100_000)] = 50,
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """List suspected rewrites and translations."""
    if ctx.invoked_subcommand is None:
        with session() as settings:
            _print_leads(holder, limit, settings, is_json)


def show(
    lead_key: Annotated[str, typer.Argument(metavar="LEAD")],
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Show one lead, with the corresponding sentences side by side."""
    with session() as settings:
        _print_lead(find_lead(lead_key), settings, is_json)


def letter(
    lead_key: Annotated[str, typer.Argument(metavar="LEAD")],
    out: Annotated[Path, typer.Option(metavar="FILE")],
    language: Annotated[str, typer.Option(metavar="zh-hans|en")] = "zh-hans",
) -> None:
    """Draft a letter of enquiry about a lead that a person confirmed; nothing is sent."""
    require_folder(out)
    with session():
        from webadmin.rewrites.services.letter import letter_file

        kind = out.suffix.lower().removeprefix(".")
        write(out, letter_file(find_lead(lead_key), kind, language))


def _print_leads(holder: str, limit: int, settings: Settings, is_json: bool) -> None:
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
    print_line(describe_leads(total), err=True)
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


def _print_lead(lead: "RewordedLead", settings: Settings, is_json: bool) -> None:
    pairs = _sentence_pairs(lead)
    if is_json:
        as_json(
            as_record(lead, _COLUMNS, settings) | {"sentences": [{"page": page, "work": work} for page, work in pairs]}
        )
        return
    print_line(Message("reworded.caution"))
    print_fields(
        [
            ("column.id", lead.pk),
            ("column.state", lead.get_state_display()),
            ("column.class", lead.get_found_as_display()),
            ("column.work", f"{lead.work.title} {lead.work.author}".strip()),
            ("column.chapter", lead.chapter_title),
            ("column.rights-holder", lead.rights_holder.name),
            ("column.site", lead.site.name),
            ("column.page", lead.page_url),
            ("column.page-title", lead.page_title),
            ("column.counterparts", _count_records(lead)),
            ("column.alarms", _describe_alarms(lead)),
            ("column.fetched", local_time(lead.fetched_at, settings)),
        ]
    )
    _print_status(lead, settings)
    for page, work in pairs:
        print_line("")
        print_passage("column.page", [(page, False)])
        print_passage("column.work", [(work, False)])


def _print_status(lead: "RewordedLead", settings: Settings) -> None:
    """Print the status of a confirmed lead, or that an undecided or dismissed lead is no longer found."""
    from core.matches import RewordedState
    from webadmin.rewrites.services.lead_status import lead_status

    if lead.state == RewordedState.CONFIRMED:
        print_line(lead_status(lead).said)
    elif lead.lapsed_at is not None:
        print_line(
            Message("reworded.no-longer", found=lead.get_found_as_display(), when=local_time(lead.lapsed_at, settings))
        )


def _sentence_pairs(lead: "RewordedLead") -> list[tuple[str, str]]:
    """Return the compared pairs of sentences.

    Raises BadInput if a compared text is no longer in the store.
    """
    from webadmin.rewrites.services.lead_status import compared_texts

    page, text = compared_texts(lead)
    return [
        (shown_sentence(page[start:end]), shown_sentence(text[work_start:work_end]))
        for start, end, work_start, work_end, _ in lead.pairs
    ]


def _count_records(lead: "RewordedLead") -> Message:
    counts = {"pairs": lead.pair_count, "sentences": lead.sentence_count, "in_order": lead.in_order}
    return Message("reworded.counterparts", **counts)


def _describe_alarms(lead: "RewordedLead") -> Message | str:
    if not lead.band:
        return ""
    return Message("reworded.band", alarms=lead.band_alarms, passages=lead.band_passages)


GROUP = verb_group(
    "List pages in other words or in translation.",
    {"show": show, "letter": letter},
    leads,
    cls=_ByNumber,
    no_args_is_help=False,
    invoke_without_command=True,
    epilog="zhuiwen leads 7 is zhuiwen leads show 7.",
)
