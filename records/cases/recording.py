"""What was found on pages -> page records, checks, cases and frozen evidence: many pages in one transaction.

Rows are locked in the order of `records.locks`, so that two workers that record the same pages wait for each other.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import NotFound
from core.ids import Digest, SiteId, WorkTextId, digest
from core.matches import Match
from core.pages import PageVersion
from core.ports import Outcome, WorkTexts
from core.states import Rejection
from records.cases.attribution import Sources, with_sources
from records.cases.backlog import OUTDATED
from records.cases.permissions import ALLOWANCES, Allowance, Copied, Rights
from records.cases.rulings import Cause, Occasion, rule_cases
from records.cases.totals import MAX_TITLE_CHARS, Findings, author_of, by_work, case_figures, compared_text, title_of
from records.cases.what_counts import Counted, PageTexts, WhatCounts
from records.code_version import code_version
from records.locks import lock_rights, locked_cases, locked_pages
from records.matters import figures as matters
from records.models import Case, CaseMatch, Chapter, Exclusion, PageCheck, PageRecord, Site, TakenText
from records.models.obfuscation_kinds import kinds_of
from records.snapshots import frozen_obfuscations, frozen_span, placed_span, with_length_kept

MAX_TEXTS = 20  # of an excluded finding, that are kept for its view: a page that holds a whole book has hundreds

_SHOWN = (
    "version_id", "title", "chars", "encoding", "is_encoding_doubtful", "extractor", "confidence", "obfuscations",
    "rejection", "checked_at",
)  # fmt: skip
_KINDS = "obfuscation_kinds"  # which follows from "obfuscations"
_CHECKED = (
    "page", "algorithm_id", "corpus_revision", "rejection", "match_count", "checked_at", "appeared_at"
)  # fmt: skip
_FIGURES = (
    "page_url", "page_title", "page_author", "page_published_at", "version_id", "match_class", "similarity",
    "page_containment", "taken_chars", "matched_chars", "longest_run_chars", "excerpt",
    "obfuscations",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Found:
    """One outcome, with what of it concerns the holder who watches its site."""

    outcome: Outcome
    site: Site
    findings: list[Findings]
    is_whole: bool  # no text that was found has been withdrawn meanwhile

    @property
    def holder(self) -> int:
        return self.site.rights_holder_id

    @property
    def opens_teasers(self) -> bool:
        return self.site.rights_holder.opens_teasers

    @property
    def rejection(self) -> str:
        if self.outcome.rejection is not None:
            return str(self.outcome.rejection)
        return "" if self.findings else str(Rejection.NO_MATCH)


def record_outcomes(outcomes: Sequence[Outcome], works: WorkTexts) -> list[list[int]]:
    """Write outcomes in the caller's transaction; the ids of each one's cases. Raises NotFound for an unknown site."""
    if not outcomes:
        return []
    found = _found(outcomes)
    _lock(found)
    pages = _write_pages(found)
    having = [each for each in found if each.findings]
    rights = {holder: Rights(holder) for holder in sorted({each.holder for each in having})}
    cases = _Cases(having, works)
    counts = WhatCounts({each.outcome.version.page_id: each.site for each in having}, works)
    ruler = _Ruler(cases, rights, counts)
    by_outcome = [ruler.rule(each, pages[each.outcome.version.page_id]) for each in found]
    cases.write()
    marked = matters.note_changed(list(pages), outcomes[0].checked_at)
    _drop_exclusions(found, [finding for ruled in by_outcome for finding in ruled.exclusions])
    occasion, moved = Occasion(Cause.SIGHTING, outcomes[0].checked_at), list[int]()
    for holder, ids in cases.by_holder().items():
        moved += rule_cases(Case.objects.filter(pk__in=ids), rights[holder], occasion)
    _write_checks(found)
    _, texts = matters.concerned(moved)
    matters.refresh(marked | cases.matters(), texts | cases.texts)
    owed = [version for ruled in by_outcome for version in ruled.owed]
    PageCheck.objects.filter(version_id__in=owed).update(algorithm_id=OUTDATED)
    return [[case.pk for case in ruled.cases] for ruled in by_outcome]


def site_key(site: SiteId) -> int:
    """The row of a site. Raises NotFound for what is no key."""
    if not site.isdecimal():
        raise NotFound("site", site)
    return int(site)


def _found(outcomes: Sequence[Outcome]) -> list[_Found]:
    keys = {outcome.version.site_id: site_key(outcome.version.site_id) for outcome in outcomes}
    sites = Site.objects.select_related("rights_holder").in_bulk(list(set(keys.values())))
    for name, key in keys.items():
        if key not in sites:
            raise NotFound("site", name)
    chapters = _chapters(outcomes, {site.rights_holder_id for site in sites.values()})
    found, sources = [], Sources()
    for outcome in outcomes:
        site = sites[keys[outcome.version.site_id]]
        owned = _owned(outcome.matches, chapters, site.rights_holder_id)
        is_whole = {match.text_id for match in outcome.matches} <= {chapter.text_id for chapter in owned}
        reading = outcome.version.reading
        findings = [with_sources(each, reading, sources) for each in by_work(owned, outcome.matches)]
        found.append(_Found(outcome, site, findings, is_whole))
    return found


def _chapters(outcomes: Iterable[Outcome], holders: Collection[int]) -> dict[str, list[Chapter]]:
    texts = {match.text_id for outcome in outcomes for match in outcome.matches}
    chapters: dict[str, list[Chapter]] = defaultdict(list)
    if texts:
        rows = Chapter.objects.filter(text_id__in=texts, work__rights_holder__in=holders).select_related("work")
        for chapter in rows:
            chapters[chapter.text_id].append(chapter)
    return chapters


def _owned(matches: Iterable[Match], chapters: dict[str, list[Chapter]], holder: int) -> list[Chapter]:
    of_matches = (chapter for match in matches for chapter in chapters.get(match.text_id, ()))
    owned = (chapter for chapter in of_matches if chapter.work.rights_holder_id == holder)
    return sorted(owned, key=lambda chapter: (chapter.work_id, chapter.number))


def _lock(found: Iterable[_Found]) -> None:
    """Lock the rights of holders of whom something was found, or whose pages have cases: these may be marked."""
    having = Case.objects.filter(page__in={each.outcome.version.page_id for each in found}).order_by()
    holders = {each.holder for each in found if each.findings} | set(having.values_list("rights_holder", flat=True))
    for holder in sorted(holders):
        lock_rights(holder)


def _write_pages(found: Sequence[_Found]) -> dict[str, PageRecord]:
    """The rows of the pages, brought up to date; two outcomes of one page in their order."""
    ids = sorted({each.outcome.version.page_id for each in found})
    pages = {row.page_id: row for row in locked_pages(PageRecord.objects.filter(page_id__in=ids))}
    known = frozenset(pages)
    for each in found:
        outcome, page_id = each.outcome, each.outcome.version.page_id
        page = pages.get(page_id)
        if page is None:
            page = pages[page_id] = PageRecord(
                page_id=page_id, site=each.site, url=outcome.version.canonical_url,
                first_seen=outcome.first_seen, last_seen=outcome.seen_at, **_shown(each),
            )  # fmt: skip
            continue
        page.first_seen = min(page.first_seen, outcome.first_seen)
        page.last_seen = max(page.last_seen, outcome.seen_at)
        if outcome.is_current or page.version_id == outcome.version.id:
            for name, value in _shown(each).items():
                setattr(page, name, value)
    PageRecord.objects.bulk_create(pages[page_id] for page_id in ids if page_id not in known)
    PageRecord.objects.bulk_create(
        [pages[page_id] for page_id in ids if page_id in known],
        update_conflicts=True,
        unique_fields=["page_id"],
        update_fields=["first_seen", "last_seen", *_SHOWN, _KINDS],
    )
    return pages


def _shown(found: _Found) -> dict[str, Any]:
    """What a page's row says of the version that the page shows."""
    version, reading = found.outcome.version, found.outcome.version.reading
    values = (
        version.id, with_length_kept(reading.title)[:MAX_TITLE_CHARS], len(reading.text), reading.encoding,
        reading.is_encoding_doubtful, reading.extractor, reading.confidence, frozen_obfuscations(reading.obfuscations),
        found.rejection, found.outcome.checked_at,
    )  # fmt: skip
    return dict(zip(_SHOWN, values, strict=True))


