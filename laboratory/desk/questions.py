"""What is asked of the desk: every list as it opens, and each filter, order, search and last page of the long ones."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.db.models import Model
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from core.obfuscations import Obfuscation
from core.states import CaseState, Rejection, Verdict
from laboratory.desk import wording
from laboratory.desk.stock import Estate
from records.models import Case, PageRecord
from webadmin.matters.queues import Queue

ABSENT = "没有这样的题目"


@dataclass(frozen=True, slots=True)
class Question:
    """One address of the desk, under a name that says what it is."""

    name: str
    address: str


def questions(client: Client, estate: Estate) -> Iterator[Question]:
    """All that whoever is signed in may ask, the dashboard first."""
    yield Question("dashboard", reverse("admin:dashboard"))
    for queue in Queue:
        yield Question(f"inbox {queue}", f"{reverse('admin:index')}?queue={queue}")
    for model in sorted(admin.site._registry, key=lambda each: each._meta.label):
        name, address = model._meta.label_lower, list_address(model)
        if client.get(address).status_code == 200:
            yield Question(name, address)
            if model in (Case, PageRecord):
                yield from _of_long_list(client, model, name, estate)


def list_address(model: type[Model], **values: object) -> str:
    address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    return f"{address}?{urlencode(values)}" if values else address


def _of_long_list(client: Client, model: type[Model], name: str, estate: Estate) -> Iterator[Question]:
    filters = case_filters(estate) if model is Case else page_filters(estate)
    for values in filters:
        words = " ".join(f"{parameter}={value}" for parameter, value in values.items())
        yield Question(f"{name} filter {words}", list_address(model, **values))
    response: Any = client.get(list_address(model))
    changelist = response.context_data["cl"]
    for number, column in enumerate(changelist.list_display):
        if changelist.get_ordering_field(column):
            for sign in ("", "-"):
                called = getattr(column, "__name__", column)
                yield Question(f"{name} order {sign}{called}", list_address(model, o=f"{sign}{number}"))
    for what, words in _searches(model, estate).items():
        yield Question(f"{name} search {what}", list_address(model, q=words))
    last = changelist.paginator.num_pages
    yield Question(f"{name} page {last}", list_address(model, p=last))


def case_filters(estate: Estate) -> list[dict[str, object]]:
    """One value of each filter, where several kinds of value are served differently one of each kind."""
    day, month = _days()
    return [
        {"rights_holder__id__exact": estate.holder.pk},
        {"state__exact": CaseState.OPEN},
        {"state__in": f"{CaseState.OPEN},{CaseState.CONFIRMED}"},
        {"decided_as__exact": Verdict.FAIR_USE},
        {"allowed_as__exact": Rejection.LICENSED},
        {"match_class__exact": "patchwork"},
        {"obfuscation": Obfuscation.HOMOPHONE},
        {"obfuscation": "none"},
        {"site__id__exact": estate.sites[-1].pk},
        {"work__id__exact": estate.works[-1].pk},
        {"opened_at_from": month, "opened_at_to": day},
        {"opened_at_within": "7d"},
        {"last_seen_at_from": month, "last_seen_at_to": day},
    ]


def page_filters(estate: Estate) -> list[dict[str, object]]:
    """As for cases."""
    day, month = _days()
    return [
        {"site__id__exact": estate.sites[-1].pk},
        {"rejection__exact": Rejection.NO_MATCH},
        {"obfuscation": Obfuscation.HOMOPHONE},
        {"obfuscation": "none"},
        {"is_encoding_doubtful__exact": 1},
        {"extraction": "doubtful"},
        {"extraction": "sure"},
        {"first_seen_from": month, "first_seen_to": day},
        {"last_seen_from": month, "last_seen_to": day},
        {"gone_since__isempty": 0},
    ]


def _days() -> tuple[str, str]:
    """A month in the middle of the two years: its last day, and its first."""
    last = timezone.localdate() - timedelta(days=365)
    return last.isoformat(), (last - timedelta(days=30)).isoformat()


def _searches(model: type[Model], estate: Estate) -> dict[str, str]:
    """What is found often, once, and never; a page in the middle is looked for by its address."""
    rows: Any = model._default_manager
    seen = rows.filter(site=estate.sites[0])
    row = seen.first()
    found = {"title, often": wording.WORDS[0], "title, never": ABSENT}
    if model is Case:
        return found | {"address": row.page_url, "work": estate.works[0].title}
    return found | {"address": row.url}
