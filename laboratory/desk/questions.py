"""The requests to measure: every list, and each filter, order, search and last page of the long lists."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.contrib.admin import ListFilter, SimpleListFilter
from django.db.models import Model
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from core.obfuscations import Obfuscation
from core.states import CaseState
from laboratory.desk.maker import WORDS, Estate
from webadmin.accounts.pages.filters import DayRangeFilter, HolderAutocompleteFilter
from webadmin.cases.models import Case
from webadmin.review.pages.matter_lists.inbox_query import ORDERS
from webadmin.review.pages.matter_lists.queues import Queue
from webadmin.sites.models import PageRecord

ABSENT = "没有这样的题目"
# Filter values that the database handles differently from the one requested of every filter.
SERVED_OTHERWISE: dict[type[Model], list[dict[str, object]]] = {
    Case: [
        {"state__in": f"{CaseState.OPEN},{CaseState.CONFIRMED}"},
        {"obfuscation": Obfuscation.HOMOPHONE},
        {"obfuscation": "none"},
        {"opened_at_within": "7d"},
    ],
    PageRecord: [{"obfuscation": Obfuscation.HOMOPHONE}, {"obfuscation": "none"}, {"extraction": "sure"}],
}


@dataclass(frozen=True, slots=True)
class Question:
    """One address of the desk, with a descriptive name."""

    name: str
    address: str


def questions(client: Client, estate: Estate) -> Iterator[Question]:
    """Yield all requests that the signed-in person may make, the dashboard first."""
    yield Question("dashboard", reverse("admin:dashboard"))
    for values in inbox_values(estate):
        yield Question(f"inbox {_named(values)}", f"{reverse('admin:index')}?{urlencode(values)}")
    for model in sorted(admin.site._registry, key=lambda each: each._meta.label):
        name, address = model._meta.label_lower, list_address(model)
        response: Any = client.get(address)
        if response.status_code == 200:
            yield Question(name, address)
            yield from _of_list(response.context_data["cl"], model, name, estate)


def list_address(model: type[Model], **values: object) -> str:
    address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    return f"{address}?{urlencode(values)}" if values else address


def _of_list(changelist: Any, model: type[Model], name: str, estate: Estate) -> Iterator[Question]:
    for values in [*_filters(changelist, estate), *SERVED_OTHERWISE.get(model, ())]:
        yield Question(f"{name} filter {_named(values)}", list_address(model, **values))
    for number, column in enumerate(changelist.list_display):
        if changelist.get_ordering_field(column) and column in changelist.sortable_by:
            for sign in ("", "-"):
                called = getattr(column, "__name__", column)
                yield Question(f"{name} order {sign}{called}", list_address(model, o=f"{sign}{number}"))
    for what, words in _searches(model, estate).items() if changelist.search_fields else ():
        yield Question(f"{name} search {what}", list_address(model, q=words))
    last = changelist.paginator.num_pages
    if last > 1:
        yield Question(f"{name} page {last}", list_address(model, p=last))


def inbox_values(estate: Estate) -> list[dict[str, object]]:
    """Return each queue, filter and order of the inbox, and search terms of each kind."""
    case = Case.objects.filter(site=estate.sites[0])[0]
    everything: dict[str, object] = {"queue": str(Queue.ALL)}
    searched = {
        "site": estate.sites[0].name,
        "work": estate.works[0].title,
        "author": estate.works[0].author,
        "address": case.page_url,
        "number": str(case.pk),
        "words": WORDS[0],
        "nothing": ABSENT,
    }
    filters: list[dict[str, object]] = [
        {"site": estate.sites[-1].pk},
        {"work": estate.works[-1].pk},
        {"assignee": estate.people[0].pk},
        {"kind": str(Obfuscation.HOMOPHONE)},
        {"days": 7},
        {"share": 50},
        {"early": 1},
    ]
    filters += [{"order": order} for order in ORDERS]
    filters += [{"q": words} for words in searched.values()]
    queues: list[dict[str, object]] = [{"queue": str(queue)} for queue in Queue]
    return queues + [{**everything, **values} for values in filters]


def _named(values: dict[str, object]) -> str:
    return " ".join(f"{parameter}={value}" for parameter, value in values.items())


def _filters(changelist: Any, estate: Estate) -> list[dict[str, object]]:
    """Return one value for each filter of a list."""
    return [values for each in changelist.filter_specs if (values := _one_value(each, estate))]


def _one_value(spec: ListFilter, estate: Estate) -> dict[str, object]:
    offered: Any = spec
    if isinstance(spec, DayRangeFilter):
        day, month = _days()
        return {f"{offered.parameter_name}_from": month, f"{offered.parameter_name}_to": day}
    if isinstance(spec, HolderAutocompleteFilter):
        return {offered.lookup_kwarg: estate.works[-1].pk}
    if isinstance(spec, SimpleListFilter):
        return {str(spec.parameter_name): spec.lookup_choices[0][0]}
    choices = getattr(spec, "lookup_choices", None) or (getattr(offered, "field", None) and offered.field.flatchoices)
    return {offered.lookup_kwarg: list(choices)[-1][0] if choices else 1}


def _days() -> tuple[str, str]:
    """Return a month in the middle of the two years: its last day, and its first."""
    last = timezone.localdate() - timedelta(days=365)
    return last.isoformat(), (last - timedelta(days=30)).isoformat()


def _searches(model: type[Model], estate: Estate) -> dict[str, str]:
    """Return search terms with many results, one and none; one is the address of a page in the middle."""
    found = {"title, often": WORDS[0], "title, never": ABSENT, "site": estate.sites[0].name}
    row = PageRecord.objects.filter(site=estate.sites[0])[0]
    return found | {"address": row.url, "work": estate.works[0].title}
