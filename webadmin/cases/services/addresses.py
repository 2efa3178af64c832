"""Manages the URLs of cases. The same text at several URLs on a site is one case.

A case has one page, to which its evidence refers. If that page is gone, or no longer copies from the work, the case
moves to another URL that still contains the text. A case with a verdict also moves if its page has a new text and the
text of the verdict is seen at another URL. A URL with a different text gets its own case.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from core.pages import VersionOfPage
from webadmin.cases.models import Case, CaseAddress, CaseMatch, PageCheck, VerdictRecord
from webadmin.cases.services.decision import ALLOWANCES, Rights, RightsQuery
from webadmin.database import lock_rows
from webadmin.sites.models import PageRecord

OUTDATED = 0  # the algorithm id of an invalid check; no algorithm has it


@dataclass(frozen=True, slots=True)
class ListedAddress:
    """A URL of a case. is_shown: whether it contained the text of the case at the last visit."""

    url: str
    first_seen_at: datetime
    last_seen_at: datetime
    is_shown: bool
    gone_since: datetime | None


def list_addresses(case: Case) -> list[ListedAddress]:
    """Return all URLs of a case, that of its page first. Select `page` with the case to avoid a query."""
    return list_addresses_of_cases([case])[case.pk]


def list_addresses_of_cases(cases: Collection[Case]) -> dict[int, list[ListedAddress]]:
    """Return the URLs of each case by its key, in the order of `list_addresses`."""
    rows: dict[int, list[CaseAddress]] = defaultdict(list)
    found = CaseAddress.objects.filter(case__in=[case.pk for case in cases]).select_related("page")
    for row in found:
        rows[row.case_id].append(row)
    shown = addresses_showing_text(found) if rows else set()
    listed = {}
    for case in cases:
        of_case = sorted(rows[case.pk], key=lambda row: (row.page_id != case.page_id, row.first_seen_at, row.pk))
        gone = case.page.gone_since
        own = ListedAddress(case.page_url, case.first_seen_at, case.last_seen_at, gone is None, gone)
        listed[case.pk] = [
            ListedAddress(
                case.page_url if row.page_id == case.page_id else row.page.url,
                row.first_seen_at,
                row.last_seen_at,
                row.pk in shown,
                row.page.gone_since,
            )
            for row in of_case
        ] or [own]
    return listed


def cases_with_pages(pages: Collection[str]) -> "QuerySet[Case]":
    """Return the cases of which one of these pages is the page or another URL."""
    others = list(CaseAddress.objects.filter(page__in=pages).order_by().values_list("case_id", flat=True).distinct())
    return Case.objects.filter(Q(page__in=pages) | Q(pk__in=others) if others else Q(page__in=pages))


def note_addresses_seen(versions: Sequence[VersionOfPage]) -> None:
    """Update the times at which URLs of cases were seen with a text of the case.

    A page is compared again, so that it gets its own case, if its text differs from that of its case, or if it is the
    page of a case and the text of the verdict is now at another URL. Only a sighting triggers this, because a site that
    changes all its pages no longer contains the old text.
    """
    sighted = {each.version.id: each for each in versions}
    addresses = CaseAddress.objects.filter(page__in=[each.version.page_id for each in versions])
    rows = {(row.case_id, row.page_id): row for row in addresses.select_related("case__decision", "page")}
    if not rows:
        return
    cases = {row.case_id: row.case for row in rows.values()}
    matches = CaseMatch.objects.filter(case__in=list(cases)).order_by()
    wanted = {*sighted, *(version for case in cases.values() for version in (case.version_id, case.decided_version))}
    texts: dict[tuple[int, str], set[str]] = defaultdict(set)
    for key, version, text in matches.filter(version_id__in=wanted).values_list(
        "case_id", "version_id", "page_text_digest"
    ):
        texts[key, version].add(text)
    others: list[CaseAddress] = []
    decided: dict[int, list[PageRecord]] = defaultdict(list)
    for (key, page), row in rows.items():
        case = cases[key]
        for each in versions:
            if each.version.page_id != page or (key, each.version.id) not in texts:
                continue
            row.first_seen_at = min(row.first_seen_at, each.sighted.first)
            row.last_seen_at = max(row.last_seen_at, each.sighted.last)
            shown = texts[key, each.version.id]
            if not each.is_current or page == case.page_id or shown & texts[key, case.version_id]:
                continue
            if case.decision_id and shown & texts[key, case.decided_version]:
                decided[key].append(row.page)
            else:
                others.append(row)
    CaseAddress.objects.bulk_update(rows.values(), ["first_seen_at", "last_seen_at"])
    release_addresses(others)
    for case in lock_rows(Case.objects.filter(pk__in=decided)):
        request_comparison([case.page_id])
        move_case(case, decided[case.pk])


def release_addresses(rows: Iterable[CaseAddress]) -> None:
    """Remove URLs from their cases, and request comparisons of their pages."""
    pages = {row.pk: row.page_id for row in rows}
    if pages:
        CaseAddress.objects.filter(pk__in=pages).delete()
        request_comparison([*pages.values()])


def apply_rights_to_addresses(cases: "QuerySet[Case]", rights: Rights, texts: Mapping[int, Collection[str]]) -> None:
    """Remove the URLs of cases for which the ruling differs from that of the case.

    A licence may cover a single URL. texts: the ids of the texts that each case copied, if a right depends on them.
    """
    rows = CaseAddress.objects.filter(case__in=cases.order_by().values("pk")).exclude(page=F("case__page"))
    others = []
    for row in rows.select_related("case", "page"):
        case, page = row.case, row.page
        account, copied = case.page_poster or case.page_author, texts.get(case.pk, ())
        asked = RightsQuery(case.work_id, page.page_id, page.url, row.last_seen_at, account, copied)
        if bool(rights.ruling(asked).reason) != (case.allowed_as in ALLOWANCES):
            others.append(row)
    release_addresses(others)


def request_comparison(pages: "Sequence[str] | QuerySet") -> None:
    """Invalidate the checks of the current versions of these pages, so that the sweeper queues them for comparison."""
    shown = PageCheck.objects.filter(page__in=pages, version_id=F("page__version_id"))
    shown.update(algorithm_id=OUTDATED)


def addresses_showing_text(rows: "QuerySet[CaseAddress]") -> set[int]:
    """Return the keys of the rows whose page exists and contains a text of their case in its current version."""
    matched = CaseMatch.objects.filter(case=OuterRef("case"), version_id=OuterRef("page__version_id"))
    standing = rows.filter(Exists(matched), page__gone_since=None)
    return set(standing.order_by().values_list("pk", flat=True))


def move_cases_to_shown_pages(pages: Collection[str]) -> None:
    """Move cases whose page no longer contains their text to another URL that does.

    pages: the ids of pages that are gone or back, or that have another text.
    """
    named = CaseAddress.objects.filter(Q(page__in=pages) | Q(case__page__in=pages)).order_by()
    keys = sorted(set(named.values_list("case_id", flat=True)))
    if not keys:
        return
    rows: dict[int, list[PageRecord]] = defaultdict(list)
    shown = CaseAddress.objects.filter(pk__in=addresses_showing_text(CaseAddress.objects.filter(case__in=keys)))
    for row in shown.select_related("page").order_by("-last_seen_at", "pk"):
        rows[row.case_id].append(row.page)
    for case in lock_rows(Case.objects.filter(pk__in=keys)):
        if rows[case.pk] and case.page_id not in {page.page_id for page in rows[case.pk]}:
            move_case(case, rows[case.pk])


def move_case(case: Case, standing: Sequence[PageRecord]) -> None:
    """Move a case to the first page in `standing` without another case of the work. Does nothing if there is none.

    standing: the pages that contain the text of the case.
    """
    others = Case.objects.filter(page__in=standing, work=case.work_id).values_list("page_id", flat=True)
    taken = set(others)
    page = next((page for page in standing if page.page_id not in taken), None)
    match = case.matches.filter(version_id=page.version_id).order_by("pk").first() if page else None
    if page is None or match is None:
        return
    if case.decision_id and _has_same_text(case, case.decided_version, page.version_id):
        decision = VerdictRecord.objects.filter(pk=case.decision_id)
        decision.filter(seen_version_id="").update(seen_version_id=F("page_version_id"))
        decision.update(page_version_id=page.version_id)
    Case.objects.filter(pk=case.pk).update(
        page=page, page_url=match.final_url, page_title=page.title, version_id=page.version_id
    )
    request_comparison([page.page_id])  # The comparison updates the other columns that describe the page.


def _has_same_text(case: Case, version: str, other: str) -> bool:
    """Return True if the two page versions have a text in common in the matches of the case."""
    first, second = (
        set(case.matches.filter(version_id=each).values_list("page_text_digest", flat=True))
        for each in (version, other)
    )
    return bool(first & second)
