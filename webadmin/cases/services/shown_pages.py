"""Moves cases to another address that shows their text, and requests comparisons of pages."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from webadmin.cases.models import Case, CaseAddress, CaseMatch, PageCheck, VerdictRecord
from webadmin.cases.services.locks import locked_cases
from webadmin.sites.models import PageRecord

OUTDATED = 0  # the algorithm id of an invalid check; no algorithm has it


def request_comparison(pages: "Sequence[str] | QuerySet") -> None:
    """Queue the current versions of these pages for another comparison."""
    shown = PageCheck.objects.filter(page__in=pages, version_id=F("page__version_id"))
    shown.update(algorithm_id=OUTDATED)


def addresses_showing_text(rows: "QuerySet[CaseAddress]") -> set[int]:
    """Return the keys of the addresses whose last known version shows a text of their case."""
    matched = CaseMatch.objects.filter(case=OuterRef("case"), version_id=OuterRef("page__version_id"))
    standing = rows.filter(Exists(matched), page__gone_since=None)
    return set(standing.order_by().values_list("pk", flat=True))


def move_cases_to_shown_pages(pages: Collection[str]) -> None:
    """Move cases whose page no longer shows their text to another address that does.

    pages: those that are gone, back, or have another text.
    """
    named = CaseAddress.objects.filter(Q(page__in=pages) | Q(case__page__in=pages)).order_by()
    keys = sorted(set(named.values_list("case_id", flat=True)))
    if not keys:
        return
    rows: dict[int, list[PageRecord]] = defaultdict(list)
    shown = CaseAddress.objects.filter(pk__in=addresses_showing_text(CaseAddress.objects.filter(case__in=keys)))
    for row in shown.select_related("page").order_by("-last_seen_at", "pk"):
        rows[row.case_id].append(row.page)
    for case in locked_cases(Case.objects.filter(pk__in=keys)):
        if rows[case.pk] and case.page_id not in {page.page_id for page in rows[case.pk]}:
            move_case(case, rows[case.pk])


def move_case(case: Case, standing: Sequence[PageRecord]) -> None:
    """Move a case to the first of the pages that has no case of its own for the work."""
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
    request_comparison([page.page_id])  # updates the other columns that describe the page


def _has_same_text(case: Case, version: str, other: str) -> bool:
    """Return whether matches of the case have the same page text in both versions."""
    first, second = (
        set(case.matches.filter(version_id=each).values_list("page_text_digest", flat=True))
        for each in (version, other)
    )
    return bool(first & second)
