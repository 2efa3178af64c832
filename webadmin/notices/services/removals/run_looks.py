"""Records a crawl's checks of the pages of confirmed cases: absent, without the passages, unchanged, or not seen.

A check is only stored if it is informative: a page that still has its passages gets a row only after a check with
another result. Of consecutive checks that could not see the page, only the newest is stored.
"""

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from core.errors import BadInput, BrokenInvariant
from core.ids import PageId, SiteId
from core.states import CaseState
from core.visits import Absence, AbsenceReason, address_id
from crawler.urls import canonical
from webadmin.cases.models import Case, CaseMatch
from webadmin.database import batches
from webadmin.notices.models import Removal, RemovalLook
from webadmin.notices.services.removals.page_looks import PageOfCase, Seen, Sources
from webadmin.sites.models import Address, CrawlRun

log = logging.getLogger("zhuiwen.removals")

REMOVED = (Seen.GONE, Seen.CLEARED)
ABSENT = (AbsenceReason.NOT_FOUND, AbsenceReason.GONE, AbsenceReason.NOT_FOUND_PAGE)


def record_looks(run: CrawlRun, sources: Sources) -> list[RemovalLook]:
    """Record a finished crawl's checks of the pages of confirmed cases, and return the new ones. Safe to call twice.

    Raises ServiceUnavailable if the page store is unreachable.
    """
    made: list[RemovalLook] = []
    confirmed = Case.objects.filter(site=run.site_id, state=CaseState.CONFIRMED).order_by("pk")
    for batch in batches(list(confirmed.values_list("pk", flat=True))):
        cases = list(Case.objects.filter(pk__in=batch).select_related("page", "site").order_by("pk"))
        addresses = _addresses_seen(cases, run)
        cases = [case for case in cases if case.page_id in addresses]
        known = _KnownState.load(cases, addresses.values())
        for case in cases:
            try:
                made += _record_case_looks(case, addresses[case.page_id], run, sources, known)
            except (BadInput, BrokenInvariant) as error:  # A damaged document must not stop the other pages.
                log.error("the look at case %s was not taken in: %s", case.pk, error)
    return made


@dataclass(frozen=True, slots=True)
class _KnownState:
    """The state of some cases before a crawl is recorded.

    last: the last check of each case. removed: cases whose page is removed. matched: pairs of a case and a page version
    in which it has a match.
    """

    last: Mapping[int, RemovalLook]
    removed: frozenset[int]
    matched: frozenset[tuple[int, str]]

    @classmethod
    def load(cls, cases: Collection[Case], addresses: Iterable[Address]) -> "_KnownState":
        keys = [case.pk for case in cases]
        looks = RemovalLook.objects.filter(case__in=keys).order_by("at", "pk")
        removed = Removal.objects.filter(case__in=keys, ended_at=None).values_list("case_id", flat=True)
        shown = {address.version_id for address in addresses}
        matches = CaseMatch.objects.filter(case__in=keys).order_by().values_list("case_id", "version_id").distinct()
        matched = frozenset((case, version) for case, version in matches if version in shown)
        return cls({look.case_id: look for look in looks}, frozenset(removed), matched)


def _record_case_looks(
    case: Case, address: Address, run: CrawlRun, sources: Sources, known: _KnownState
) -> Iterator[RemovalLook]:
    """Save and yield the new checks of one page, the oldest first."""
    last = known.last.get(case.pk)
    since = max(run.due_at, last.at) if last is not None else run.due_at
    page = PageOfCase(case, address, sources)
    found = _run_looks(page, since, run, has_match=(case.pk, address.version_id) in known.matched)
    for look in sorted(found, key=lambda each: each.at):
        look.case, look.page_id, look.by_second_route = case, case.page_id, run.by_second_route
        if _is_worth_keeping(look, last, is_removed=case.pk in known.removed):
            last = _save_look(look, last)
            yield last


def _is_worth_keeping(look: RemovalLook, last: RemovalLook | None, *, is_removed: bool) -> bool:
    if look.seen == Seen.STANDS:
        return is_removed or (last is not None and last.seen != Seen.STANDS)
    return not (is_removed and look.seen in REMOVED)  # already recorded


def _save_look(look: RemovalLook, last: RemovalLook | None) -> RemovalLook:
    if last is not None and last.seen == look.seen == Seen.NOT_SEEN:
        look.pk = last.pk
        look.save(force_update=True)
    else:
        look.save()
    return look


def _addresses_seen(cases: Sequence[Case], run: CrawlRun) -> dict[str, Address]:
    """Return the address row in which the run saw each page, by page.

    This is the page's own URL, or another URL at which the page was seen last.
    """
    touched = Q(seen_at__gte=run.due_at) | Q(failed_at__gte=run.due_at) | Q(absent_since__isnull=False)
    rows = Address.objects.filter(touched, site=run.site_id)
    pages = {case.page_id: case.page.url for case in cases}
    found = {row.page_id: row for row in rows.filter(page_id__in=pages).order_by("seen_at", "pk")}
    site = SiteId(str(run.site_id))
    keys = {address_id(site, canonical(url)): page for page, url in pages.items() if page not in found}
    found |= {keys[row.pk]: row for row in rows.filter(pk__in=keys)}
    # A URL without a text belongs to no page, but its row still has the page's URL.
    named = {url: page for page, url in pages.items() if page not in found}
    return found | {named[row.page_url]: row for row in rows.filter(page_id="", page_url__in=named)}


def _run_looks(page: PageOfCase, since: datetime, run: CrawlRun, *, has_match: bool) -> Iterator[RemovalLook]:
    """Yield the run's checks of a page since a time, without their case, which the caller must set.

    has_match: whether the version at the URL has a match of the case.
    """
    address, key = page.address, page.case.page_id
    answers: list[Absence] = []
    if address.absent_since is not None or run.only_urls:
        answers = [each for each in page.sources.pages.absences(PageId(key)) if each.fetched_at > since]
    yield from (page.absence_look(each) for each in answers if each.reason in ABSENT)
    if address.failures and address.failed_at is not None and address.failed_at > since:
        yield page.failed_look()
    if address.seen_at is not None and address.seen_at > since:
        looked = [each for each in answers if each.reason is AbsenceReason.LOOKED_AT]
        is_there = has_match and address.page_id == key
        look = page.unchanged_look() if is_there else page.cleared_look(looked[-1] if looked else None, since)
        if look is not None:
            yield look
