"""Records the outcomes of comparisons as pages, checks, cases and frozen evidence, many pages in one transaction.

Rows are locked in the order of `webadmin.cases.services.locks`, so that two workers that record the same pages wait
for each other.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from core.counting import count_characters
from core.matches import Match
from core.pages import PageVersion
from core.ports import ComparisonOutcome, WorkTexts
from webadmin.accounts.services.holders import lock_rights
from webadmin.cases.models import Case, Exclusion, PageCheck
from webadmin.cases.services.addresses import cases_with_pages
from webadmin.cases.services.case_rows import Cases, text_and_digest
from webadmin.cases.services.decision import DecisionFacts, decide
from webadmin.cases.services.findings import (
    MAX_TITLE_CHARS,
    Findings,
    OutcomeFindings,
    collect_findings,
    stated_author,
    stated_poster,
    stated_title,
)
from webadmin.cases.services.locks import locked_pages
from webadmin.cases.services.matters import figures as matters
from webadmin.cases.services.permissions import ALLOWANCES, Allowance, Rights, RightsQuery
from webadmin.cases.services.rulings import Cause, Occasion, rule_cases
from webadmin.cases.services.shown_pages import OUTDATED, move_cases_to_shown_pages
from webadmin.cases.services.snapshots import frozen_obfuscations, placed_span
from webadmin.cases.services.what_counts import CountedFindings, FindingCounter, PageTexts
from webadmin.sites.models import PageRecord
from webadmin.ui.models.fields import with_length_kept
from webadmin.works.models import Chapter

_SHOWN = (
    "version_id", "title", "chars", "encoding", "is_encoding_doubtful", "extractor", "confidence", "obfuscations",
    "rejection", "checked_at",
)  # fmt: skip
_KINDS = "obfuscation_kinds"  # which follows from "obfuscations"
_CHECKED = (
    "page", "algorithm_id", "corpus_revision", "rejection", "match_count", "checked_at", "appeared_at"
)  # fmt: skip
MAX_TEXTS = 20  # stored for the view of an excluded finding: a page with a whole book has hundreds


def record_outcomes(outcomes: Sequence[ComparisonOutcome], works: WorkTexts) -> list[list[int]]:
    """Write outcomes in the caller's transaction; return the case ids of each. Raises NotFound for unknown sites."""
    if not outcomes:
        return []
    found = collect_findings(outcomes)
    _lock(found)
    pages = write_pages(found)
    having = [each for each in found if each.findings]
    rights = {holder: Rights(holder) for holder in sorted({each.holder for each in having})}
    cases = Cases(having, works)
    counts = FindingCounter({each.outcome.version.page_id: each.site for each in having}, works)
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
    _, texts = matters.matters_and_texts(moved)
    matters.refresh(marked | cases.matters(), texts | cases.texts)
    owed = [version for ruled in by_outcome for version in ruled.owed]
    PageCheck.objects.filter(version_id__in=owed).update(algorithm_id=OUTDATED)
    return [[case.pk for case in ruled.cases] for ruled in by_outcome]


def _lock(found: Iterable[OutcomeFindings]) -> None:
    """Lock the rights of the holders with findings, and of those whose pages have cases, which may be marked."""
    having = cases_with_pages({each.outcome.version.page_id for each in found}).order_by()
    holders = {each.holder for each in found if each.findings} | set(having.values_list("rights_holder", flat=True))
    for holder in sorted(holders):
        lock_rights(holder)


@dataclass(frozen=True, slots=True)
class _Ruled:
    """The result of one outcome's findings."""

    cases: list[Case]
    exclusions: list[int]
    owed: list[str]  # versions to compare again


class _Ruler:
    """Makes a case of each finding or excludes it, as decided."""

    def __init__(self, cases: Cases, rights: dict[int, Rights], counts: FindingCounter) -> None:
        self._cases, self._rights, self._counts = cases, rights, counts

    def rule(self, found: OutcomeFindings, page: PageRecord) -> _Ruled:
        ruled, outcome = _Ruled([], [], []), found.outcome
        reading = outcome.version.reading
        texts = PageTexts(reading.text, reading.whole_text)
        for findings in found.findings:
            is_known = outcome.is_current and self._cases.has(page, findings)
            counted = self._count(found, page, findings, texts)
            finding = DecisionFacts(
                _rights_query(outcome, page, findings),
                findings.rejection,
                findings.source,
                found.opens_teasers,
                is_nothing_left=bool(counted.left_out) and not counted.findings.matched_chars,
                is_known=is_known,
            )
            decision = decide(finding, self._rights[found.holder])
            if decision.is_case:
                ruled.cases.append(self._cases.update_case(found, page, findings, counted))
            elif outcome.is_current and not is_known:  # else it would count in addition to its case
                self._cases.release_page(page, findings)
                ruled.exclusions.append(exclude(page, outcome, findings, decision.allowance, self._cases))
        if ruled.cases and not outcome.is_current:
            ruled.owed.extend(absorb_exclusions(page, ruled.cases))
        return ruled

    def _count(self, found: OutcomeFindings, page: PageRecord, findings: Findings, texts: PageTexts) -> CountedFindings:
        """Return the findings that count; with ignored texts if a reviewer overruled that nothing is left."""
        is_overruled = self._rights[found.holder].counts_ignored(page.page_id, findings.work.pk)
        return self._counts.count(findings, page.page_id, None if is_overruled else found.site.pk, texts)


