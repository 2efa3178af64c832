"""Reasons that reviewers give again and again, to be chosen instead of written."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from core.states import Verdict
from records.models.phrases import VERDICTS

REASONS: dict[Verdict, tuple[Promise, ...]] = {
    Verdict.CONFIRMED: (
        _("The whole chapter was published without a licence."),
        _("Most of the text was published without a licence; characters were replaced to hide it."),
        _("An excerpt that goes beyond what quotation allows."),
    ),
    Verdict.LICENSED: (
        _("A contract allows this site to publish the work."),
        _("The rights holder agreed to this publication in writing."),
    ),
    Verdict.FAIR_USE: (
        _("A short quotation for review or comment; author and title are named (article 24)."),
        _("Reporting of news cannot do without the passage (article 24)."),
        _("For teaching or research, in few copies (article 24)."),
    ),
    Verdict.NOT_PROTECTED: (
        _("A mere report of facts (article 5)."),
        _("An official text or its official translation (article 5)."),
        _("The term of protection has expired."),
    ),
    Verdict.NOT_OURS: (
        _("Both took the passage from an older text of somebody else."),
        _("The right in this text was given to somebody else."),
    ),
    Verdict.FALSE_ALARM: (
        _("The texts share phrases that anybody uses, and nothing more."),
        _("The passages do not match: other persons, places or plot."),
    ),
}


def offered_reasons() -> list[tuple[str, list[tuple[str, Promise]]]]:
    """By the name of their verdict: what a form sends, and the sentence."""
    return [
        (VERDICTS[verdict], [(f"{verdict}-{place}", reason) for place, reason in enumerate(reasons)])
        for verdict, reasons in REASONS.items()
    ]


def reason_of(asked: str) -> str:
    """The sentence that a form names as VERDICT-NUMBER; "" for what is none."""
    verdict, _dash, number = asked.rpartition("-")
    known = REASONS[Verdict(verdict)] if verdict in set(Verdict) else ()
    return str(known[int(number)]) if number in map(str, range(len(known))) else ""
