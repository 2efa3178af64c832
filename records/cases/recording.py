"""What was found on pages -> page records, checks, cases and frozen evidence: many pages in one transaction.

Rows are locked in the order of `records.locks`, so that two workers that record the same pages wait for each other.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.ports import Outcome, WorkTexts
from core.states import Rejection
from records.cases.addresses import cases_with_pages
from records.cases.case_rows import Cases
from records.cases.excluding import drop_exclusions, exclude, take_in
from records.cases.found import Found, found_in
from records.cases.page_rows import write_checks, write_pages
from records.cases.permissions import ALLOWANCES, Allowance, Copied, Rights
from records.cases.rulings import Cause, Occasion, rule_cases
from records.cases.totals import Findings, author_of, poster_of
from records.cases.what_counts import Counted, PageTexts, WhatCounts
from records.locks import lock_rights
from records.matters import figures as matters
from records.models import Case, PageCheck, PageRecord
from records.standing import OUTDATED, move_cases_to_shown_pages


def record_outcomes(outcomes: Sequence[Outcome], works: WorkTexts) -> list[list[int]]:
    """Write outcomes in the caller's transaction; the ids of each one's cases. Raises NotFound for an unknown site."""
    if not outcomes:
        return []
    found = found_in(outcomes)
    _lock(found)
    pages = write_pages(found)
    having = [each for each in found if each.findings]
    rights = {holder: Rights(holder) for holder in sorted({each.holder for each in having})}
    cases = Cases(having, works)
    counts = WhatCounts({each.outcome.version.page_id: each.site for each in having}, works)
    ruler = _Ruler(cases, rights, counts)
    by_outcome = [ruler.rule(each, pages[each.outcome.version.page_id]) for each in found]
    cases.write()
    move_cases_to_shown_pages([each.outcome.version.page_id for each in found if each.outcome.is_current])
    marked = matters.note_changed(list(pages), outcomes[0].checked_at)
    drop_exclusions(found, [finding for ruled in by_outcome for finding in ruled.exclusions])
    occasion, moved = Occasion(Cause.SIGHTING, outcomes[0].checked_at), list[int]()
    for holder, ids in cases.by_holder().items():
        moved += rule_cases(Case.objects.filter(pk__in=ids), rights[holder], occasion)
    write_checks(found)
    _, texts = matters.concerned(moved)
    matters.refresh(marked | cases.matters(), texts | cases.texts)
    owed = [version for ruled in by_outcome for version in ruled.owed]
    PageCheck.objects.filter(version_id__in=owed).update(algorithm_id=OUTDATED)
    return [[case.pk for case in ruled.cases] for ruled in by_outcome]


def _lock(found: Iterable[Found]) -> None:
    """Lock the rights of holders of whom something was found, or whose pages have cases: these may be marked."""
    having = cases_with_pages({each.outcome.version.page_id for each in found}).order_by()
    holders = {each.holder for each in found if each.findings} | set(having.values_list("rights_holder", flat=True))
    for holder in sorted(holders):
        lock_rights(holder)


@dataclass(frozen=True, slots=True)
class _Ruled:
    """What became of an outcome's findings."""

    cases: list[Case]
    exclusions: list[int]
    owed: list[str]  # versions that are to be compared again


class _Ruler:
    """Says of each finding whether it is a case or left out."""

    def __init__(self, cases: Cases, rights: dict[int, Rights], counts: WhatCounts) -> None:
        self._cases, self._rights, self._counts = cases, rights, counts

    def rule(self, found: Found, page: PageRecord) -> _Ruled:
        ruled, outcome = _Ruled([], [], []), found.outcome
        reading = outcome.version.reading
        texts = PageTexts(reading.text, reading.whole_text)
        for findings in found.findings:
            counted, allowance = self._allowed(found, page, findings, texts)
            is_known = outcome.is_current and self._cases.has(page, findings)
            if allowance.reason is None or (is_known and allowance.reason in (*ALLOWANCES, Rejection.NOTHING_LEFT)):
                ruled.cases.append(self._cases.take(found, page, findings, counted))
            elif outcome.is_current and not is_known:  # else it would be counted beside its case
                self._cases.release_page(page, findings)
                ruled.exclusions.append(exclude(page, outcome, findings, allowance, self._cases))
        if ruled.cases and not outcome.is_current:
            ruled.owed.extend(take_in(page, ruled.cases))
        return ruled

    def _allowed(
        self, found: Found, page: PageRecord, findings: Findings, texts: PageTexts
    ) -> tuple[Counted, Allowance]:
        """What counts of the findings, and what leaves them out, but for what a reviewer overruled."""
        rights, outcome, work = self._rights[found.holder], found.outcome, findings.work.pk
        site = None if rights.counts_ignored(page.page_id, work) else found.site.pk
        counted = self._counts.of(findings, page.page_id, site, texts)
        allowance = rights.ruling(_copied(outcome, page, findings))
        if allowance.reason is None and not (findings.left_out_as is Rejection.TEASER and found.opens_teasers):
            allowance = rights.unless_overruled(
                page.page_id, work, Allowance(findings.left_out_as, findings.source if findings.left_out_as else "")
            )
        if allowance.reason is None and counted.left_out and not counted.findings.matched_chars:
            allowance = Allowance(Rejection.NOTHING_LEFT)
        return counted, allowance


def _copied(outcome: Outcome, page: PageRecord, findings: Findings) -> Copied:
    texts = [str(match.text_id) for match in findings.copies]
    version = outcome.version
    account = poster_of(version, findings.matches) or author_of(version)
    return Copied(findings.work.pk, page.page_id, version.page_url, outcome.seen_at, account, texts)
