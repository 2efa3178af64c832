"""The `cases` command."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.errors import BadInput
from core.settings import Settings
from core.shares import cut_share
from core.states import COPIES, CaseState
from core.wording import Message
from webadmin.sites.cli.keys import find_site
from webadmin.ui.console.lists import ConsoleColumn, as_record, print_list, share_column
from webadmin.ui.console.output import as_json, print_line
from webadmin.ui.console.session import local_iso, session
from webadmin.ui.console.words import obfuscation
from webadmin.works.cli.keys import find_work

if TYPE_CHECKING:
    from webadmin.cases.models import Case


def cases(
    state: Annotated[str, typer.Option(help=" or ".join(CaseState))] = "",
    work: str = "",
    site: str = "",
    limit: Annotated[int, typer.Option(min=1, max=100_000)] = 50,
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """List the cases, and print totals to standard error."""
    if state and state not in set(CaseState):
        raise BadInput("cli.choose", what=Message("cli.case-state"), name=state, choices=list(CaseState))
    with session() as settings:
        from django.db.models import Sum

        from webadmin.cases.models import Case
        from webadmin.cases.services.taken import taken_by_work

        found = Case.objects.select_related("work", "page__site")
        if state:
            found = found.filter(state=state)
        if work:
            found = found.filter(work=find_work(work))
        if site:
            found = found.filter(page__site=find_site(site))
        cases = list(found[:limit])
        total = found.count()
        if is_json:
            addresses = _address_records(cases, settings)
            as_json([as_record(case, _COLUMNS, settings) | {"addresses": addresses[case.pk]} for case in cases])
            return
        print_list(cases, _COLUMNS, settings, is_json=False)
        on_pages = found.filter(state__in=COPIES).aggregate(chars=Sum("matched_chars"))["chars"] or 0
        taken = sum(taken_by_work(found).values())
    print_line(Message("corpus.sums", cases=total, taken=taken, on_pages=on_pages), err=True)
    if total > limit:
        print_line(Message("corpus.more-cases", left=total - limit, total=total), err=True)


def _describe_state(case: "Case") -> str:
    return f"{case.get_state_display()} {case.get_allowed_as_display()}".strip()


_COLUMNS = (
    ConsoleColumn("id", "column.case", "pk", is_number=True),
    ConsoleColumn("state", "column.state", "state", _describe_state),
    ConsoleColumn("work", "column.work", lambda case: {"id": case.work_id, "title": case.work.title}, "work.title"),
    ConsoleColumn(
        "site", "column.site", lambda case: {"id": case.page.site_id, "name": case.page.site.name}, "page.site.name"
    ),
    ConsoleColumn("class", "column.class", "match_class", "get_match_class_display"),
    share_column("similarity", "column.similarity", "similarity"),
    ConsoleColumn("taken_chars", "column.taken", "taken_chars", lambda case: f"{case.taken_chars:,}", is_number=True),
    ConsoleColumn(
        "obfuscations",
        "column.obfuscations",
        "obfuscations",
        lambda case: ", ".join(obfuscation(item["kind"]) for item in case.obfuscations),
    ),
    ConsoleColumn("opened", "column.opened", "opened_at"),
    ConsoleColumn("page_url", "column.page", "page_url"),
    ConsoleColumn("verdict", "", lambda case: case.verdict or None),
    ConsoleColumn("allowed_as", "", lambda case: case.allowed_as or None),
    ConsoleColumn("allowed_by", "", lambda case: case.allowed_by or None),
    ConsoleColumn("page_title", "", "page_title"),
    ConsoleColumn("page_author", "", "page_author"),
    ConsoleColumn("page_poster", "", "page_poster"),
    ConsoleColumn("page_published", "", "page_published_at"),
    ConsoleColumn("page_containment", "", lambda case: cut_share(case.page_containment)),
    ConsoleColumn("work_containment", "", lambda case: cut_share(case.work_share)),
    ConsoleColumn("work_chars", "", "work.counted_chars"),
    ConsoleColumn("matched_chars", "", "matched_chars"),
    ConsoleColumn("longest_equal_run_chars", "", "longest_equal_run_chars"),
    ConsoleColumn("first_seen", "", "first_seen_at"),
    ConsoleColumn("last_seen", "", "last_seen_at"),
)


def _address_records(cases: "Sequence[Case]", settings: Settings) -> dict[int, list[dict[str, Any]]]:
    from webadmin.cases.services.addresses import list_addresses_of_cases

    return {
        key: [
            {
                "url": each.url,
                "first_seen": local_iso(each.first_seen_at, settings),
                "last_seen": local_iso(each.last_seen_at, settings),
                "is_shown": each.is_shown,
            }
            for each in listed
        ]
        for key, listed in list_addresses_of_cases(cases).items()
    }
