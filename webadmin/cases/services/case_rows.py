"""Writes the rows of cases, their addresses, the texts they took and their frozen evidence."""

from collections import defaultdict
from collections.abc import Sequence

from django.db.models import F

from core.ids import Digest, WorkTextId, digest
from core.matches import Match
from core.obfuscations import Obfuscation
from core.pages import PageVersion
from core.ports import ComparisonOutcome, WorkTexts
from core.program import code_version
from webadmin.cases.models import Case, CaseAddress, CaseMatch, TakenText
from webadmin.cases.services.addresses import cases_with_pages
from webadmin.cases.services.findings import (
    Findings,
    OutcomeFindings,
    case_figures,
    compared_text,
    stated_author,
    stated_poster,
)
from webadmin.cases.services.locks import locked_cases
from webadmin.cases.services.matters import figures as matters
from webadmin.cases.services.permissions import ALLOWANCES
from webadmin.cases.services.snapshots import frozen_obfuscations, frozen_span
from webadmin.cases.services.what_counts import CountedFindings
from webadmin.sites.models import PageRecord
from webadmin.ui.models.fields import obfuscation_kinds
from webadmin.works.models import Chapter

_FIGURES = (
    "page_url", "page_title", "page_author", "page_poster", "page_published_at", "version_id", "match_class",
    "similarity", "page_containment", "taken_chars", "matched_chars", "longest_equal_run_chars", "excerpt",
    "obfuscations",
)  # fmt: skip
_KINDS = "obfuscation_kinds"  # which follows from "obfuscations"


class Cases:
    """The cases of some outcomes: read at once, changed one by one, written at once."""

    def __init__(self, found: Sequence[OutcomeFindings], works: WorkTexts) -> None:
        pages = {each.outcome.version.page_id for each in found}
        texts = _cases_by_text(found)
        keys = {*texts.values(), *cases_with_pages(pages).order_by().values_list("pk", flat=True)} if pages else set()
        rows = {case.pk: case for case in (locked_cases(Case.objects.filter(pk__in=keys)) if keys else ())}
        self._cases = {(case.page_id, case.work_id): case for case in rows.values()}
        self._by_text = {text: rows[key] for text, key in texts.items() if key in rows}
        self._addresses: dict[tuple[int, str], CaseAddress] = {}  # by the case's identity and the page
        for row in CaseAddress.objects.filter(case__in=keys) if keys else ():
            row.case = rows[row.case_id]
            self._addresses[id(row.case), row.page_id] = row
            self._cases.setdefault((row.page_id, row.case.work_id), row.case)
        self._works = works
        self._taken: dict[tuple[str, int], CountedFindings] = {}  # by page and work: what the version shown took
        self._new: set[tuple[str, int]] = set()
        self._sightings: list[tuple[Case, ComparisonOutcome, Findings]] = []
        self._texts: dict[WorkTextId, tuple[str, str]] = {}
        self.texts: set[str] = set()  # texts of works of which the pages now have more or less

    def has(self, page: PageRecord, findings: Findings) -> bool:
        """Return whether the page itself has a case of the work, rather than being a further address of one."""
        case = self._cases.get((page.page_id, findings.work.pk))
        return case is not None and case.page_id == page.page_id

    def update_case(
        self, found: OutcomeFindings, page: PageRecord, findings: Findings, counted: CountedFindings
    ) -> Case:
        """Return the new or updated case of a page and a work. counted: the findings that count.

        If the text of the page has a case already, the page becomes a further address of it.
        """
        outcome, key = found.outcome, (page.page_id, findings.work.pk)
        text = _text_key(found, findings)
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
                rights_holder_id=found.holder, page=page, work=findings.work, opened_at=outcome.checked_at,
                first_seen_at=outcome.first_seen, last_seen_at=outcome.seen_at,
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
        """Remove a page from the case of which it is a further address: it has another text, or rights allow it."""
        key = (page.page_id, findings.work.pk)
        case = self._cases.get(key)
        row = self._addresses.pop((id(case), page.page_id), None)
        if case is not None and case.page_id != page.page_id:
            del self._cases[key]
            if row is not None and row.pk:
                row.delete()

    def _note_address(self, case: Case, page: PageRecord, outcome: ComparisonOutcome) -> None:
        """Record that a page shows the text of the case, if several do."""
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
        """Write the cases, their addresses, the texts they took, and new evidence."""
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
        self._freeze()
        self._write_addresses()

    def by_holder(self) -> dict[int, list[int]]:
        """Return the ids of the processed cases, by rights holder."""
        ids: dict[int, dict[int, None]] = defaultdict(dict)
        for case, _, _ in self._sightings:
            ids[case.rights_holder_id][case.pk] = None
        return {holder: list(of_holder) for holder, of_holder in ids.items()}

    def matters(self) -> set[int | None]:
        """Return the matters of the processed cases."""
        return {case.matter_id for case, _, _ in self._sightings}

    def _write_addresses(self) -> None:
        rows = list(self._addresses.values())
        for row in rows:
            row.case_id = row.case.pk  # known only after the insert
        CaseAddress.objects.bulk_create([row for row in rows if not row.pk])
        CaseAddress.objects.bulk_update([row for row in rows if row.pk], ["first_seen_at", "last_seen_at"])

    def _write_taken(self) -> None:
        """Write the characters of the works that the pages have now, and delete former ones."""
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

    def _freeze(self) -> None:
        known = [case.pk for case, _, _ in self._sightings if (case.page_id, case.work_id) not in self._new]
        matches = CaseMatch.objects.filter(case__in=known) if known else CaseMatch.objects.none()
        frozen = set(matches.values_list("case_id", "version_id", "text_id"))
        rows = []
        for case, outcome, findings in self._sightings:
            for chapter, match in findings.items:
                key = (case.pk, str(outcome.version.id), str(match.text_id))
                if key not in frozen:
                    frozen.add(key)
                    rows.append(self._frozen_match(case, chapter, match, outcome))
        CaseMatch.objects.bulk_create(rows)

    def _frozen_match(self, case: Case, chapter: Chapter, match: Match, outcome: ComparisonOutcome) -> CaseMatch:
        version = outcome.version
        work_text, work_digest = self.text(match.text_id)
        page_text, page_digest = text_and_digest(version, match)
        raw = version.reading.raw_places()
        return CaseMatch(
            case=case,
            version_id=version.id,
            text_id=match.text_id,
            chapter=chapter,
            chapter_title=chapter.title,
            fetched_at=version.fetched_at,
            final_url=version.page_url,
            algorithm_id=match.algorithm_id,
            corpus_revision=outcome.corpus_revision,
            code_version=code_version(),
            raw_digest=version.raw_digest,
            page_text_digest=page_digest,
            work_text_digest=work_digest,
            match_class=match.match_class,
            similarity=match.similarity,
            page_containment=match.page_containment,
            work_containment=match.work_containment,
            matched_chars=match.matched_chars,
            longest_equal_run_chars=match.longest_equal_run_chars,
            spans=[frozen_span(span, page_text, work_text, raw) for span in match.spans],
            obfuscations=frozen_obfuscations(match.obfuscations),
            also=list(match.also),
            found_at=outcome.checked_at,
        )

    def text(self, text_id: WorkTextId) -> tuple[str, str]:
        """Return a text of the corpus and its digest."""
        if text_id not in self._texts:
            text = self._works.text(text_id) or ""
            self._texts[text_id] = text, digest(text.encode("utf-8", "surrogatepass"))
        return self._texts[text_id]


