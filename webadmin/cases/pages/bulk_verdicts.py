"""Records the same verdict on many cases, after the user has confirmed a preview."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.clock import ManualClock
from core.states import Verdict
from webadmin.accounts.pages.isolation import signed_in_user
from webadmin.cases.models import Case, VerdictRecord
from webadmin.cases.services.verdicts import decide
from webadmin.ui.models.phrases import VERDICTS
from webadmin.ui.pages.actions import carry_out_each
from webadmin.ui.pages.page_responses import admin_page

# A verdict writes two rows. 500 verdicts take about a second on SQLite, and nobody reviews more at once.
MAX_VERDICTS_AT_ONCE = 500
# The form field with the newest decision of each case in the preview, as pairs CASE:DECISION,... of keys; 0 for none.
SEEN = "seen"
_PAIR = re.compile("[0-9]{1,19}:[0-9]{1,19}")


@dataclass(slots=True)
class VerdictPlan:
    """The effect of a verdict on the chosen cases. left_out: the cases that it cannot be given on, by reason."""

    able: list[Any] = field(default_factory=list)  # the cases to decide, with the key of their newest decision
    left_out: dict[str, list[Any]] = field(default_factory=dict)


def plan_verdicts(cases: Sequence[Any], verdict: Verdict | None) -> VerdictPlan:
    """Return the plan for a verdict on `cases`, or for its withdrawal (None).

    Cases that need an individual decision, because the page has changed or is allowed, are left out.
    """
    plan = VerdictPlan()
    for case in cases:
        reason = _reason_to_leave_out(case, verdict)
        (plan.left_out.setdefault(reason, []) if reason else plan.able).append(case)
    return plan


def respond_to_verdict(
    request: HttpRequest,
    queryset: QuerySet,
    verdict: Verdict | None,
) -> HttpResponse | None:
    """Return the preview of a verdict on the cases in `queryset`, or record it if it is confirmed and return None.

    verdict: None withdraws the current verdicts. All records have the same time. More than MAX_VERDICTS_AT_ONCE cases
    are rejected with a message.
    """
    newest = VerdictRecord.objects.filter(case=OuterRef("pk")).order_by("-decided_at", "-pk").values("pk")[:1]
    chosen = queryset.select_related("page").annotate(newest=Subquery(newest))
    cases: list[Any] = list(chosen[: MAX_VERDICTS_AT_ONCE + 1])
    if len(cases) > MAX_VERDICTS_AT_ONCE:
        words = _("At most %(count)d cases at once; choose fewer.") % {"count": MAX_VERDICTS_AT_ONCE}
        messages.error(request, words)
        return None
    plan = plan_verdicts(cases, verdict)
    if SEEN not in request.POST:
        context = _preview_context(request, plan, verdict)
        return admin_page(request, "cases/bulk_verdict.html", context)
    _record_verdicts(request, plan, verdict)
    return None


def _reason_to_leave_out(case: Case, verdict: Verdict | None) -> str:
    if verdict is None:
        return "" if case.decision_id else _("there is no verdict to undo")
    if case.verdict == verdict and not (case.changed_since or case.returned_at):
        return _("this is already the verdict")
    if case.allowed_as and verdict is Verdict.CONFIRMED:
        return _("allowed: %(reason)s") % {"reason": case.get_allowed_as_display()}
    if case.page.gone_since is None and case.page.version_id != case.version_id:
        return _("the page has changed since it was compared")
    return ""


def _record_verdicts(request: HttpRequest, plan: VerdictPlan, verdict: Verdict | None) -> None:
    clock, user, note = ManualClock(timezone.now()), signed_in_user(request), request.POST.get("note", "")
    seen = dict(pair.split(":") for pair in request.POST[SEEN].split(",") if _PAIR.fullmatch(pair))

    def give(case: Case) -> None:
        decide(case, verdict, user, note, clock=clock, basis=int(seen.get(str(case.pk), 0)))

    done = carry_out_each(request, plan.able, give)
    for reason, cases in plan.left_out.items():
        words = ngettext("%(count)d case left out: %(reason)s.", "%(count)d cases left out: %(reason)s.", len(cases))
        messages.warning(request, words % {"count": len(cases), "reason": reason})
    if not done:
        messages.warning(request, _("No case was changed."))
        return
    name = VERDICTS[verdict] if verdict else _("verdict undone")
    messages.success(request, _("%(count)d cases: %(verdict)s.") % {"count": done, "verdict": name})


def _preview_context(request: HttpRequest, plan: VerdictPlan, verdict: Verdict | None) -> dict[str, Any]:
    return {
        "opts": Case._meta,
        "title": _("What happens next"),
        "plan": plan,
        "verdict": VERDICTS[verdict] if verdict else _("undo the verdict"),
        "action": request.POST.get("action", ""),
        "note": request.POST.get("note", ""),
        "checkbox": ACTION_CHECKBOX_NAME,
        "seen_name": SEEN,
        "seen": ",".join(f"{case.pk}:{case.newest or 0}" for case in plan.able),
    }
