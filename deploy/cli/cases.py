"""The verbs `cases` and `case`."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.errors import BadInput
from core.settings import Settings
from core.states import CaseState
from deploy.cli.keys import case_number, find_site, find_work
from deploy.cli.output import as_json, fields, passage, pieces_of, say, table
from deploy.cli.session import local_iso, local_time, session

if TYPE_CHECKING:
    from webadmin.models import Case, CaseMatch
    from webadmin.opinions_shown import OpinionsShown

MAX_EXCERPT_CHARS = 400


def register(app: typer.Typer) -> None:
    """Add the verbs to `app`."""
    app.command("cases")(show_all)
    app.command("case")(show_one)


def show_all(
    state: Annotated[str, typer.Option(help=" or ".join(CaseState))] = "",
    work: Annotated[str, typer.Option(help="number or title")] = "",
    site: Annotated[str, typer.Option(help="number, name or host")] = "",
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="how many, the newest first")] = 50,
    is_json: Annotated[bool, typer.Option("--json", help="for programs")] = False,
) -> None:
    """List the cases."""
    if state and state not in set(CaseState):
        raise BadInput(f"there is no state {state}; choose {' or '.join(CaseState)}")
    with session() as settings:
        from webadmin.models import Case

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
            as_json([_summary(case, settings) for case in cases])
            return
        rows = [
            (
                case.pk,
                case.state,
                case.work.title,
                case.page.site.name,
                case.match_class,
                f"{case.similarity:.1%}",
                ", ".join(item["kind"] for item in case.disguises),
                local_time(case.opened_at, settings),
                case.page_url,
            )
            for case in cases
        ]
        columns = ("case", "state", "work", "site", "class", "similarity", "disguises", "opened", "page")
        table(columns, rows, right=("case", "similarity"))
    if total > limit:
        typer.echo(f"{total - limit} more; see them with --limit {total}", err=True)


def show_one(
    case_key: Annotated[str, typer.Argument(metavar="CASE", help="its number")],
    is_json: Annotated[bool, typer.Option("--json", help="for programs")] = False,
) -> None:
    """Show a case: its figures, and each copied passage of the page under that of the work, changes marked."""
    number = case_number(case_key)
    with session() as settings:
        from webadmin.models import Case
        from webadmin.opinions_shown import opinions_on

        case = (
            Case.objects.select_related("work", "rights_holder", "page__site", "decided_by").filter(pk=number).first()
        )
        if case is None:
            raise BadInput(f"there is no case {number}; list them with zhuiwen cases")
        matches = list(case.matches.filter(version_id=case.version_id)) or list(case.matches.all())
        opinions = opinions_on(case, matches[0].version_id if matches else case.version_id)
        if is_json:
            shown = {"engines": _engines(opinions, settings), "matches": [_match(match, settings) for match in matches]}
            as_json(_summary(case, settings) | shown)
            return
        fields([*_heading(case, settings), ("engines that agree", _agreement(opinions))])
        for match in matches:
            say("")
            say(f"{match.chapter_title or case.work.title}: {match.match_class}, {match.similarity:.1%} similar")
            for place, span in enumerate(match.spans, 1):
                _passage(place, span)


def _passage(number: int, span: Mapping[str, Any]) -> None:
    page, work = span["page"], span["work"]
    say("")
    say(f" {number}. page {page[0]}-{page[1]}, work {work[0]}-{work[1]}, {span['similarity']:.1%}")
    passage("page", pieces_of(span, "page", MAX_EXCERPT_CHARS))
    passage("work", pieces_of(span, "work", MAX_EXCERPT_CHARS))


def _heading(case: "Case", settings: Settings) -> list[tuple[str, object]]:
    decided = ""
    if case.decided_by is not None and case.decided_at is not None:
        decided = f"{case.verdict} by {case.decided_by.get_username()}, {local_time(case.decided_at, settings)}"
    return [
        ("case", case.pk),
        ("state", case.state),
        ("verdict", decided),
        ("note", case.verdict_note),
        ("work", f"{case.work.title} {case.work.author}".strip()),
        ("rights holder", case.rights_holder.name),
        ("site", case.page.site.name),
        ("page", case.page_url),
        ("page title", case.page_title),
        ("class", case.match_class),
        ("similarity", f"{case.similarity:.1%}"),
        ("share of the page", f"{case.page_containment:.1%}"),
        ("share of the work", f"{case.work_containment:.1%}"),
        ("matched characters", f"{case.matched_chars:,}, longest run {case.longest_run_chars:,}"),
        *(("disguise", f"{item['kind']}, {item['count']} times: {item['example']}") for item in case.disguises),
        ("opened", local_time(case.opened_at, settings)),
        ("last seen", local_time(case.last_seen_at, settings)),
    ]


def _summary(case: "Case", settings: Settings) -> dict[str, Any]:
    return {
        "id": case.pk,
        "state": case.state,
        "verdict": case.verdict or None,
        "work": {"id": case.work_id, "title": case.work.title},
        "site": {"id": case.page.site_id, "name": case.page.site.name},
        "page_url": case.page_url,
        "page_title": case.page_title,
        "class": case.match_class,
        "similarity": round(case.similarity, 4),
        "page_containment": round(case.page_containment, 4),
        "work_containment": round(case.work_containment, 4),
        "matched_chars": case.matched_chars,
        "disguises": case.disguises,
        "opened": local_iso(case.opened_at, settings),
        "last_seen": local_iso(case.last_seen_at, settings),
    }


def _agreement(opinions: "OpinionsShown") -> str:
    if opinions.opinion is None:
        return "not asked yet"
    if opinions.opinion.left_out:
        return f"not asked: {opinions.opinion.left_out}"
    names = ", ".join(answer.name for answer in opinions.agreeing)
    return f"{len(opinions.agreeing)} of {opinions.asked}" + (f": {names}" if names else "")


def _engines(opinions: "OpinionsShown", settings: Settings) -> dict[str, Any] | None:
    """None while they were not asked."""
    opinion = opinions.opinion
    if opinion is None:
        return None
    return {
        "agree": len(opinions.agreeing),
        "asked": opinions.asked,
        "left_out": opinion.left_out or None,
        "answers": opinion.answers,
        "piece_chars": opinion.piece_chars,
        "code_version": opinion.code_version,
        "asked_at": local_iso(opinion.asked_at, settings),
    }


def _match(match: "CaseMatch", settings: Settings) -> dict[str, Any]:
    return {
        "chapter": match.chapter_title,
        "text_id": match.text_id,
        "version_id": match.version_id,
        "fetched": local_iso(match.fetched_at, settings),
        "class": match.match_class,
        "similarity": round(match.similarity, 4),
        "algorithm_id": match.algorithm_id,
        "raw_digest": match.raw_digest,
        "spans": match.spans,
        "disguises": match.disguises,
    }
