"""The position of a case in the inbox from which it was opened, sorted by matter and then by case number."""

from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.db.models import QuerySet
from django.http import HttpRequest, QueryDict
from django.urls import reverse

from webadmin.accounts.models import User
from webadmin.cases.models import Case, Matter
from webadmin.review.pages.matter_lists.inbox_query import (
    InboxQuery,
    adjacent_matters,
    list_matters,
    read_inbox_query,
)
from webadmin.review.pages.matter_lists.queues import queue_cases
from webadmin.ui.pages.neighbours import CaseNeighbours
from webadmin.ui.pages.paging import MAX_COUNTED

INBOX = "inbox"  # The parameter with the inbox query in the URL of a case.
MAX_MATTERS_SEARCHED = 200  # matters searched for the next case


def case_url(case: int, query: InboxQuery) -> str:
    """Return the URL of a case opened from the inbox with this query."""
    return f"{reverse('admin:cases_case_change', args=[case])}?{urlencode({INBOX: query.query_string})}"


def inbox_position(request: HttpRequest, case: Case) -> CaseNeighbours | None:
    """Return the position of a case in its matter and its neighbours, or None if it was not opened from the inbox."""
    if INBOX not in request.GET or not isinstance(request.user, User) or case.matter is None:
        return None
    try:
        query = read_inbox_query(QueryDict(request.GET[INBOX]))
    except BadRequest:
        query = InboxQuery({})
    meant = queue_cases(query.queue)
    of_matter = Case.objects.filter(meant, matter=case.matter_id)
    rows = list_matters(query, request, request.user)
    is_in = of_matter.filter(pk=case.pk).exists()
    before, behind = of_matter.filter(pk__lt=case.pk), of_matter.filter(pk__gt=case.pk)
    return CaseNeighbours(
        filters=query.query_string,
        place=before[:MAX_COUNTED].count() + 1 if is_in else 0,
        count=of_matter[:MAX_COUNTED].count(),
        is_cut=False,
        previous=_first_key(before, "-pk") or _neighbouring_case(rows, case.matter, query, is_back=True),
        following=_first_key(behind, "pk") or _neighbouring_case(rows, case.matter, query, is_back=False),
        parameter=INBOX,
        home=query.address,
    )


def _first_key(cases: "QuerySet[Case]", order: str) -> int | None:
    return cases.order_by(order).values_list("pk", flat=True).first()


def _neighbouring_case(rows: "QuerySet[Matter]", matter: Matter, query: InboxQuery, *, is_back: bool) -> int | None:
    """Return the key of the nearest case in the queue, in the matters before or after this one, or None.

    rows: the matters in the inbox.
    """
    meant = queue_cases(query.queue)
    for other in adjacent_matters(rows, matter, query.order, is_back=is_back).values_list("pk", flat=True)[
        :MAX_MATTERS_SEARCHED
    ]:
        found = _first_key(Case.objects.filter(meant, matter=other), "-pk" if is_back else "pk")
        if found is not None:
            return found
    return None
