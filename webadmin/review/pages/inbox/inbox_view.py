"""The landing page, with the queues and their counts, the matters in a queue, and actions on selected matters."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Page
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.states import CaseState, Verdict
from webadmin.accounts.models import RightsHolder, User
from webadmin.accounts.services import access
from webadmin.cases.models import Case, Matter, SavedView, VerdictRecord
from webadmin.cases.models.matter import MAX_NAME_CHARS
from webadmin.cases.pages.bulk_verdicts import respond_to_verdict
from webadmin.cases.services.matters.assignment import assign_matter
from webadmin.cases.services.verdicts import undo_decision
from webadmin.notices.pages.due_view import due_rows
from webadmin.review.pages.inbox.matter_summaries import matter_lines, matter_preview, visible_matter
from webadmin.review.pages.matter_lists import inbox_query
from webadmin.review.pages.matter_lists.inbox_query import (
    InboxQuery,
    filter_chips,
    list_matters,
    read_inbox_query,
)
from webadmin.review.pages.matter_lists.queues import (
    DONE,
    TO_DO,
    Queue,
    count_capped,
    queue_cases,
    queue_matters,
    queue_name,
)
from webadmin.ui.models.phrases import OBFUSCATIONS, VERDICTS
from webadmin.ui.pages.actions import carry_out_each
from webadmin.ui.pages.page_responses import admin_page
from webadmin.ui.pages.paging import MAX_COUNTED, CappedPaginator
from webadmin.ui.pages.requests.request_values import is_key, is_page_number, record_of_key

ON_A_PAGE = 30
UNDO_WITHIN = timedelta(minutes=15)  # later, a verdict can be withdrawn on the case page
MAX_PEOPLE = 200  # options in a filter
MAX_VIEWS = 20  # saved views of one user
DECIDE = "decide_"


def inbox_view(request: HttpRequest) -> HttpResponse:
    """Show the inbox, or perform an action (POST) and redirect to the inbox.

    Raises BadValue for an invalid query string, PermissionDenied for anonymous users.
    """
    if not isinstance(request.user, User):
        raise PermissionDenied
    query = read_inbox_query(request.GET)
    if request.method == "POST":
        return _carry_out(request, request.user, query) or HttpResponseRedirect(query.address)
    return admin_page(request, "review/inbox.html", _inbox_context(request, request.user, query))


def _inbox_context(request: HttpRequest, user: User, query: InboxQuery) -> dict[str, Any]:
    page = _page_context(request, user, query)
    lines = matter_lines([row.pk for row in page.object_list], query)
    chosen = request.GET.get("at", "")
    matter = visible_matter(user, int(chosen) if is_key(chosen) else lines[0].matter.pk, query) if lines else None
    return {
        "title": _("Inbox"),
        "query": query,
        "queues": [_queue_entries(user, query, TO_DO), _queue_entries(user, query, DONE)],
        "views": [(view, view_address(view)) for view in SavedView.objects.filter(user=user)],
        "chips": filter_chips(query, request),
        "choices": _filter_choices(user, query),
        "orders": [(value, name) for value, (name, _field) in inbox_query.ORDERS.items()],
        "order_name": inbox_query.ORDERS[query.order][0],
        "people": _possible_assignees(user),
        "queue_address": InboxQuery({"queue": str(query.queue)}).address,
        "lines": lines,
        "page": page,
        "is_cut": page.paginator.count >= MAX_COUNTED,
        "preview": matter_preview(matter, query) if matter is not None else None,
        "chosen": matter.pk if matter is not None else None,
        "verdicts": [(f"{DECIDE}{member}", phrase, key) for key, (member, phrase) in enumerate(VERDICTS.items(), 1)],
        "undoable": undoable(user),
        "empty": _empty_reason(user, query),
        "due": due_rows(user),
    }


def _page_context(request: HttpRequest, user: User, query: InboxQuery) -> "Page[Matter]":
    rows = list_matters(query, request, user)
    number = request.GET.get("page", "1")
    paginator = CappedPaginator(rows, ON_A_PAGE)
    paginator.count = count_capped(rows)  # unordered, because not every order has an index
    return paginator.get_page(number if is_page_number(number) else 1)


def _queue_entries(user: User, query: InboxQuery, queues: Sequence[Queue]) -> list[dict[str, Any]]:
    matters = access.visible(Matter.objects.all(), user)
    return [
        {
            "name": queue_name(queue),
            "address": InboxQuery({"queue": str(queue)}).address,
            "count": count_capped(queue_matters(queue, matters, user)),
            "is_open": query.queue is queue,
        }
        for queue in queues
    ]


def view_address(view: SavedView) -> str:
    """Return the URL of a saved view."""
    return f"{InboxQuery({}).address}?{view.query}"


def _filter_choices(user: User, query: InboxQuery) -> list[dict[str, Any]]:
    """Return the filters that the query does not use, with their options."""
    holders = list(access.visible(RightsHolder.objects.all(), user)[:50])
    groups: list[tuple[str, str, list[tuple[str, str]]]] = [
        ("holder", _("Rights holder"), [(str(each.pk), str(each)) for each in holders] if len(holders) > 1 else []),
        (
            "assignee",
            _("Assignee"),
            [
                (inbox_query.NOBODY, _("not assigned")),
                *((str(each.pk), str(each)) for each in _possible_assignees(user)),
            ],
        ),
        ("days", _("Newest case"), [(str(n), _("last %(days)s days") % {"days": n}) for n in inbox_query.DAYS]),
        (
            "share",
            _("Share of the work"),
            [(str(n), _("%(share)s%% or more") % {"share": n}) for n in inbox_query.SHARES],
        ),
        ("early", _("Official publication"), [("1", _("before it"))]),
        ("kind", _("Alteration"), [(str(kind), str(name)) for kind, name in OBFUSCATIONS.items()]),
    ]
    return [
        {"name": name, "label": label, "options": options}
        for name, label, options in groups
        if options and name not in query.values
    ]


def _possible_assignees(user: User) -> list[User]:
    """Return the active members of the user's rights holders."""
    members = access.visible(User.objects.filter(is_active=True, memberships__isnull=False), user)
    return list(members.distinct().order_by("username")[:MAX_PEOPLE])


