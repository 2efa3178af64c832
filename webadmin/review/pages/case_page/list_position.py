"""The position of a case in the list from which it was opened, and its neighbours.

Django's lists preserve their filters in a parameter of each link. Without it, the list of open cases is used, the
newest first.
"""

from collections.abc import Sequence
from copy import copy
from urllib.parse import urlencode

from django.contrib import admin
from django.core.exceptions import BadRequest
from django.db.models import Q, QuerySet
from django.http import HttpRequest, QueryDict

from core.states import CaseState
from webadmin.cases.models import Case
from webadmin.ui.pages.neighbours import FILTERS, CaseNeighbours
from webadmin.ui.pages.paging import MAX_COUNTED as MAX_LISTED
from webadmin.ui.pages.paging import ONLY_QUERY

_OPEN = urlencode({"state__exact": CaseState.OPEN})


def list_position(request: HttpRequest, case: Case) -> CaseNeighbours:
    """Return the position of a case in the list that the request names, or of open cases if its filters are invalid.

    A case that is no longer in the list, for example because it was decided, has the neighbours of its former position.
    """
    filters = request.GET.get(FILTERS, _OPEN)
    try:
        rows = _list_rows(request, filters)
    except BadRequest:
        filters = _OPEN
        rows = _list_rows(request, filters)
    order = [str(term) for term in rows.query.order_by]
    before, behind = (
        rows.filter(_side_condition(case, order, is_before=True)),
        rows.filter(_side_condition(case, order)),
    )
    count, passed = (each.order_by()[: MAX_LISTED + 1].count() for each in (rows, before))
    return CaseNeighbours(
        filters=filters,
        place=min(passed, MAX_LISTED) + 1 if rows.filter(pk=case.pk).exists() else 0,
        count=min(count, MAX_LISTED),
        is_cut=count > MAX_LISTED,
        is_far=passed > MAX_LISTED,
        previous=before.reverse().values_list("pk", flat=True).first(),
        following=behind.values_list("pk", flat=True).first(),
    )


def _list_rows(request: HttpRequest, filters: str) -> "QuerySet[Case]":
    """Return the unevaluated query of the list, in its order. Raises BadRequest for invalid filters."""
    list_request = copy(request)
    list_request.GET = QueryDict(filters)
    list_request.method = "GET"
    list_request.POST = QueryDict()
    setattr(list_request, ONLY_QUERY, True)
    return admin.site.get_model_admin(Case).get_changelist_instance(list_request).queryset.select_related(None)


def _side_condition(case: Case, order: Sequence[str], *, is_before: bool = False) -> Q:
    """Return the condition for the rows before or after a case in an order.

    The first sort value bounds the range of the index. The other values distinguish rows with an equal first value.
    """
    side, alike, bound = Q(pk__in=[]), Q(), Q()
    for term in order:
        name = term.removeprefix("-")
        value = getattr(case, name)
        comparison = "gt" if term.startswith("-") == is_before else "lt"
        side |= alike & Q(**{f"{name}__{comparison}": value})
        bound = bound or Q(**{f"{name}__{comparison}e": value})
        alike &= Q(**{name: value})
    return bound & side
