"""Records the outcomes of comparisons as pages, checks, cases and frozen evidence, for many pages in one transaction.

Rows are locked in the order of `webadmin.database.lock_rows`, so that two workers that record the same pages do not
deadlock.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import F

from core.counting import count_characters
from core.ids import WorkTextId, digest
from core.matches import Match
from core.ports import ComparisonOutcome, WorkTexts
from core.program import code_version
from core.states import Rejection
from webadmin.accounts.services.holders import lock_rights
from webadmin.cases.models import Case, CaseAddress, CaseMatch, Exclusion, PageCheck, TakenText
from webadmin.cases.services.addresses import OUTDATED, cases_with_pages, move_cases_to_shown_pages
from webadmin.cases.services.decision import ALLOWANCES, NOTHING, Allowance, Rights, RightsQuery, decide
from webadmin.cases.services.findings import (
    Findings,
    OutcomeFindings,
    TextKey,
    altered_kinds,
    case_figures,
    collect_findings,
    compared_text,
    freeze_match,
    frozen_obfuscations,
    placed_span,
    stated_author,
    stated_poster,
    stated_title,
)
from webadmin.cases.services.matters import figures as matters
from webadmin.cases.services.rulings import Cause, Occasion, rule_cases
from webadmin.cases.services.what_counts import CountedFindings, FindingCounter
from webadmin.database import lock_rows
from webadmin.sites.models import PageRecord
from webadmin.ui.models.fields import obfuscation_kinds

_SHOWN = (
    "version_id", "title", "chars", "encoding", "is_encoding_doubtful", "extractor", "confidence", "obfuscations",
    "rejection", "checked_at",
)  # fmt: skip
_KINDS = "obfuscation_kinds"  # derived from "obfuscations"
_CHECKED = (
    "page", "algorithm_id", "corpus_revision", "rejection", "match_count", "checked_at", "appeared_at"
)  # fmt: skip
_FIGURES = (
    "page_url", "page_title", "page_author", "page_poster", "page_published_at", "version_id", "match_class",
    "similarity", "page_containment", "taken_chars", "matched_chars", "longest_equal_run_chars", "excerpt",
    "obfuscations",
)  # fmt: skip
MAX_TEXTS = 20  # matches stored for an excluded finding; a page with a whole book has hundreds


def record_outcomes(outcomes: Sequence[ComparisonOutcome], works: WorkTexts) -> list[list[int]]:
    """Record outcomes in the caller's transaction, and return the keys of the cases of each outcome.

    works: the texts of works. Raises NotFound for an unknown site.
    """
    if not outcomes:
        return []
    found = collect_findings(outcomes)
    _lock_rights(found)
    pages = _write_pages(found)
    with_findings = [each for each in found if each.findings]
    rights = {holder: Rights(holder) for holder in sorted({each.site.rights_holder_id for each in with_findings})}
    cases = _Cases(with_findings, works)
    counter = FindingCounter({each.outcome.version.page_id: each.site for each in with_findings}, works)
    by_outcome, kept, outdated = list[list[Case]](), list[int](), list[str]()
    for each in found:
        page = pages[each.outcome.version.page_id]
        made, excluded = _decide_outcome(each, page, rights, cases, counter)
        if made and not each.outcome.is_current:
            outdated += _absorb_exclusions(page, made)
        by_outcome.append(made)
        kept += excluded
    cases.write()
    shown = [each.outcome.version.page_id for each in found if each.outcome.is_current]
    Exclusion.objects.filter(page__in=shown).exclude(pk__in=kept).delete()
    move_cases_to_shown_pages(shown)
    occasion, moved = Occasion(Cause.SIGHTING, outcomes[0].checked_at), list[int]()
    for holder, ids in cases.ids_by_holder().items():
        moved += rule_cases(Case.objects.filter(pk__in=ids), rights[holder], occasion)
    _write_checks(found)
    PageCheck.objects.filter(version_id__in=outdated).update(algorithm_id=OUTDATED)
    touched = {case.matter_id for made in by_outcome for case in made}
    matters.refresh_recorded(list(pages), outcomes[0].checked_at, touched, cases.texts, moved)
    return [[case.pk for case in made] for made in by_outcome]


def _lock_rights(found: Iterable[OutcomeFindings]) -> None:
    """Lock the rights holders with findings, and those with cases on the pages, which may be marked as changed."""
    having = cases_with_pages({each.outcome.version.page_id for each in found}).order_by()
    holders = set(having.values_list("rights_holder", flat=True))
    for holder in sorted(holders | {each.site.rights_holder_id for each in found if each.findings}):
        lock_rights(holder)


def _decide_outcome(
    found: OutcomeFindings, page: PageRecord, rights: dict[int, Rights], cases: "_Cases", counter: FindingCounter
) -> tuple[list[Case], list[int]]:
    """Record each finding of an outcome as a case or an exclusion. Returns the cases and the keys of the exclusions."""
    outcome, made, excluded = found.outcome, list[Case](), list[int]()
    for findings, text in zip(found.findings, found.keys, strict=True):
        of_holder = rights[found.site.rights_holder_id]
        copied = [str(match.text_id) for match in findings.copies]
        asked = RightsQuery(
            findings.work.pk, page.page_id, outcome.version.page_url, outcome.seen_at, text.account, copied
        )
        site = None if of_holder.counts_ignored(page.page_id, findings.work.pk) else found.site.pk
        counted = counter.count(findings, page.page_id, site, outcome.version.reading)
        is_known = outcome.is_current and cases.has(page, findings)
        is_wanted = findings.rejection is Rejection.TEASER and found.site.rights_holder.opens_teasers
        left_out = NOTHING if is_wanted else Allowance(findings.rejection, findings.source)
        is_nothing_left = bool(counted.left_out) and not counted.findings.matched_chars
        allowance, is_case = decide(asked, of_holder, left_out, is_nothing_left=is_nothing_left, is_known=is_known)
        if is_case:
            made.append(cases.update_case(outcome, page, findings, text, counted))
        elif outcome.is_current and not is_known:  # or the finding would count in addition to its case
            cases.release_page(page, findings)
            excluded.append(_record_exclusion(page, outcome, findings, allowance, cases))
    return made, excluded


def _record_exclusion(
    page: PageRecord, outcome: ComparisonOutcome, findings: Findings, allowance: Allowance, texts: "_Cases"
) -> int:
    """Create or update the exclusion of a finding, and return its key."""
    version = outcome.version
    shown = {
        "page_url": version.page_url,
        "page_title": stated_title(version),
        "page_author": stated_author(version),
        "page_poster": stated_poster(version, findings.matches),
        "text_ids": [str(match.text_id) for match in findings.copies],
        "reason": str(allowance.reason),
        "detail": allowance.label,
        "match_class": findings.main.match_class,
        "similarity": findings.main.similarity,
        "matched_chars": findings.matched_chars,
        # The ranges of passages without their text, because the page of an exclusion reads the texts from the stores.
        "found": [
            {
                "text_id": str(match.text_id),
                "chapter_title": chapter.title,
                "version_id": version.id,
                "page_text_digest": compared_text(version, match)[1],
                "work_text_digest": texts.text(match.text_id)[1],
                "match_class": str(match.match_class),
                "matched_chars": match.matched_chars,
                "similarity": match.similarity,
                "spans": [placed_span(span) for span in match.spans],
            }
            for chapter, match in findings.items[:MAX_TEXTS]
        ],
    }
    row, _ = Exclusion.objects.update_or_create(
        page=page, work=findings.work, defaults=shown, create_defaults={**shown, "found_at": outcome.checked_at}
    )
    return row.pk


def _absorb_exclusions(page: PageRecord, cases: Iterable[Case]) -> list[str]:
    """Delete the exclusions of a page for works for which an older version has now opened a case.

    If a right was the reason of an exclusion, the current version is returned, because it must be compared again: its
    findings were not frozen, and the comparison sets the case aside. Otherwise, returns [].
    """
    absorbed = Exclusion.objects.filter(page=page, work__in=[case.work_id for case in cases])
    was_allowed = absorbed.filter(reason__in=ALLOWANCES).exists()
    absorbed.delete()
    return [page.version_id] if was_allowed else []


def _write_pages(found: Sequence[OutcomeFindings]) -> dict[str, PageRecord]:
    """Write the rows of the pages, and return them by page id. Several outcomes of a page are applied in order."""
    ids = sorted({each.outcome.version.page_id for each in found})
    pages = {row.page_id: row for row in lock_rows(PageRecord.objects.filter(page_id__in=ids))}
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
    """Return the values of the columns of a page that describe its current version."""
    version, reading = found.outcome.version, found.outcome.version.reading
    values = (
        version.id, stated_title(version), count_characters(reading.text), reading.encoding,
        reading.is_encoding_doubtful, reading.extractor, reading.confidence, frozen_obfuscations(reading.obfuscations),
        found.rejection, found.outcome.checked_at,
    )  # fmt: skip
    return dict(zip(_SHOWN, values, strict=True))


def _write_checks(found: Iterable[OutcomeFindings]) -> None:
    """Write the checks of the compared versions."""
    checks = {}
    for each in found:
        outcome = each.outcome
        checks[outcome.version.id] = PageCheck(
            version_id=outcome.version.id,
            page_id=outcome.version.page_id,
            # A passage of a text that was withdrawn meanwhile may be in another text too: compare the page again.
            algorithm_id=outcome.algorithm_id if each.is_whole else OUTDATED,
            corpus_revision=outcome.corpus_revision,
            rejection=each.rejection,
            match_count=sum(len(findings.items) for findings in each.findings),
            checked_at=outcome.checked_at,
            appeared_at=outcome.first_seen,
        )
    PageCheck.objects.bulk_create(
        checks.values(), update_conflicts=True, unique_fields=["version_id"], update_fields=list(_CHECKED)
    )


class _Cases:
    """The cases of several outcomes, which are read together, changed one by one, and written together."""

    def __init__(self, found: Sequence[OutcomeFindings], works: WorkTexts) -> None:
        pages = {each.outcome.version.page_id for each in found}
        texts = _cases_by_text(found)
        keys = {*texts.values(), *cases_with_pages(pages).order_by().values_list("pk", flat=True)} if pages else set()
        rows = {case.pk: case for case in (lock_rows(Case.objects.filter(pk__in=keys)) if keys else ())}
        self._cases = {(case.page_id, case.work_id): case for case in rows.values()}
        self._by_text: dict[TextKey, Case] = {text: rows[key] for text, key in texts.items() if key in rows}
        self._addresses: dict[tuple[int, str], CaseAddress] = {}  # by id(case) and page
        for row in CaseAddress.objects.filter(case__in=keys) if keys else ():
            row.case = rows[row.case_id]
            self._addresses[id(row.case), row.page_id] = row
            self._cases.setdefault((row.page_id, row.case.work_id), row.case)
        self._works = works
        self._taken: dict[tuple[str, int], CountedFindings] = {}  # findings of the current version, by page and work
        self._new: set[tuple[str, int]] = set()
        self._sightings: list[tuple[Case, ComparisonOutcome, Findings]] = []
        self._texts: dict[WorkTextId, tuple[str, str]] = {}
        self.texts: set[str] = set()  # ids of texts of works, whose copied characters have changed

    def has(self, page: PageRecord, findings: Findings) -> bool:
        """Return True if the page is the page of a case of the work, and not only another URL of a case."""
        case = self._cases.get((page.page_id, findings.work.pk))
        return case is not None and case.page_id == page.page_id

    def update_case(
        self,
        outcome: ComparisonOutcome,
        page: PageRecord,
        findings: Findings,
        text: TextKey,
        counted: CountedFindings,
    ) -> Case:
        """Create or update the case of a page and a work, and return it.

        If the text of the page already has a case, the page becomes another URL of that case. findings, counted: all
        findings, and those that count. text: the identity of the text.
        """
        key = (page.page_id, findings.work.pk)
        case, is_own = self._cases.get(key), self.has(page, findings)
        if case is not None and not is_own and outcome.is_current and self._by_text.get(text) is not case:
            self.release_page(page, findings)
            case = None
        if case is None and text in self._by_text:
            case = self._cases[key] = self._by_text[text]
        is_own = is_own or case is None
        has_text = case is not None and self._by_text.get(text) is case
        is_shown = is_own and (case is None or outcome.is_current or case.version_id == outcome.version.id)
        if case is None:
            self._new.add(key)
            case = self._cases[key] = Case(
                rights_holder_id=findings.work.rights_holder_id, page=page, work=findings.work,
                opened_at=outcome.checked_at, first_seen_at=outcome.first_seen, last_seen_at=outcome.seen_at,
            )  # fmt: skip
        if is_own or has_text:
            self._note_address(case, page, outcome)
        case.first_seen_at = min(case.first_seen_at, outcome.first_seen)
        case.last_seen_at = max(case.last_seen_at, outcome.seen_at)
        if is_shown:
            self._by_text = {other: each for other, each in self._by_text.items() if each is not case} | {text: case}
            self._taken[key] = counted
            for name, value in case_figures(counted.findings, outcome.version).items():
                setattr(case, name, value)
            case.obfuscation_kinds = obfuscation_kinds(case.obfuscations)
        self._sightings.append((case, outcome, findings))
        return case

    def release_page(self, page: PageRecord, findings: Findings) -> None:
        """Remove a page from a case of which it is only another URL, because its text differs or a right allows it."""
        key = (page.page_id, findings.work.pk)
        case = self._cases.get(key)
        row = self._addresses.pop((id(case), page.page_id), None)
        if case is not None and case.page_id != page.page_id:
            del self._cases[key]
            if row is not None and row.pk:
                row.delete()

    def _note_address(self, case: Case, page: PageRecord, outcome: ComparisonOutcome) -> None:
        """Record that a page contains the text of the case. A case with a single page has no such records."""
        own, this = (id(case), case.page_id), (id(case), page.page_id)
        if own not in self._addresses:
            if own == this:
                return
            self._addresses[own] = CaseAddress(
                case=case, page=case.page, first_seen_at=case.first_seen_at, last_seen_at=case.last_seen_at
            )
        row = self._addresses.setdefault(
            this, CaseAddress(case=case, page=page, first_seen_at=outcome.first_seen, last_seen_at=outcome.seen_at)
        )
        row.first_seen_at = min(row.first_seen_at, outcome.first_seen)
        row.last_seen_at = max(row.last_seen_at, outcome.seen_at)

    def write(self) -> None:
        """Write the cases, their other URLs, the copied characters, and new evidence."""
        touched = {(case.page_id, case.work_id): case for case, _, _ in self._sightings}
        if not touched:
            return
        matters.assign_matters([case for key, case in touched.items() if key in self._new])
        Case.objects.bulk_create(case for key, case in touched.items() if key in self._new)
        Case.objects.bulk_update(
            [case for key, case in touched.items() if key not in self._new],
            ["first_seen_at", "last_seen_at", *_FIGURES, _KINDS],
        )
        self._write_taken()
        self._freeze_evidence()
        self._write_addresses()

    def ids_by_holder(self) -> dict[int, list[int]]:
        """Return the keys of the processed cases, by the key of the rights holder."""
        ids: dict[int, dict[int, None]] = defaultdict(dict)
        for case, _, _ in self._sightings:
            ids[case.rights_holder_id][case.pk] = None
        return {holder: list(of_holder) for holder, of_holder in ids.items()}

    def _write_addresses(self) -> None:
        rows = list(self._addresses.values())
        for row in rows:
            row.case_id = row.case.pk  # known only after the insert
        CaseAddress.objects.bulk_create([row for row in rows if not row.pk])
        CaseAddress.objects.bulk_update([row for row in rows if row.pk], ["first_seen_at", "last_seen_at"])

    def _write_taken(self) -> None:
        """Write the characters of works that the pages now contain, and delete obsolete rows."""
        rows = [
            taken_row(self._cases[key], match, counted)
            for key, counted in self._taken.items()
            for match in counted.findings.matches
        ]
        kept = {(row.case_id, row.text_id) for row in rows}
        known = [self._cases[key].pk for key in self._taken if key not in self._new]
        before = TakenText.objects.filter(case__in=known).values_list("pk", "case_id", "text_id") if known else ()
        gone = [pk for pk, case, text in before if (case, text) not in kept]
        self.texts.update(row.text_id for row in rows)
        self.texts.update(text for _, case, text in before if (case, text) not in kept)
        if gone:
            TakenText.objects.filter(pk__in=gone).delete()
        TakenText.objects.bulk_create(
            rows, update_conflicts=True, unique_fields=["case", "text_id"], update_fields=["places", "left_out"]
        )

    def _freeze_evidence(self) -> None:
        known = [case.pk for case, _, _ in self._sightings if (case.page_id, case.work_id) not in self._new]
        matches = CaseMatch.objects.filter(case__in=known) if known else CaseMatch.objects.none()
        frozen = set(matches.values_list("case_id", "version_id", "text_id"))
        rows = []
        for case, outcome, findings in self._sightings:
            for chapter, match in findings.items:
                key = (case.pk, str(outcome.version.id), str(match.text_id))
                if key not in frozen:
                    frozen.add(key)
                    work_text, work_digest = self.text(match.text_id)
                    rows.append(
                        CaseMatch(
                            case=case,
                            chapter=chapter,
                            chapter_title=chapter.title,
                            work_text_digest=work_digest,
                            corpus_revision=outcome.corpus_revision,
                            code_version=code_version(),
                            found_at=outcome.checked_at,
                            **freeze_match(outcome.version, match, work_text),
                        )
                    )
        CaseMatch.objects.bulk_create(rows)

    def text(self, text_id: WorkTextId) -> tuple[str, str]:
        """Return a text of a work and its digest."""
        if text_id not in self._texts:
            text = self._works.text(text_id) or ""
            self._texts[text_id] = text, digest(text.encode("utf-8", "surrogatepass"))
        return self._texts[text_id]


def _cases_by_text(found: Sequence[OutcomeFindings]) -> dict[TextKey, int]:
    """Return the keys of the cases that already have one of the found texts, by text. Allowed cases are ignored."""
    wanted = {key for each in found for key in each.keys}
    if not wanted:
        return {}
    rows = CaseMatch.objects.filter(
        page_text_digest__in={key.text_digest for key in wanted}, version_id=F("case__version_id")
    ).exclude(case__allowed_as__in=ALLOWANCES)
    names = ("case__site", "case__work", "page_text_digest", "case__page_poster", "case__page_author")
    known = rows.order_by("-case").values_list(*names, "case__page__obfuscation_kinds", "case_id")
    by_text = {
        TextKey(site, work, text, poster or author, altered_kinds(kinds)): case
        for site, work, text, poster, author, kinds, case in known
    }
    return {key: case for key, case in by_text.items() if key in wanted}


def taken_row(case: Case, match: Match, counted: CountedFindings) -> TakenText:
    """Return an unsaved row for a text that a case copied, with the counted and the excluded positions."""
    left_out = counted.left_out.get(str(match.text_id))
    packed = left_out.pack() if left_out else b""
    return TakenText(case=case, text_id=str(match.text_id), places=match.taken.pack(), left_out=packed)