def undoable(user: User) -> tuple[VerdictRecord, int] | None:
    """Return the user's last verdict and the number of cases decided with it, or None if it cannot be undone here."""
    newest = VerdictRecord.objects.filter(decided_by=user).select_related("case").first()
    if newest is None or not newest.verdict or timezone.now() - newest.decided_at > UNDO_WITHIN:
        return None
    return newest, _joint_decisions(newest).count()


def _joint_decisions(record: VerdictRecord) -> Any:
    """Return the verdicts given together with this one, including itself."""
    return VerdictRecord.objects.filter(decided_by=record.decided_by_id, decided_at=record.decided_at)


def _empty_reason(user: User, query: InboxQuery) -> str:
    """Return the reason why the list is empty ("filtered", "nothing" or "done"), which selects the displayed advice."""
    if query.words or set(query.values) - {"queue", "order"}:
        return "filtered"
    if not access.visible(Matter.objects.all(), user).exists():
        return "nothing"
    return "done"


def _carry_out(request: HttpRequest, user: User, query: InboxQuery) -> HttpResponse | None:
    """Perform the action of the form. Return a confirmation page, or None to redirect to the inbox."""
    action = request.POST.get("action", "")
    if action.startswith(DECIDE) and action.removeprefix(DECIDE) in set(Verdict):
        return _decide_matters(request, user, query, Verdict(action.removeprefix(DECIDE)))
    if action == "undo":
        _undo_verdicts(request, user)
    elif action == "assign":
        _assign_matters(request, user)
    elif action == "save":
        _save_view(request, user, query)
    elif action == "forget" and is_key(request.POST.get("view", "")):
        SavedView.objects.filter(user=user, pk=int(request.POST["view"])).delete()
    else:
        messages.error(request, _("Choose an action first."))
    return None


def _chosen_matters(request: HttpRequest, user: User) -> list[Matter]:
    keys = [int(key) for key in request.POST.getlist("matter") if is_key(key)][:ON_A_PAGE]
    return list(access.visible(Matter.objects.filter(pk__in=keys), user).select_related("rights_holder"))


def _decide_matters(request: HttpRequest, user: User, query: InboxQuery, verdict: Verdict) -> HttpResponse | None:
    """Return a confirmation page for one verdict on the selected cases.

    Without selected cases, these are all undecided cases of the selected matters, or in the queues of changed and
    returned pages, the cases of the queue. Returns None if there are none.
    """
    cases = access.visible(Case.objects.order_by("matter", "pk"), user)
    named = [int(key) for key in request.POST.getlist("_selected_action") if is_key(key)]
    if named:
        cases = cases.filter(pk__in=named)
    else:
        waiting = Q(state__in=[CaseState.OPEN, CaseState.SET_ASIDE])
        if query.queue in (Queue.CHANGED, Queue.RETURNED):
            waiting = queue_cases(query.queue)
        cases = cases.filter(waiting, matter__in=_chosen_matters(request, user))
        if not cases.exists():
            messages.error(request, _("Choose matters that have undecided cases."))
            return None
    return respond_to_verdict(request, cases, verdict)


def _undo_verdicts(request: HttpRequest, user: User) -> None:
    found = undoable(user)
    if found is None or str(found[0].pk) != request.POST.get("basis", ""):
        messages.error(request, _("You have nothing to undo here."))
        return
    records = _joint_decisions(found[0]).select_related("case")
    done = carry_out_each(
        request, records, lambda each: undo_decision(each.case, user, each.pk), lambda each: str(each.case)
    )
    if done:
        words = ngettext(
            "The verdict on %(count)d case was undone.", "The verdicts on %(count)d cases were undone.", done
        )
        messages.success(request, words % {"count": done})


def _assign_matters(request: HttpRequest, user: User) -> None:
    matters, key = _chosen_matters(request, user), request.POST.get("assignee", "")
    person = record_of_key(access.visible(User.objects.all(), user), key)
    if not matters or (person is None and key != inbox_query.NOBODY):
        messages.error(request, _("Choose matters, and whom to assign them to."))
        return
    if done := carry_out_each(request, matters, lambda matter: assign_matter(matter, person, user)):
        who = person.get_username() if person is not None else _("nobody")
        words = ngettext("%(count)d matter assigned to %(who)s.", "%(count)d matters assigned to %(who)s.", done)
        messages.success(request, words % {"count": done, "who": who})


def _save_view(request: HttpRequest, user: User, query: InboxQuery) -> None:
    name = request.POST.get("name", "").strip()
    views = SavedView.objects.filter(user=user)
    if not name or len(name) > MAX_NAME_CHARS or not query.values:
        words = _("Choose a queue or filter, and name the view in at most %(most)d characters.")
        messages.error(request, words % {"most": MAX_NAME_CHARS})
    elif views.exclude(name=name).count() >= MAX_VIEWS:
        messages.error(request, _("You have %(count)d saved views; delete one first.") % {"count": MAX_VIEWS})
    else:
        SavedView.objects.update_or_create(user=user, name=name, defaults={"query": query.query_string})
        messages.success(request, _("The view “%(name)s” was saved.") % {"name": name})
