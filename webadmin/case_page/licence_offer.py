"""The licences that a manager can make with the verdict "licensed", in plain words, with what each would do."""

from dataclasses import dataclass
from datetime import date

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from records import access
from records.cases.licensing import Others, Scope, offer_of
from records.models import Case

FIELD, LICENSEE = "licence", "licensee"  # what the form sends: a scope, "" for none, and who may publish


@dataclass(frozen=True, slots=True)
class Choice:
    """value: as the form sends it; effect: what becomes of other open cases, "" for no licence."""

    value: str
    name: str
    effect: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Offered:
    """What the form of the verdict asks: which licence goes with it, and to whom it is given."""

    choices: tuple[Choice, ...]
    licensee: str
    since: date


def licence_offer(request: HttpRequest, case: Case) -> Offered | None:
    """None where the user may enter no licence, or none can be made. Chosen is the narrowest, or what was refused."""
    offer = offer_of(case) if access.may_manage(request.user, case) else None
    if offer is None:
        return None
    names = {
        Scope.PAGE: _("this page only"),
        Scope.WORK: _("this work on %(host)s") % {"host": offer.host},
        Scope.SITE: _("all works on %(host)s") % {"host": offer.host},
    }
    default = str(Scope.PAGE) if Scope.PAGE in offer.others else ""
    chosen = request.POST.get(FIELD, default)
    choices = [
        Choice(str(scope), names[scope], _effect(others), chosen == scope) for scope, others in offer.others.items()
    ]
    choices.append(Choice("", _("none: the verdict alone"), "", chosen == ""))
    return Offered(tuple(choices), request.POST.get(LICENSEE, case.page.site.name), offer.since)


def _effect(others: Others) -> str:
    if not others.count:
        return _("sets aside no other open case")
    cases = f"{others.count}+" if others.is_cut else str(others.count)
    words = ngettext("sets aside %(cases)s other open case", "sets aside %(cases)s other open cases", others.count)
    return words % {"cases": cases}