@dataclass(frozen=True, slots=True)
class _Ruled:
    """What became of an outcome's findings."""

    cases: list[Case]
    exclusions: list[int]
    owed: list[str]  # versions that are to be compared again


class _Ruler:
    """Says of each finding whether it is a case or left out."""

    def __init__(self, cases: "_Cases", rights: dict[int, Rights], counts: WhatCounts) -> None:
        self._cases, self._rights, self._counts = cases, rights, counts

    def rule(self, found: _Found, page: PageRecord) -> _Ruled:
        ruled, outcome = _Ruled([], [], []), found.outcome
        reading = outcome.version.reading
        texts = PageTexts(reading.text, reading.whole_text)
        for findings in found.findings:
            counted, allowance = self._allowed(found, page, findings, texts)
            is_known = outcome.is_current and self._cases.has(page, findings)
            if allowance.reason is None or (is_known and allowance.reason in (*ALLOWANCES, Rejection.NOTHING_LEFT)):
                ruled.cases.append(self._cases.take(found, page, findings, counted))
            elif outcome.is_current and not is_known:  # else it would be counted beside its case
                ruled.exclusions.append(_exclude(page, outcome, findings, allowance, self._cases))
        if ruled.cases and not outcome.is_current:
            ruled.owed.extend(_take_in(page, ruled.cases))
        return ruled

    def _allowed(
        self, found: _Found, page: PageRecord, findings: Findings, texts: PageTexts
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
    return Copied(findings.work.pk, page.page_id, version.page_url, outcome.seen_at, author_of(version), texts)


def _take_in(page: PageRecord, cases: Iterable[Case]) -> list[str]:
    """Let cases that an older version of the page opened take in what was found on the version that it shows.

    What the rights allow there was never frozen: that version, which is returned, is owed a comparison, which sets the
    case aside.
    """
    taken_in = Exclusion.objects.filter(page=page, work__in=[case.work_id for case in cases])
    is_owed = taken_in.filter(reason__in=ALLOWANCES).exists()
    taken_in.delete()
    return [page.version_id] if is_owed else []


class _Cases:
    """The cases of some outcomes: read at once, changed one after the other, written at once."""

    def __init__(self, found: Sequence[_Found], works: WorkTexts) -> None:
        pages = {each.outcome.version.page_id for each in found}
        rows = locked_cases(Case.objects.filter(page__in=pages)) if pages else ()
        self._cases = {(case.page_id, case.work_id): case for case in rows}
        self._works = works
        self._taken: dict[tuple[str, int], Counted] = {}  # by page and work: what the version shown took
        self._new: set[tuple[str, int]] = set()
        self._sightings: list[tuple[Case, Outcome, Findings]] = []
        self._texts: dict[WorkTextId, tuple[str, str]] = {}
        self.texts: set[str] = set()  # of the works, of which the pages have more or less than before

    def has(self, page: PageRecord, findings: Findings) -> bool:
        return (page.page_id, findings.work.pk) in self._cases

    def take(self, found: _Found, page: PageRecord, findings: Findings, counted: Counted) -> Case:
        """The case of a page and a work, new or brought up to date. counted: what counts of the findings."""
        outcome, key = found.outcome, (page.page_id, findings.work.pk)
        case = self._cases.get(key)
        is_shown = case is None or outcome.is_current or case.version_id == outcome.version.id
        if case is None:
            self._new.add(key)
            case = self._cases[key] = Case(
                rights_holder_id=found.holder, page=page, work=findings.work, opened_at=outcome.checked_at,
                first_seen_at=outcome.first_seen, last_seen_at=outcome.seen_at,
            )  # fmt: skip
        case.first_seen_at = min(case.first_seen_at, outcome.first_seen)
        case.last_seen_at = max(case.last_seen_at, outcome.seen_at)
        if is_shown:
            self._taken[key] = counted
            for name, value in case_figures(counted.findings, outcome.version).items():
                setattr(case, name, value)
            case.obfuscation_kinds = kinds_of(case.obfuscations)
        self._sightings.append((case, outcome, findings))
        return case

    def write(self) -> None:
        """Cases, what they took, and the evidence that is not frozen yet."""
        touched = {(case.page_id, case.work_id): case for case, _, _ in self._sightings}
        if not touched:
            return
        matters.enter([case for key, case in touched.items() if key in self._new])
        Case.objects.bulk_create(case for key, case in touched.items() if key in self._new)
        Case.objects.bulk_update(
            [case for key, case in touched.items() if key not in self._new],
            ["first_seen_at", "last_seen_at", *_FIGURES, _KINDS],
        )
        self._write_taken()
        self._freeze()

    def by_holder(self) -> dict[int, list[int]]:
        """The ids of the cases that were taken, by rights holder."""
        ids: dict[int, dict[int, None]] = defaultdict(dict)
        for case, _, _ in self._sightings:
            ids[case.rights_holder_id][case.pk] = None
        return {holder: list(of_holder) for holder, of_holder in ids.items()}

    def matters(self) -> set[int | None]:
        """Those of the cases that were taken."""
        return {case.matter_id for case, _, _ in self._sightings}

    def _write_taken(self) -> None:
        """Which characters of the works the pages have now; what they had before counts no more."""
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

    def _frozen_match(self, case: Case, chapter: Chapter, match: Match, outcome: Outcome) -> CaseMatch:
        version = outcome.version
        work_text, work_digest = self.text(match.text_id)
        page_text, page_digest = _compared_text(version, match)
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
            longest_run_chars=match.longest_run_chars,
            spans=[frozen_span(span, page_text, work_text, raw) for span in match.spans],
            obfuscations=frozen_obfuscations(match.obfuscations),
            also=list(match.also),
            found_at=outcome.checked_at,
        )

    def text(self, text_id: WorkTextId) -> tuple[str, str]:
        """A text of the corpus and its digest."""
        if text_id not in self._texts:
            text = self._works.text(text_id) or ""
            self._texts[text_id] = text, digest(text.encode("utf-8", "surrogatepass"))
        return self._texts[text_id]


