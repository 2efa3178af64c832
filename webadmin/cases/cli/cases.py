"""The commands `cases` and `case`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.clock import SystemClock
from core.errors import BadInput, NotFound, RetryLater
from core.settings import Settings
from core.shares import cut_share, format_percentage
from core.states import COPIES, CaseState
from core.wording import Message
from webadmin.cases.cli.keys import find_case
from webadmin.sites.cli.keys import find_site
from webadmin.ui.console.faults import complain
from webadmin.ui.console.lists import ConsoleColumn, as_record, print_list, share_column
from webadmin.ui.console.output import as_json, excerpt_pieces, print_fields, print_line, print_passage
from webadmin.ui.console.session import local_iso, local_time, session
from webadmin.ui.console.words import obfuscation, obfuscation_found, translate_for_console
from webadmin.works.cli.keys import find_work

if TYPE_CHECKING:
    from webadmin.cases.models import Case, CaseMatch
    from webadmin.cases.services.opinions.summary import OpinionsSection

MAX_EXCERPT_CHARS = 400


def cases(
    state: Annotated[str, typer.Option(help=" or ".join(CaseState))] = "",
    work: str = "",
    site: str = "",
    limit: Annotated[int, typer.Option(min=1, max=100_000)] = 50,
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """List the cases."""
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


def case(
    case_key: Annotated[str, typer.Argument(metavar="CASE")],
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Show a case with its figures, and each copied passage of the page below the work's, with changes marked."""
    with session() as settings:
        from webadmin.cases.services.opinions.summary import read_opinions

        case = find_case(case_key)
        matches = list(case.matches.filter(version_id=case.version_id)) or list(case.matches.all())
        version = matches[0].version_id if matches else case.version_id
        opinions = read_opinions(case, version, SystemClock().now())
        refusal = _ask_engines(case, version) if opinions.opinion is None else None
        if is_json:
            if refusal:
                complain(Message("corpus.engines-not-asked", reason=refusal))
            shown = {
                "engines": _opinions_record(opinions, settings),
                "matches": [_match_record(match, settings) for match in matches],
            }
            as_json(
                as_record(case, _COLUMNS, settings) | {"addresses": _address_records([case], settings)[case.pk]} | shown
            )
            return
        print_fields([*_heading_rows(case, settings), ("column.engines-agree", _describe_agreement(opinions, refusal))])
        for match in matches:
            print_line("")
            text = match.chapter_title or case.work.title
            kind, similarity = match.get_match_class_display(), format_percentage(match.similarity)
            print_line(Message("corpus.match", text=text, match_class=kind, similarity=similarity))
            for place, span in enumerate(match.spans, 1):
                _print_passage(place, span)


def _print_passage(number: int, span: Mapping[str, Any]) -> None:
    page, work = span["page"], span["work"]
    print_line("")
    told = Message(
        "corpus.passage",
        number=number,
        page_start=page[0],
        page_end=page[1],
        work_start=work[0],
        work_end=work[1],
        similarity=format_percentage(span["similarity"]),
    )
    print_line(f" {translate_for_console(told)}")
    print_passage("column.page", excerpt_pieces(span, "page", MAX_EXCERPT_CHARS))
    print_passage("column.work", excerpt_pieces(span, "work", MAX_EXCERPT_CHARS))


def _heading_rows(case: "Case", settings: Settings) -> list[tuple[str, object]]:
    return [
        ("column.case", case.pk),
        ("column.state", case.get_state_display()),
        ("column.verdict", _describe_decision(case, settings)),
        ("column.note", case.decision.note if case.decision else ""),
        ("column.allowed", _describe_allowance(case, settings)),
        ("column.work", f"{case.work.title} {case.work.author}".strip()),
        ("column.rights-holder", case.rights_holder.name),
        ("column.site", case.page.site.name),
        *(("column.page", each) for each in _describe_addresses(case, settings)),
        ("column.page-title", case.page_title),
        ("column.poster", case.page_poster),
        ("column.page-author", case.page_author),
        ("column.signature", "" if case.page_poster or case.page_author else Message("corpus.unsigned")),
        ("column.published", local_time(case.page_published_at, settings) if case.page_published_at else ""),
        ("column.class", case.get_match_class_display()),
        ("column.similarity", format_percentage(case.similarity)),
        ("column.share-of-page", format_percentage(case.page_containment)),
        ("column.share-of-work", format_percentage(case.work_share)),
        ("column.taken-of-work", Message("corpus.taken-of", taken=case.taken_chars, total=case.work.counted_chars)),
        ("column.on-page", Message("corpus.on-page", chars=case.matched_chars, longest=case.longest_equal_run_chars)),
        *(
            ("column.obfuscation", obfuscation_found(item["kind"], item["count"], item["example"]))
            for item in case.obfuscations
        ),
        ("column.opened", local_time(case.opened_at, settings)),
        ("column.first-seen", local_time(case.first_seen_at, settings)),
        ("column.last-seen", local_time(case.last_seen_at, settings)),
    ]


