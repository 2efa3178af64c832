"""A case among those of the inbox that it was opened from: matter by matter, each matter's in the order of opening."""

from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.db.models import QuerySet
from django.http import HttpRequest, QueryDict
from django.urls import reverse

from webadmin.accounts.models import User
from webadmin.cases.models import Case, Matter
from webadmin.review.pages.matter_lists.asked import Asked, asked_of, beside, matters_of
from webadmin.review.pages.matter_lists.queues import cases_in
from webadmin.review.pages.matter_lists.search import found_by_words
from webadmin.ui.pages.neighbours import Listed
from webadmin.ui.pages.paging import MAX_COUNTED

INBOX = "inbox"  # holds the query of the inbox in the address of a case
MAX_TURNED = 200  # matters that are looked through for the next case


def case_address(case: int, asked: Asked) -> str:
    """Of a case as the inbox opens it."""
    return f"{reverse('admin:cases_case_change', args=[case])}?{urlencode({INBOX: asked.query})}"


def among_matters(request: HttpRequest, case: Case) -> Listed | None:
    """Where the case stands in its matter, and what comes before and behind it; None where no inbox was left for it."""
    if INBOX not in request.GET or not isinstance(request.user, User) or case.matter is None:
        return None
    try:
        asked = asked_of(QueryDict(request.GET[INBOX]))
    except BadRequest:
        asked = Asked({})
    meant = cases_in(asked.queue)
    of_matter = Case.objects.filter(meant, matter=case.matter_id)
    rows = matters_of(asked, request.user, lambda rows, typed: found_by_words(request, rows, typed))
    is_in = of_matter.filter(pk=case.pk).exists()
    before, behind = of_matter.filter(pk__lt=case.pk), of_matter.filter(pk__gt=case.pk)
    return Listed(
        filters=asked.query,
        place=before[:MAX_COUNTED].count() + 1 if is_in else 0,
        count=of_matter[:MAX_COUNTED].count(),
        is_cut=False,
        previous=_last(before) or _turned(rows, case.matter, asked, is_back=True),
        following=_first(behind) or _turned(rows, case.matter, asked, is_back=False),
        parameter=INBOX,
        home=asked.address,
    )


def _first(cases: "QuerySet[Case]") -> int | None:
    return cases.order_by("pk").values_list("pk", flat=True).first()


def _last(cases: "QuerySet[Case]") -> int | None:
    return cases.order_by("-pk").values_list("pk", flat=True).first()


def _turned(rows: "QuerySet[Matter]", matter: Matter, asked: Asked, *, is_back: bool) -> int | None:
    """The nearest case of the matters before or behind this one in their order."""
    meant = cases_in(asked.queue)
    for other in beside(rows, matter, asked.order, is_back=is_back).values_list("pk", flat=True)[:MAX_TURNED]:
        cases = Case.objects.filter(meant, matter=other)
        found = _last(cases) if is_back else _first(cases)
        if found is not None:
            return found
    return None