# Site, work, digest of the compared text, poster, and obfuscations of the page: a text with inserted words is different
# evidence from the plain text, and a right may belong to an account.
_TextKey = tuple[str, int, str, str, frozenset[str]]


def _text_key(found: OutcomeFindings, findings: Findings) -> _TextKey:
    version = found.outcome.version
    account = stated_poster(version, findings.matches) or stated_author(version)
    undone = _altered_kinds(obfuscation_kinds(frozen_obfuscations(version.reading.obfuscations)))
    return str(found.site.pk), findings.work.pk, text_and_digest(version, findings.main)[1], account, undone


def _altered_kinds(kinds: str) -> frozenset[str]:
    """Return the kinds without SLOW_PARTS, which is about reading time and not about the text."""
    return frozenset(kinds.split()) - {str(Obfuscation.SLOW_PARTS)}


def _cases_by_text(found: Sequence[OutcomeFindings]) -> dict[_TextKey, int]:
    """Return the cases, not allowed by any right, that have a found text on the same site and of the same work."""
    wanted = {_text_key(each, findings) for each in found for findings in each.findings}
    if not wanted:
        return {}
    rows = CaseMatch.objects.filter(
        page_text_digest__in={key[2] for key in wanted}, version_id=F("case__version_id")
    ).exclude(case__allowed_as__in=ALLOWANCES)
    names = ("case__site", "case__work", "page_text_digest", "case__page_poster", "case__page_author")
    known = rows.order_by("-case").values_list(*names, "case__page__obfuscation_kinds", "case_id")
    by_text = {
        (str(site), work, text, poster or author, _altered_kinds(kinds)): case
        for site, work, text, poster, author, kinds, case in known
    }
    return {key: case for key, case in by_text.items() if key in wanted}


def text_and_digest(version: PageVersion, match: Match) -> tuple[str, Digest]:
    """Return the text to which the offsets of a match refer, and its digest."""
    text = compared_text(version, match)
    if text is version.reading.text:
        return text, version.text_digest
    return text, digest(text.encode("utf-8", "surrogatepass"))


def taken_row(case: Case, match: Match, counted: CountedFindings) -> TakenText:
    """Return the row of one text of a case: the places that count and those that do not."""
    left_out = counted.left_out.get(str(match.text_id))
    packed = left_out.pack() if left_out else b""
    return TakenText(case=case, text_id=str(match.text_id), places=match.taken.pack(), left_out=packed)