def _compared_text(version: PageVersion, match: Match) -> tuple[str, Digest]:
    """The text that the offsets of a match are of, and its digest."""
    text = compared_text(version, match)
    if text is version.reading.text:
        return text, version.text_digest
    return text, digest(text.encode("utf-8", "surrogatepass"))


def taken_row(case: Case, match: Match, counted: Counted) -> TakenText:
    """What the case has of one text: what counts, and beside it what does not."""
    left_out = counted.left_out.get(str(match.text_id))
    packed = left_out.packed() if left_out else b""
    return TakenText(case=case, text_id=str(match.text_id), places=match.taken.packed(), left_out=packed)


def _exclude(page: PageRecord, outcome: Outcome, findings: Findings, allowance: Allowance, texts: _Cases) -> int:
    shown = {
        "page_url": outcome.version.page_url,
        "page_title": title_of(outcome.version),
        "page_author": author_of(outcome.version),
        "text_ids": [str(match.text_id) for match in findings.copies],
        "reason": str(allowance.reason),
        "detail": allowance.label,
        "match_class": findings.main.match_class,
        "similarity": findings.main.similarity,
        "matched_chars": findings.matched_chars,
        "found": [_placed(chapter, match, outcome.version, texts) for chapter, match in findings.items[:MAX_TEXTS]],
    }
    row, _ = Exclusion.objects.update_or_create(
        page=page, work=findings.work, defaults=shown, create_defaults={**shown, "found_at": outcome.checked_at}
    )
    return row.pk


