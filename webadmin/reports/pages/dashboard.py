"""The dashboard, with the cases, the collected data and the failed runs of the user's rights holders.

It makes a fixed number of queries: each table is one grouped count. With more than MAX_LIVE cases, the counts take
seconds; they are then cached for some minutes, and the page states when they were made.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.core.cache import cache
from django.db.models import Count, Model, Q, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from core.states import COPIES, CaseState
from core.taken import share_of_work
from webadmin.accounts.services.access import Person, is_administrator, roles, visible
from webadmin.cases.models import Case, Exclusion
from webadmin.cases.services.matters.figures import sum_taken_chars
from webadmin.evidence.models import EvidenceBundle, EvidenceCheck
from webadmin.reports.signals import tiles_wanted
from webadmin.sites.models import CrawlRun, DiscoveredPage, PageRecord, Site, SiteMove
from webadmin.ui.models.phrases import MATCH_CLASSES, REJECTIONS, choice_label
from webadmin.ui.pages.page_responses import admin_page
from webadmin.works.models import Work

MAX_RUNS = 8  # runs that fit next to the other tables without scrolling
MAX_SITES = 10
MAX_WORKS = 10
MAX_LIVE = 20_000  # cases that can be counted for each view within a second
KEPT_S = 600
_OPEN, _CONFIRMED, _DISMISSED = CaseState.OPEN, CaseState.CONFIRMED, CaseState.DISMISSED
_ASIDE = CaseState.SET_ASIDE


@dataclass(frozen=True, slots=True)
class Tile:
    """A count with a link to the counted list."""

    label: str
    count: int
    href: str
    is_urgent: bool = False


@dataclass(frozen=True, slots=True)
class CountRow:
    """A row in a table of counts."""

    label: str
    href: str
    counts: tuple[int, ...]


def dashboard_view(request: HttpRequest) -> HttpResponse:
    """Show the figures for the user's rights holders."""
    context = {"title": _("Dashboard"), **figures(request.user, timezone.now())}
    return admin_page(request, "reports/dashboard.html", context)


def figures(user: Person, now: datetime) -> dict[str, Any]:
    """Return the template context of the dashboard for a user."""
    runs = visible(CrawlRun.objects.all(), user)
    return {
        **_kept_counts(user, now),
        "runs": list(runs.select_related("site", "requested_by")[:MAX_RUNS]),
        "run_faults": _run_faults(runs, now),
        "runs_href": changelist_url(CrawlRun),
    }


def _kept_counts(user: Person, now: datetime) -> dict[str, Any]:
    """Return current counts, or cached counts if there are more than MAX_LIVE cases.

    Counts are cached by rights holders, language and time zone.
    """
    cases = visible(Case.objects.order_by(), user)
    if cases[: MAX_LIVE + 1].count() <= MAX_LIVE:
        return _compute_counts(user, now)
    holders = "all" if is_administrator(user) else "-".join(map(str, sorted(roles(user))))
    key = f"dashboard {holders} {get_language()} {timezone.get_current_timezone_name()}".replace(" ", ":")
    known: dict[str, Any] | None = cache.get(key)
    if known is None:
        known = {**_compute_counts(user, now), "counted_at": now}
        cache.set(key, known, KEPT_S)
    return known


def _compute_counts(user: Person, now: datetime) -> dict[str, Any]:
    cases = visible(Case.objects.order_by(), user)
    by_class = _group_counts(cases, "match_class")
    return {
        "case_tiles": _case_tiles(cases, now, by_class),
        "stock_tiles": _stock_tiles(user),
        "classes": [
            CountRow(
                str(phrase),
                changelist_url(Case, match_class__exact=str(kind)),
                _state_counts(by_class.get(str(kind), {})),
            )
            for kind, phrase in MATCH_CLASSES.items()
            if str(kind) in by_class
        ],
        "sites": _most_copying_sites(cases),
        "works": _most_copied_works(cases, user),
        "exclusions": _exclusion_rows(user),
    }


def changelist_url(model: type[Model], **filters: str) -> str:
    address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    return f"{address}?{urlencode(filters)}" if filters else address


def _group_counts(cases: "QuerySet[Case]", field: str) -> dict[Any, dict[str, int]]:
    """Count the cases by field value and state."""
    grouped: dict[Any, dict[str, int]] = {}
    for key, state, count in cases.values_list(field, "state").annotate(count=Count("pk")):
        grouped.setdefault(key, {})[state] = count
    return grouped


def _state_counts(counts: dict[str, int]) -> tuple[int, ...]:
    return tuple(counts.get(state, 0) for state in (_OPEN, _CONFIRMED, _DISMISSED, _ASIDE))


def _case_tiles(cases: "QuerySet[Case]", now: datetime, by_class: dict[Any, dict[str, int]]) -> list[Tile]:
    day, week = now - timedelta(days=1), now - timedelta(days=7)
    new = cases.aggregate(
        day=Count("pk", filter=Q(opened_at__gte=day)), week=Count("pk", filter=Q(opened_at__gte=week))
    )
    still_open, confirmed, dismissed, aside = map(
        sum, zip((0,) * 4, *map(_state_counts, by_class.values()), strict=True)
    )
    return [
        Tile(_("Open cases"), still_open, changelist_url(Case, state__exact=_OPEN), is_urgent=still_open > 0),
        Tile(_("New in 24 hours"), new["day"], changelist_url(Case, opened_at_within="24h")),
        Tile(_("New in 7 days"), new["week"], changelist_url(Case, opened_at_within="7d")),
        Tile(_("Confirmed"), confirmed, changelist_url(Case, state__exact=_CONFIRMED)),
        Tile(_("Dismissed"), dismissed, changelist_url(Case, state__exact=_DISMISSED)),
        Tile(_("Set aside"), aside, changelist_url(Case, state__exact=_ASIDE)),
    ]