def _describe_addresses(case: "Case", settings: Settings) -> "Iterator[Message | str]":
    """Yield the URL of the case, or several URLs with their first and last times."""
    from webadmin.cases.services.addresses import list_addresses

    listed = list_addresses(case)
    for each in listed:
        times = {"first": local_time(each.first_seen_at, settings), "last": local_time(each.last_seen_at, settings)}
        yield each.url if len(listed) == 1 else Message("corpus.address", url=each.url, **times)


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


def _describe_decision(case: "Case", settings: Settings) -> Message | str:
    if case.decision is None:
        return ""
    from webadmin.ui.models.phrases import VERDICTS

    return Message(
        "corpus.decided",
        verdict=str(VERDICTS[case.verdict]),  # type: ignore[index]
        user=case.decision.decided_by.get_username(),
        when=local_time(case.decision.decided_at, settings),
    )


def _describe_allowance(case: "Case", settings: Settings) -> Message | str:
    from webadmin.cases.services.allowance import current_allowance

    allowed = current_allowance(case)
    if allowed is None:
        return ""
    if allowed.is_of_finding:
        return str(case.get_allowed_as_display())
    reason, by = str(case.get_allowed_as_display()), case.allowed_by or f"《{case.work.title}》"
    if not allowed.entered_at:
        return Message("corpus.allowed", reason=reason, by=by)
    when = local_time(allowed.entered_at, settings)
    if not allowed.by:
        return Message("corpus.allowed-since", reason=reason, by=by, when=when)
    return Message("corpus.allowed-by", reason=reason, by=by, user=str(allowed.by), when=when)


def _ask_engines(case: "Case", version_id: str) -> Message | None:
    """Request the opinions of the published engines, and return the reason for a failure; may be None."""
    from webadmin.cases.services.opinions.requests import OpinionSubject, request_opinions

    try:
        request_opinions(OpinionSubject(case.pk, version_id), SystemClock().now())
    except (NotFound, RetryLater) as error:
        return error.message
    return None


def _describe_agreement(opinions: "OpinionsSection", refusal: Message | None) -> Message:
    if opinions.opinion is None:
        return Message("corpus.not-asked", reason=refusal) if refusal else Message("corpus.being-asked")
    if opinions.opinion.left_out:
        return Message("corpus.not-asked", reason=opinions.opinion.get_left_out_display())
    names = [answer.name for answer in opinions.agreeing]
    if not names:
        return Message("corpus.agree", count=0, asked=opinions.asked_count)
    return Message("corpus.agree-named", count=len(names), asked=opinions.asked_count, names=names)


def _opinions_record(opinions: "OpinionsSection", settings: Settings) -> dict[str, Any] | None:
    """Return the engines' answers as JSON values, or None while there are none."""
    opinion = opinions.opinion
    if opinion is None:
        return None
    return {
        "agree": len(opinions.agreeing),
        "asked": opinions.asked_count,
        "left_out": opinion.left_out or None,
        "answers": opinion.answers,
        "piece_chars": opinion.piece_chars,
        "code_version": opinion.code_version,
        "asked_at": local_iso(opinion.asked_at, settings),
    }


def _match_record(match: "CaseMatch", settings: Settings) -> dict[str, Any]:
    return {
        "chapter": match.chapter_title,
        "text_id": match.text_id,
        "version_id": match.version_id,
        "fetched": local_iso(match.fetched_at, settings),
        "class": match.match_class,
        "similarity": cut_share(match.similarity),
        "algorithm_id": match.algorithm_id,
        "raw_digest": match.raw_digest,
        "spans": match.spans,
        "obfuscations": match.obfuscations,
    }
