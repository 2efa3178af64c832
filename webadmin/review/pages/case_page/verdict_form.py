"""The verdict form, with common reasons, and licences for the verdict "licensed"."""

from dataclasses import dataclass
from datetime import date

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from core.states import Verdict
from webadmin.accounts.services import access
from webadmin.cases.models import Case
from webadmin.cases.services.licensing import MAX_COUNTED, LicenceScope, offer_licences
from webadmin.ui.models.phrases import VERDICTS

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
        _("A short quotation for review or comment that names author and title (article 24)."),
        _("Reporting of news cannot do without the passage (article 24)."),
        _("For teaching or research, in few copies (article 24)."),
    ),
    Verdict.NOT_PROTECTED: (
        _("A mere report of facts (article 5)."),
        _("An official text or its official translation (article 5)."),
        _("The term of protection has expired."),
    ),
    Verdict.NOT_OURS: (
        _("Both took the passage from an older text by someone else."),
        _("The right to this text was transferred to someone else."),
    ),
    Verdict.FALSE_ALARM: (
        _("The texts share only common phrases."),
        _("The passages do not match: other persons, places or plot."),
    ),
}


def offered_reasons() -> list[tuple[str, list[tuple[str, Promise]]]]:
    """Return pairs of form value and sentence for the common reasons, by verdict."""
    return [
        (VERDICTS[verdict], [(f"{verdict}-{place}", reason) for place, reason in enumerate(reasons)])
        for verdict, reasons in REASONS.items()
    ]


def read_reason(requested: str) -> str:
    """Return the sentence for the form value VERDICT-NUMBER, or "" for any other value."""
    verdict, _dash, number = requested.rpartition("-")
    known = REASONS[Verdict(verdict)] if verdict in set(Verdict) else ()
    return str(known[int(number)]) if number in map(str, range(len(known))) else ""


FIELD, LICENSEE = "licence", "licensee"  # The form fields: a scope or "", and the licensee.


@dataclass(frozen=True, slots=True)
class LicenceChoice:
    """A scope of a licence.

    value: the form value, "" for no licence. effect: the effect on other open cases, or "" for no licence.
    """

    value: str
    name: str
    effect: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class LicenceFields:
    """The form fields for a licence. choices: the scopes. since: the first day."""

    choices: tuple[LicenceChoice, ...]
    licensee: str
    since: date


def licence_offer(request: HttpRequest, case: Case) -> LicenceFields | None:
    """Return the licence fields, or None if the user may not enter a licence or no licence is possible.

    The default scope is the narrowest, or the scope in a rejected form.
    """
    offer = offer_licences(case) if access.may_manage(request.user, case) else None
    if offer is None:
        return None
    names = {
        LicenceScope.PAGE: _now("This page only"),
        LicenceScope.WORK: _now("This work on %(host)s") % {"host": offer.host},
        LicenceScope.SITE: _now("All works on %(host)s") % {"host": offer.host},
    }
    default = str(LicenceScope.PAGE) if LicenceScope.PAGE in offer.others else ""
    chosen = request.POST.get(FIELD, default)
    choices = [
        LicenceChoice(str(scope), names[scope], _describe_effect(others), chosen == scope)
        for scope, others in offer.others.items()
    ]
    choices.append(LicenceChoice("", _now("No licence, verdict only"), "", chosen == ""))
    return LicenceFields(tuple(choices), request.POST.get(LICENSEE, case.page.site.name), offer.since)


def _describe_effect(others: int) -> str:
    if not others:
        return _now("Sets aside no other open case")
    cases = f"{MAX_COUNTED}+" if others > MAX_COUNTED else str(others)
    words = ngettext("Also sets aside %(cases)s other open case", "Also sets aside %(cases)s other open cases", others)
    return words % {"cases": cases}
