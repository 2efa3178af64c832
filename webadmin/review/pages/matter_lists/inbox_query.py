"""The query string of the inbox: queue, words, filters and order. Each filter is displayed as a removable chip.

A search finds matters by URL, case number, title, author, site, work or chapter, in both Chinese scripts.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import reduce
from operator import and_
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.db.models import F, Q, QuerySet
from django.http import HttpRequest, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core.obfuscations import Obfuscation
from webadmin.accounts.models import RightsHolder, User
from webadmin.accounts.pages.searching import has_words, matching_keys, split_words, written_ways
from webadmin.accounts.services import access
from webadmin.cases.models import Case, Matter, MatterText
from webadmin.review.pages.matter_lists.queues import Queue, queue_matters
from webadmin.sites.models import Site
from webadmin.ui.models.phrases import OBFUSCATIONS
from webadmin.ui.pages.requests.request_values import BadValue, check_search, is_key
from webadmin.works.models import Chapter, Work

# The label and the field of each order. The order is descending; rows without a value come last.
ORDERS: Mapping[str, tuple[Any, str]] = {
    "harm": (gettext_lazy("by impact"), "harm"),
    "newest": (gettext_lazy("newest first"), "newest_at"),
    "share": (gettext_lazy("by share of the work"), "work_share"),
    "lead": (gettext_lazy("by head start on the official publication"), "lead_s"),
}
DAYS = (1, 7, 30, 90)
SHARES = (10, 25, 50, 90)
NOBODY = "none"
_NAMES = ("queue", "q", "holder", "site", "work", "assignee", "kind", "days", "share", "early", "order")


@dataclass(frozen=True, slots=True)
class Chip:
    """An active filter. address: the URL of the list without the filter."""

    text: str
    address: str


@dataclass(frozen=True, slots=True)
class InboxQuery:
    """The valid parameters of an inbox URL."""

    values: dict[str, str]

    @property
    def queue(self) -> Queue:
        return Queue(self.values.get("queue", Queue.NEW))

    @property
    def order(self) -> str:
        return self.values.get("order", "harm")

    @property
    def words(self) -> str:
        return self.values.get("q", "")

    @property
    def query_string(self) -> str:
        """The parameters as an encoded query string."""
        return urlencode(self.values)

    @property
    def address(self) -> str:
        return f"{reverse('admin:index')}?{self.query_string}" if self.values else reverse("admin:index")

    def with_values(self, **changed: Any) -> "InboxQuery":
        """Return a copy with some values replaced. None removes a value."""
        values = {**self.values, **{name: str(value) for name, value in changed.items() if value is not None}}
        return InboxQuery({name: value for name, value in values.items() if changed.get(name, "") is not None})


def read_inbox_query(values: QueryDict) -> InboxQuery:
    """Parse the parameters of a URL. Raises BadValue for an invalid value, which would otherwise be ignored."""
    given = {name: value for name in _NAMES if (value := str(values.get(name, "")).strip())}
    check_search(given.get("q", ""))
    for name in ("holder", "site", "work"):
        _require_value(name, given, is_key(given.get(name, "1")), _("enter the number of a record."))
    assignee = given.get("assignee", NOBODY)
    _require_value("assignee", given, assignee == NOBODY or is_key(assignee), _("enter the number of a record."))
    choices: dict[str, list[str]] = {
        "queue": list(Queue),
        "order": list(ORDERS),
        "kind": list(Obfuscation),
        "days": [str(days) for days in DAYS],
        "share": [str(share) for share in SHARES],
        "early": ["1"],
    }
    for name, members in choices.items():
        wanted = _("it can be one of: %(choices)s.") % {"choices": ", ".join(members)}
        _require_value(name, given, given.get(name, members[0]) in members, wanted)
    return InboxQuery(given)


def list_matters(query: InboxQuery, request: HttpRequest, user: User) -> "QuerySet[Matter]":
    """Return the matters of a query that the user may see, in its order."""
    matters = queue_matters(query.queue, access.visible(Matter.objects.all(), user), user)
    found = _apply_filters(query, matters)
    found = search_matters(request, found, query.words) if query.words else found
    return _order_rows(found, ORDERS[query.order][1], is_back=False)


def adjacent_matters(rows: "QuerySet[Matter]", matter: Matter, order: str, *, is_back: bool) -> "QuerySet[Matter]":
    """Return the rows after a matter in the order, or before it if `is_back`, the nearest first."""
    field = ORDERS[order][1]
    value, has_none = getattr(matter, field), Matter._meta.get_field(field).null
    tie = Q(pk__gt=matter.pk) if is_back else Q(pk__lt=matter.pk)
    if value is None:
        found = Q(**{f"{field}__isnull": True}) & tie | (Q(**{f"{field}__isnull": False}) if is_back else Q(pk__in=[]))
    else:
        found = Q(**{f"{field}__{'gt' if is_back else 'lt'}": value}) | Q(**{field: value}) & tie
        if has_none and not is_back:
            found |= Q(**{f"{field}__isnull": True})
    return _order_rows(rows.filter(found), field, is_back=is_back)


def _order_rows(rows: "QuerySet[Matter]", field: str, *, is_back: bool) -> "QuerySet[Matter]":
    if not Matter._meta.get_field(field).null:
        return rows.order_by(field, "pk") if is_back else rows.order_by(f"-{field}", "-pk")
    by = F(field)
    return rows.order_by(by.asc(nulls_first=True), "pk") if is_back else rows.order_by(by.desc(nulls_last=True), "-pk")


# The condition of each filter, computed from its value.
_CONDITIONS: Mapping[str, Callable[[str], Q]] = {
    "holder": lambda value: Q(rights_holder=int(value)),
    "site": lambda value: Q(site=int(value)),
    "work": lambda value: Q(work=int(value)),
    "assignee": lambda value: Q(assignee=None if value == NOBODY else int(value)),
    "kind": lambda value: Q(obfuscation_kinds__contains=f" {value} "),
    "days": lambda value: Q(newest_at__gte=timezone.now() - timedelta(days=int(value))),
    "share": lambda value: Q(work_share__gte=int(value) / 100),
    "early": lambda _value: Q(early_chapters__gt=0),
}


def _apply_filters(query: InboxQuery, matters: "QuerySet[Matter]") -> "QuerySet[Matter]":
    for name, condition in _CONDITIONS.items():
        if name in query.values:
            matters = matters.filter(condition(query.values[name]))
    return matters


def filter_chips(query: InboxQuery, request: HttpRequest) -> list[Chip]:
    """Return the active filters as chips with translated labels."""
    given, user = query.values, request.user
    texts: dict[str, str] = {}
    if query.words:
        texts["q"] = f"“{query.words}”"
    for name, model in (("holder", RightsHolder), ("site", Site), ("work", Work)):
        if name in given:
            record = access.visible(model.objects.all(), user).filter(pk=int(given[name])).first()
            texts[name] = str(record) if record is not None else f"#{given[name]}"
    if "assignee" in given:
        texts["assignee"] = _assignee_name(given["assignee"], user)
    if "kind" in given:
        texts["kind"] = next(str(name) for kind, name in OBFUSCATIONS.items() if kind == given["kind"])
    if "days" in given:
        texts["days"] = _("last %(days)s days") % {"days": given["days"]}
    if "share" in given:
        texts["share"] = _("%(share)s%% of the work or more") % {"share": given["share"]}
    if "early" in given:
        texts["early"] = _("before the official publication")
    return [Chip(text, query.with_values(**{name: None}).address) for name, text in texts.items()]


def _assignee_name(value: str, user: Any) -> str:
    if value == NOBODY:
        return str(_("not assigned"))
    person = access.visible(User.objects.all(), user).filter(pk=int(value)).first()
    return person.get_username() if person is not None else f"#{value}"


def _require_value(name: str, given: Mapping[str, str], is_right: bool, wanted: str) -> None:
    if not is_right:
        raise BadValue(name, given[name], wanted)


# A word in the titles of more chapters ("第一章") selects none: with 2,000 chapters, the query took 0.1 s (2026-11-27).
MAX_CHAPTERS = 1_000


def search_matters(request: HttpRequest, matters: "QuerySet[Matter]", typed: str) -> "QuerySet[Matter]":
    """Return the matters in which the site, the work, a chapter or a case contains the words.

    Cases are searched as in the list of cases.
    """
    named = [_sites_and_works(written_ways(word), request.user) for word in split_words(typed)]
    seen = access.visible(Case.objects.order_by("-opened_at", "-pk"), request.user)
    cases, _ = admin.site._registry[Case].get_search_results(request, seen, typed)
    found = _matters_with_chapter(typed, request.user)
    for matter, site, work in cases.order_by().values_list("matter_id", "site_id", "work_id"):
        if not all(site in sites or work in works for sites, works in named):  # A name may match thousands of cases.
            found.add(matter)
    by_name = reduce(and_, (Q(site__among=sites) | Q(work__among=works) for sites, works in named))
    return matters.filter(by_name | Q(pk__among=found))


def _sites_and_works(ways: list[str], user: access.Person) -> tuple[set[int], set[int]]:
    """Return the keys of the sites and works whose names contain a word, in any of its forms."""
    return set(matching_keys(Site, ["name"], ways, user)), set(matching_keys(Work, ["title", "author"], ways, user))


def _matters_with_chapter(typed: str, user: access.Person) -> set[int]:
    """Return the keys of the matters that copied a chapter with these words in its title.

    Returns an empty set if more than MAX_CHAPTERS chapters match.
    """
    titled = Chapter.objects.filter(has_words(["title"], written_ways(typed)))
    chapters = access.visible(titled, user).order_by().values_list("work_id", "text_id")
    found = set(chapters[: MAX_CHAPTERS + 1])
    if len(found) > MAX_CHAPTERS:
        return set()
    copied = MatterText.objects.filter(text_id__among={text for _, text in found}).order_by()
    rows = copied.values_list("matter_id", "matter__work_id", "text_id")
    return {matter for matter, work, text in rows if (work, text) in found}