def _rights_query(outcome: ComparisonOutcome, page: PageRecord, findings: Findings) -> RightsQuery:
    texts = [str(match.text_id) for match in findings.copies]
    version = outcome.version
    account = stated_poster(version, findings.matches) or stated_author(version)
    return RightsQuery(findings.work.pk, page.page_id, version.page_url, outcome.seen_at, account, texts)


def exclude(
    page: PageRecord, outcome: ComparisonOutcome, findings: Findings, allowance: Allowance, texts: Cases
) -> int:
    """Record an excluded finding, and return the key of its row."""
    shown = {
        "page_url": outcome.version.page_url,
        "page_title": stated_title(outcome.version),
        "page_author": stated_author(outcome.version),
        "page_poster": stated_poster(outcome.version, findings.matches),
        "text_ids": [str(match.text_id) for match in findings.copies],
        "reason": str(allowance.reason),
        "detail": allowance.label,
        "match_class": findings.main.match_class,
        "similarity": findings.main.similarity,
        "matched_chars": findings.matched_chars,
        "found": [
            _freeze_match(chapter, match, outcome.version, texts) for chapter, match in findings.items[:MAX_TEXTS]
        ],
    }
    row, _ = Exclusion.objects.update_or_create(
        page=page, work=findings.work, defaults=shown, create_defaults={**shown, "found_at": outcome.checked_at}
    )
    return row.pk


def _freeze_match(chapter: Chapter, match: Match, version: PageVersion, texts: Cases) -> dict[str, Any]:
    """Return the places of passages without their text: the view of an exclusion reads the texts from the store."""
    return {
        "text_id": str(match.text_id),
        "chapter_title": chapter.title,
        "version_id": version.id,
        "page_text_digest": text_and_digest(version, match)[1],
        "work_text_digest": texts.text(match.text_id)[1],
        "match_class": str(match.match_class),
        "matched_chars": match.matched_chars,
        "similarity": match.similarity,
        "spans": [placed_span(span) for span in match.spans],
    }


def absorb_exclusions(page: PageRecord, cases: Iterable[Case]) -> list[str]:
    """Merge exclusions of a page into the cases that an older version of it opened.

    Allowed findings were never frozen: the shown version, which is returned, must be compared again, which sets the
    case aside.
    """
    taken_in = Exclusion.objects.filter(page=page, work__in=[case.work_id for case in cases])
    is_owed = taken_in.filter(reason__in=ALLOWANCES).exists()
    taken_in.delete()
    return [page.version_id] if is_owed else []


def drop_exclusions(found: Iterable[OutcomeFindings], kept: Collection[int]) -> None:
    """Delete outdated exclusions of the pages whose shown version was compared."""
    pages = [each.outcome.version.page_id for each in found if each.outcome.is_current]
    Exclusion.objects.filter(page__in=pages).exclude(pk__in=kept).delete()


def write_pages(found: Sequence[OutcomeFindings]) -> dict[str, PageRecord]:
    """Write and return the rows of the pages; several outcomes of one page apply in order."""
    ids = sorted({each.outcome.version.page_id for each in found})
    pages = {row.page_id: row for row in locked_pages(PageRecord.objects.filter(page_id__in=ids))}
    known = frozenset(pages)
    for each in found:
        outcome, page_id = each.outcome, each.outcome.version.page_id
        page = pages.get(page_id)
        if page is None:
            page = pages[page_id] = PageRecord(
                page_id=page_id, site=each.site, url=outcome.version.canonical_url,
                first_seen=outcome.first_seen, last_seen=outcome.seen_at, **_version_columns(each),
            )  # fmt: skip
            continue
        page.first_seen = min(page.first_seen, outcome.first_seen)
        page.last_seen = max(page.last_seen, outcome.seen_at)
        if outcome.is_current or page.version_id == outcome.version.id:
            for name, value in _version_columns(each).items():
                setattr(page, name, value)
    PageRecord.objects.bulk_create(pages[page_id] for page_id in ids if page_id not in known)
    PageRecord.objects.bulk_create(
        [pages[page_id] for page_id in ids if page_id in known],
        update_conflicts=True,
        unique_fields=["page_id"],
        update_fields=["first_seen", "last_seen", *_SHOWN, _KINDS],
    )
    return pages


def _version_columns(found: OutcomeFindings) -> dict[str, Any]:
    """Return the columns of a page that describe its shown version."""
    version, reading = found.outcome.version, found.outcome.version.reading
    values = (
        version.id, with_length_kept(reading.title)[:MAX_TITLE_CHARS], count_characters(reading.text), reading.encoding,
        reading.is_encoding_doubtful, reading.extractor, reading.confidence, frozen_obfuscations(reading.obfuscations),
        found.rejection, found.outcome.checked_at,
    )  # fmt: skip
    return dict(zip(_SHOWN, values, strict=True))


def write_checks(found: Iterable[OutcomeFindings]) -> None:
    """Record the comparison of each version."""
    checks = {each.outcome.version.id: _check(each) for each in found}
    PageCheck.objects.bulk_create(
        checks.values(), update_conflicts=True, unique_fields=["version_id"], update_fields=list(_CHECKED)
    )


def _check(found: OutcomeFindings) -> PageCheck:
    outcome = found.outcome
    return PageCheck(
        version_id=outcome.version.id,
        page_id=outcome.version.page_id,
        # A passage of a text that was withdrawn in the meantime may be in another text too: compare again.
        algorithm_id=outcome.algorithm_id if found.is_whole else OUTDATED,
        corpus_revision=outcome.corpus_revision,
        rejection=found.rejection,
        match_count=sum(len(findings.items) for findings in found.findings),
        checked_at=outcome.checked_at,
        appeared_at=outcome.first_seen,
    )
