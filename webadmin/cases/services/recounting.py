"""Recounts the figures of cases from their frozen evidence, without a comparison, after exclusions have changed."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from core.ids import VersionId, WorkTextId, digest
from core.matches import Match, MatchClass
from core.pages import PageVersion
from core.ports import PageStore, WorkTexts
from core.taken import NO_PLACES, Places
from webadmin.accounts.services.holders import lock_rights
from webadmin.cases.models import Case, CaseMatch, TakenText
from webadmin.cases.services.decision import Rights
from webadmin.cases.services.findings import Findings, case_figures, read_span
from webadmin.cases.services.matters.figures import refresh_cases
from webadmin.cases.services.recording import taken_row
from webadmin.cases.services.rulings import Cause, Occasion, rule_cases
from webadmin.cases.services.what_counts import CountedFindings, FindingCounter, all_found_places
from webadmin.database import lock_rows
from webadmin.works.models import Chapter

_FOLLOWING = ("similarity", "page_containment", "taken_chars", "matched_chars", "longest_equal_run_chars")


def recount_case(case: Case, pages: PageStore, works: WorkTexts, by: int) -> bool:
    """Update the figures and the state of a case by the current exclusions, and refresh `case`.

    by: the key of the user who changed the exclusions. Returns False if the compared texts are missing. Raises
    ServiceUnavailable if a store does not respond.
    """
    return bool(recount_cases(case.rights_holder_id, [case], pages, works, by))


def recount_cases(holder: int, cases: Sequence[Case], pages: PageStore, works: WorkTexts, by: int) -> list[Case]:
    """Recount cases of the rights holder with the key `holder`, and return those whose compared texts are available."""
    with transaction.atomic():
        lock_rights(holder)  # locked first, so that the data read below remains valid
        list(lock_rows(Case.objects.filter(pk__in=[case.pk for case in cases])).values_list("pk"))
        rights, occasion = Rights(holder), Occasion(Cause.PASSAGES, timezone.now(), by)
        counted = [case for case in cases if _recount_case(case, pages, works, rights, occasion)]
        refresh_cases([case.pk for case in counted])
    for case in counted:
        case.refresh_from_db()
    return counted


def _recount_case(case: Case, pages: PageStore, works: WorkTexts, rights: Rights, occasion: Occasion) -> bool:
    case.refresh_from_db()
    counted = _current_findings(case, pages, works, rights)
    if counted is None:
        return False
    found, version = counted
    rows = [taken_row(case, match, found) for match in found.findings.matches]
    TakenText.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["case", "text_id"], update_fields=["places", "left_out"]
    )
    figures = case_figures(found.findings, version)
    row = Case.objects.filter(pk=case.pk)
    row.update(**{name: figures[name] for name in _FOLLOWING})
    rule_cases(row, rights, occasion)
    return True


def _current_findings(
    case: Case, pages: PageStore, works: WorkTexts, rights: Rights
) -> tuple[CountedFindings, PageVersion] | None:
    """Return the findings of a case that currently count, and their page version; None if texts are missing."""
    version, findings = pages.version(VersionId(case.version_id)), _original_findings(case)
    if version is None or not findings.items or not _are_as_compared(case, version, works):
        return None
    site = None if rights.counts_ignored(case.page_id, case.work_id) else case.page.site_id
    counts = FindingCounter({case.page_id: case.page.site}, works)
    return counts.count(findings, case.page_id, site, version.reading), version


def _are_as_compared(case: Case, version: PageVersion, works: WorkTexts) -> bool:
    """Return True if the stores contain the exact texts that were compared, because others give wrong figures."""
    for match in _shown_matches(case).defer("spans"):
        work = works.text(WorkTextId(match.text_id))
        if work is None or digest(work.encode("utf-8", "surrogatepass")) != match.work_text_digest:
            return False
        if version.reading.text_by_digest(match.page_text_digest) is None:
            return False
    return True


def _shown_matches(case: Case) -> "QuerySet[CaseMatch]":
    texts = TakenText.objects.filter(case=case).values("text_id")
    return case.matches.filter(version_id=case.version_id, text_id__in=texts).order_by("pk")


def _original_findings(case: Case) -> Findings:
    """Return the original findings of a case in its newest matches, without the effect of exclusions."""
    rows = TakenText.objects.filter(case=case).values_list("text_id", "places", "left_out")
    taken = {text_id: all_found_places(bytes(places), bytes(left_out)) for text_id, places, left_out in rows}
    items = [
        (match.chapter or Chapter(title=match.chapter_title), _stored_match(match, taken.get(match.text_id, NO_PLACES)))
        for match in _shown_matches(case).select_related("chapter")
    ]
    return Findings(case.work, tuple(items))


def _stored_match(row: CaseMatch, taken: Places) -> Match:
    return Match(
        text_id=WorkTextId(row.text_id),
        match_class=MatchClass(row.match_class),
        similarity=row.similarity,
        page_containment=row.page_containment,
        work_containment=row.work_containment,
        matched_chars=row.matched_chars,
        taken=taken,
        longest_equal_run_chars=row.longest_equal_run_chars,
        spans=tuple(read_span(span) for span in row.spans),
        obfuscations=(),
        algorithm_id=row.algorithm_id,
    )
