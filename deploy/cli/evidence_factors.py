"""The verb `evidence factors`: what a court may look at, of a case or a matter, factor by factor."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from core.clock import SystemClock
from core.errors import BadInput
from core.wording import Message
from deploy.cli.keys import case_number, matter_number
from deploy.cli.output import as_json, say
from deploy.cli.session import local_time, session
from deploy.words import worded

if TYPE_CHECKING:
    from records.evidence.subject import Subject


def factors(
    case_key: Annotated[str, typer.Argument(metavar="CASE")],
    is_matter: Annotated[bool, typer.Option("--matter")] = False,
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Show factor by factor what of the evidence is there, and what is not; it is for the court to judge."""
    number = matter_number(case_key) if is_matter else case_number(case_key)
    with session() as settings:
        from records.evidence.factor_facts import facts_of
        from records.evidence.factors import sheet, source_of

        facts = facts_of(_subject(number, is_matter=is_matter), SystemClock().now())
        if is_json:
            as_json([each.as_dict() for each in sheet(facts)])
            return

        def moment(at: datetime) -> str:
            return local_time(at, settings)

        there, missing = Message("factor.there"), Message("factor.missing")
        say(Message("factor.opening"))
        if facts.looked_into < facts.bundles:
            say(Message("factor.looked-into", bundles=facts.bundles, looked=facts.looked_into))
        for factor in sheet(facts, moment):
            say("")
            say(factor.title)
            say(f"  {worded(source_of(factor))}")
            marked = [(there, each) for each in factor.there] + [(missing, each) for each in factor.missing]
            for head, each in marked:
                say(f"  {worded(Message('cli.field', name=head, value=each))}")


def _subject(number: int, *, is_matter: bool) -> "Subject":
    from records.evidence.subject import Subject
    from records.models import Case, Matter

    if is_matter:
        matter = Matter.objects.select_related("site", "work", "rights_holder").filter(pk=number).first()
        if matter is None:
            raise BadInput("corpus.no-matter", number=number)
        return Subject(matter=matter)
    case = Case.objects.select_related("rights_holder").filter(pk=number).first()
    if case is None:
        raise BadInput("corpus.no-case", number=number)
    return Subject(case=case)
