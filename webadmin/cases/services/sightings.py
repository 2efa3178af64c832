"""Copies the times at which pages were seen from the page store to pages, checks and cases."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime

from django.db import transaction

from core.pages import Sighted, VersionOfPage
from webadmin.accounts.services.holders import lock_rights
from webadmin.cases.models import Case, CaseMatch, Exclusion, PageCheck
from webadmin.cases.services.addresses import cases_with_pages, note_addresses_seen
from webadmin.cases.services.decision import Rights
from webadmin.cases.services.matters.figures import refresh_cases
from webadmin.cases.services.rulings import Cause, Occasion, rule_cases, rule_exclusions
from webadmin.database import batches, lock_rows
from webadmin.sites.models import PageRecord

_TIMES = ["first_seen", "last_seen"]
_CASE_TIMES = ["first_seen_at", "last_seen_at"]


def note_sightings(versions: Collection[VersionOfPage], now: datetime) -> None:
    """Extend the times of pages, checks and cases by those of `versions`, and rule on the findings again.

    Calls may arrive in any order. now: the time of the rulings.
    """
    for batch in batches(list(versions)):
        sites = PageRecord.objects.filter(page_id__in=[each.version.page_id for each in batch])
        holders = dict(sites.values_list("page_id", "rights_holder_id"))
        by_holder: dict[int, list[VersionOfPage]] = defaultdict(list)
        for each in batch:
            if each.version.page_id in holders:
                by_holder[holders[each.version.page_id]].append(each)
        for holder in sorted(by_holder):
            with transaction.atomic():
                _extend_times(holder, by_holder[holder], now)


def _extend_times(holder: int, versions: Sequence[VersionOfPage], now: datetime) -> None:
    lock_rights(holder)
    pages = [each.version.page_id for each in versions]
    _extend_page_times(versions, pages)
    is_earlier = _extend_check_times(versions)
    has_cases = _extend_case_times(versions, pages)
    excluded = Exclusion.objects.filter(page__in=pages)
    if has_cases or excluded.exists():
        rights, cases = Rights(holder), cases_with_pages(pages)
        moved = rule_cases(cases, rights, Occasion(Cause.SIGHTING, now))
        rule_exclusions(excluded, rights)
        refresh_cases(list(cases.values_list("pk", flat=True)) if is_earlier else moved)


def _extend_page_times(versions: Sequence[VersionOfPage], pages: Sequence[str]) -> None:
    rows = {row.page_id: row for row in lock_rows(PageRecord.objects.filter(pk__in=pages)).only("page_id", *_TIMES)}
    for each in versions:
        row = rows.get(each.version.page_id)
        if row is not None:
            row.first_seen = min(row.first_seen, each.sighted.first)
            row.last_seen = max(row.last_seen, each.sighted.last)
    PageRecord.objects.bulk_update(rows.values(), _TIMES)


def _extend_check_times(versions: Sequence[VersionOfPage]) -> bool:
    """Set the first times of checks, and return whether a version was seen earlier than recorded."""
    first: dict[str, datetime] = {each.version.id: each.sighted.first for each in versions}
    late = PageCheck.objects.filter(version_id__in=list(first)).only("version_id", "appeared_at")
    moved = [check for check in late if first[check.version_id] < check.appeared_at]
    for check in moved:
        check.appeared_at = first[check.version_id]
    PageCheck.objects.bulk_update(moved, ["appeared_at"])
    return bool(moved)


def _extend_case_times(versions: Sequence[VersionOfPage], pages: Sequence[str]) -> bool:
    """Extend the times of cases by the versions that copied from their work. Returns whether the pages have cases."""
    sighted: dict[str, Sighted] = {each.version.id: each.sighted for each in versions}
    cases = {case.pk: case for case in cases_with_pages(pages).only("pk", *_CASE_TIMES)}
    if not cases:
        return False
    note_addresses_seen(versions)
    matches = CaseMatch.objects.filter(case__in=list(cases), version_id__in=list(sighted))
    for key, version in matches.order_by().values_list("case_id", "version_id").distinct():
        case = cases[key]
        case.first_seen_at = min(case.first_seen_at, sighted[version].first)
        case.last_seen_at = max(case.last_seen_at, sighted[version].last)
    Case.objects.bulk_update(cases.values(), _CASE_TIMES)
    return True