def _stock_tiles(user: Person) -> list[Tile]:
    corpus = visible(Work.objects.order_by(), user).aggregate(chars=Sum("counted_chars"))
    return [
        Tile(_("Pages watched"), visible(PageRecord.objects.order_by(), user).count(), changelist_url(PageRecord)),
        Tile(_("Sites"), visible(Site.objects.order_by(), user).count(), changelist_url(Site)),
        Tile(_("Works"), visible(Work.objects.order_by(), user).count(), changelist_url(Work)),
        Tile(_("Characters in the corpus"), corpus["chars"] or 0, changelist_url(Work)),
        *_evidence_tiles(user),
        *_proposal_tiles(user),
    ]


def _proposal_tiles(user: Person) -> list[Tile]:
    """Return tiles for undecided proposals: sites that may have moved, and copies that a search found."""
    proposals = ((SiteMove, _("Site moves to decide")), (DiscoveredPage, _("Found pages to decide")))
    tiles = []
    for model, label in proposals:
        rows = visible(model.objects.filter(state=model.State.PROPOSED).order_by(), user)
        address = changelist_url(model, state__exact=model.State.PROPOSED)
        tiles.append(Tile(label, rows.count(), address, is_urgent=True))
    return [tile for tile in tiles if tile.count]


def _evidence_tiles(user: Person) -> list[Tile]:
    """Return tiles for all bundles, and for bundles that the last check found changed or missing."""
    states = EvidenceBundle.State
    counts = dict(
        visible(EvidenceBundle.objects.order_by(), user).values_list("state").annotate(count=Count("pk"))
    )  # fmt: skip
    kept = sum(count for state, count in counts.items() if state != states.REMOVED)
    damaged = counts.get(states.CHANGED, 0) + counts.get(states.MISSING, 0)
    shown = states.CHANGED if counts.get(states.CHANGED) else states.MISSING
    urgent = Tile(
        _("Evidence changed or missing"), damaged, changelist_url(EvidenceBundle, state__exact=shown), is_urgent=True
    )
    return [
        Tile(_("Evidence bundles"), kept, changelist_url(EvidenceBundle)),
        *([urgent] if damaged else []),
        *_file_tiles(user),
        *_tiles_of_others(user),
    ]


def _tiles_of_others(user: Person) -> list[Tile]:
    """Return the tiles of higher-level apps."""
    answers: list[Any] = [given for _receiver, given in tiles_wanted.send(None, user=user)]
    return [tile for given in answers for tile in given]


def _file_tiles(user: Person) -> list[Tile]:
    """Return a tile for damaged stored files, only for administrators, who can see the checks."""
    last = EvidenceCheck.objects.first() if is_administrator(user) else None
    damaged = {fault["digest"] for fault in last.faults if "file" in fault} if last is not None else set()
    if not damaged:
        return []
    return [Tile(_("Stored files changed or missing"), len(damaged), changelist_url(EvidenceCheck), is_urgent=True)]


def _most_copying_sites(cases: "QuerySet[Case]") -> list[CountRow]:
    grouped = _group_counts(cases, "site_id")
    names = dict(Site.objects.order_by().filter(pk__in=grouped).values_list("pk", "name"))
    rows = [
        CountRow(names[key], changelist_url(Case, site__id__exact=str(key)), _state_counts(counts))
        for key, counts in grouped.items()
    ]
    return sorted(rows, key=lambda row: (-sum(row.counts), row.label))[:MAX_SITES]


def _most_copied_works(cases: "QuerySet[Case]", user: Person) -> list[dict[str, Any]]:
    """Return the most copied works. Dismissed cases and cases set aside do not count."""
    taken = sum_taken_chars(visible(Work.objects.all(), user))
    most = sorted(taken, key=lambda work: (-taken[work], work))[:MAX_WORKS]
    sums = cases.filter(work__in=most, state__in=COPIES).values_list("work_id")
    added = {work: (count, chars) for work, count, chars in sums.annotate(n=Count("pk"), chars=Sum("matched_chars"))}
    works = Work.objects.in_bulk(most)
    return [
        {
            "label": str(works[work]),
            "href": changelist_url(Case, work__id__exact=str(work), state__in=",".join(COPIES)),
            "cases": added[work][0],
            "chars_taken": taken[work],
            "share_taken": share_of_work(taken[work], works[work].counted_chars),
            "chars_on_pages": added[work][1],
        }
        for work in most
    ]


def _run_faults(runs: "QuerySet[CrawlRun]", now: datetime) -> list[Tile]:
    """Return tiles with the numbers of failed and of missed runs in the last 7 days."""
    recent = runs.order_by().filter(due_at__gte=now - timedelta(days=7))
    found = dict(recent.values_list("state").annotate(count=Count("pk")))
    states = (
        (CrawlRun.State.MISSED, _("Missed runs (7 days)")),
        (CrawlRun.State.FAILED, _("Failed runs (7 days)")),
    )
    tiles = []
    for state, label in states:
        count, address = found.get(state, 0), changelist_url(CrawlRun, state__exact=state, due_at_within="7d")
        tiles.append(Tile(label, count, address, is_urgent=count > 0))
    return tiles


def _exclusion_rows(user: Person) -> list[CountRow]:
    counts = visible(Exclusion.objects.order_by(), user).values_list("reason").annotate(count=Count("pk"))
    rows = [
        CountRow(choice_label(reason, REJECTIONS), changelist_url(Exclusion, reason__exact=reason), (count,))
        for reason, count in counts
    ]
    return sorted(rows, key=lambda row: -row.counts[0])
