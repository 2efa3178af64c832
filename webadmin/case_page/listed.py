"""The list that a case was opened from: where the case stands in it, and which cases come before and after it.

Django's lists hand what they were filtered by on in one parameter of each link; without it, the list is that of the
open cases, newest first.
"""

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.http import HttpRequest, QueryDict

from core.states import CaseState
from records.models import Case
from webadmin.neighbours import FILTERS, Listed

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin

MAX_LISTED = 10_000  # as far as a list counts its rows (webadmin.paging)
_OPEN = urlencode({"state__exact": CaseState.OPEN})


def listed(request: HttpRequest, case: Case, model_admin: "ModelAdmin[Case]") -> Listed:
    """Where the case stands in the list that the request names; filters that cannot be read are those of open cases."""
    filters = request.GET.get(FILTERS, _OPEN)
    try:
        keys = _keys(request, filters, model_admin)
    except BadRequest:
        filters = _OPEN
        keys = _keys(request, filters, model_admin)
    if case.pk in keys:
        at = keys.index(case.pk)
        before, behind = keys[:at], keys[at + 1 :]
    else:  # decided since, so that it fell out: it goes on with what is older
        at = -1
        older = [place for place, key in enumerate(keys) if key < case.pk]
        cut = older[0] if older else len(keys)
        before, behind = keys[:cut], keys[cut:]
    return Listed(
        filters=filters,
        place=at + 1,
        count=min(len(keys), MAX_LISTED),
        is_cut=len(keys) > MAX_LISTED,
        previous=before[-1] if before else None,
        following=behind[0] if behind else None,
    )


def _keys(request: HttpRequest, filters: str, model_admin: "ModelAdmin[Case]") -> Sequence[int]:
    asked = copy(request)
    asked.GET = QueryDict(filters)
    asked.method = "GET"
    asked.POST = QueryDict()
    changelist = model_admin.get_changelist_instance(asked)
    return list(changelist.get_queryset(asked).values_list("pk", flat=True)[: MAX_LISTED + 1])