def _placed(chapter: Chapter, match: Match, version: PageVersion, texts: _Cases) -> dict[str, Any]:
    """Where passages stand that are no case, without a word of them: whoever opens it reads the texts in the store."""
    return {
        "text_id": str(match.text_id),
        "chapter_title": chapter.title,
        "version_id": version.id,
        "page_text_digest": _compared_text(version, match)[1],
        "work_text_digest": texts.text(match.text_id)[1],
        "match_class": str(match.match_class),
        "matched_chars": match.matched_chars,
        "similarity": match.similarity,
        "spans": [placed_span(span) for span in match.spans],
    }


def _drop_exclusions(found: Iterable[_Found], kept: Collection[int]) -> None:
    """Of the pages whose version shown was compared: what is left out there no more."""
    pages = [each.outcome.version.page_id for each in found if each.outcome.is_current]
    Exclusion.objects.filter(page__in=pages).exclude(pk__in=kept).delete()


def _write_checks(found: Iterable[_Found]) -> None:
    checks = {each.outcome.version.id: _check(each) for each in found}
    PageCheck.objects.bulk_create(
        checks.values(), update_conflicts=True, unique_fields=["version_id"], update_fields=list(_CHECKED)
    )


def _check(found: _Found) -> PageCheck:
    outcome = found.outcome
    return PageCheck(
        version_id=outcome.version.id,
        page_id=outcome.version.page_id,
        # What was found in a text that was withdrawn meanwhile may stand in another as well: it is asked again.
        algorithm_id=outcome.algorithm_id if found.is_whole else OUTDATED,
        corpus_revision=outcome.corpus_revision,
        rejection=found.rejection,
        match_count=sum(len(findings.items) for findings in found.findings),
        checked_at=outcome.checked_at,
        appeared_at=outcome.first_seen,
    )
