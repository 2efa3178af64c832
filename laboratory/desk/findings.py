"""Pages, their addresses, and the cases on them with matches, verdicts and evidence, written in batches."""

import json
from collections.abc import Callable
from itertools import count
from random import Random
from typing import Any

from django.db.models import Model

from core.ids import CanonicalUrl, SiteId, digest, page_id
from core.matches import MatchClass
from core.obfuscations import Obfuscation
from core.states import CaseState, Rejection, Verdict
from core.taken import Places
from laboratory import draws
from laboratory.desk import wording
from laboratory.desk.matters import Matters
from laboratory.desk.rows import Calendar, Rows, write_together
from laboratory.desk.stock import BIG_SHARE, CHAPTER_CHARS, Estate, Stock, weights
from records.models import (
    Address,
    Case,
    CaseMatch,
    EvidenceBundle,
    Exclusion,
    PageRecord,
    RetentionLog,
    TakenText,
    VerdictRecord,
)
from records.models.obfuscation_kinds import kinds_of

BATCH_PAGES = 5_000
EXCERPT = "渡口的灯是在立冬那天熄的。老周把船缆系在第三根桩上，数了数舱里的米袋，一共十七袋，比上个月少了两袋。"
A_DAY = 144  # steps of the calendar
CLASSES = [str(each) for each in MatchClass if each is not MatchClass.QUOTATION]
# What became of a case, and how often; verdicts come with old cases.
FATES = (
    (35, CaseState.OPEN, None),
    (30, CaseState.CONFIRMED, Verdict.CONFIRMED),
    (12, CaseState.DISMISSED, Verdict.FALSE_ALARM),
    (5, CaseState.DISMISSED, Verdict.FAIR_USE),
    (5, CaseState.DISMISSED, Verdict.LICENSED),
    (13, CaseState.SET_ASIDE, None),
)


class Findings:
    """All tables that grow with the web."""

    def __init__(self, stock: Stock, calendar: Calendar, rng: Random) -> None:
        self._stock, self._calendar, self._rng = stock, calendar, rng
        self._pages, self._addresses, self._cases = Rows(PageRecord), Rows(Address), Rows(Case)
        self._matches, self._taken, self._verdicts = Rows(CaseMatch), Rows(TakenText), Rows(VerdictRecord)
        self._bundles, self._exclusions, self._removals = Rows(EvidenceBundle), Rows(Exclusion), Rows(RetentionLog)
        self._case_keys, self._matters = count(1), Matters(stock, rng)
        # Verdict and case name each other; matches name cases: what is named is written first where that can be.
        self._tables = [self._matters.rows, self._pages, self._addresses, self._cases, self._verdicts, self._matches]
        self._tables += [self._taken, self._bundles, self._exclusions, self._removals]
        self._obfuscations = _obfuscation_lists()
        self._spans = [_short_spans(rng) for _ in range(50)]
        self._site_weights = [weights(len(estate.sites)) for estate in stock.estates]
        small = (1 - BIG_SHARE) / (len(stock.estates) - 1)
        self._shares = [BIG_SHARE, *[small] * (len(stock.estates) - 1)]

    @property
    def models(self) -> list[type[Model]]:
        """What is written."""
        return [table.model for table in self._tables]

    def fill(self, cases: int, pages: int, progress: Callable[[int, int], None]) -> None:
        """Write so many pages, in the order in which they were first seen, and on some of them a case."""
        for number in range(pages):
            has_case = (number + 1) * cases // pages > number * cases // pages
            self._add_page(number, number * self._calendar.last // pages, has_case)
            if (number + 1) % BATCH_PAGES == 0 or number + 1 == pages:
                write_together(*self._tables)
                progress(number + 1, pages)
        self._matters.write_figures()

    def _add_page(self, number: int, step: int, has_case: bool) -> None:
        rng, at = self._rng, self._calendar.at
        place = rng.choices(range(len(self._shares)), self._shares)[0]
        estate = self._stock.estates[place]
        site = rng.choices(estate.sites, cum_weights=self._site_weights[place])[0]
        url = f"{site.start_urls}book/{number // 40}/{number}.html"
        key = page_id(SiteId(str(site.pk)), CanonicalUrl(url))
        last = min(step + draws.between(rng, 0, 200 * A_DAY), self._calendar.last)
        page = {
            "page_id": key,
            "site_id": site.pk,
            "rights_holder_id": estate.holder.pk,
            "url": url,
            "title": f"第{number % 400}章 {wording.title(rng)} - {site.name}",
            "first_seen": at(step),
            "last_seen": at(last),
            "version_id": key[::-1],
            **self._drawn_obfuscations(),
        }
        is_odd = rng.random()
        self._pages.add(
            **page,
            gone_since=at(last) if is_odd < 0.04 else None,
            chars=draws.between(rng, 300, 5_000),
            encoding="gb18030" if is_odd > 0.7 else "utf-8",
            is_encoding_doubtful=0.04 < is_odd < 0.05,
            extractor="zhuiwen",
            confidence=round(0.4 + 0.6 * rng.random(), 3),
            rejection="" if has_case or is_odd < 0.1 else str(Rejection.NO_MATCH),
            checked_at=at(step),
        )
        self._add_address(page, at(last + A_DAY), has_failed=is_odd < 0.04)
        if has_case:
            self._add_case(page, estate, step, last)
        elif is_odd < 0.05:
            self._add_exclusion(page, estate)

    def _add_address(self, page: dict[str, Any], due: Any, has_failed: bool) -> None:
        failed: dict[str, Any] = {}
        if has_failed:
            failed = {"failures": 3, "failed_at": page["last_seen"], "reason": str(Rejection.HTTP_ERROR)}
        self._addresses.add(
            id=page["version_id"],
            site_id=page["site_id"],
            rights_holder_id=page["rights_holder_id"],
            url=page["url"],
            kind="detail",
            found_at=page["first_seen"],
            seen_at=page["last_seen"],
            due_at=due,
            page_id=page["page_id"],
            page_url=page["url"],
            version_id=page["version_id"],
            looks=9.0,
            unchanged_looks=8.0,
            **failed,
        )

    def _add_case(self, page: dict[str, Any], estate: Estate, step: int, last: int) -> None:
        rng, at = self._rng, self._calendar.at
        work = rng.choices(estate.works, cum_weights=estate.work_weights)[0]
        _, state, verdict = rng.choices(FATES, [share for share, _, _ in FATES])[0]
        decided = step + draws.between(rng, 10, 30 * A_DAY)
        if verdict is not None and decided > self._calendar.last:
            state, verdict = CaseState.OPEN, None
        is_whole = rng.random() < 0.4
        figures = {
            "match_class": "identical" if is_whole else draws.one_of(rng, CLASSES),
            "similarity": 1.0 if is_whole else round(0.5 + 0.5 * rng.random(), 4),
            "page_containment": 0.9,
            "matched_chars": draws.between(rng, 100, 5_000),
            "longest_equal_run_chars": draws.between(rng, 20, 300),
            "obfuscations": page["obfuscations"],
            "version_id": page["version_id"],
        }
        taken = _taken(rng, is_whole)
        is_allowed = state == CaseState.SET_ASIDE
        case = next(self._case_keys)
        matter = self._matters.of(page, work, CHAPTER_CHARS * len(self._stock.chapters[work.pk]))
        chapter, text_id = draws.one_of(rng, self._stock.chapters[work.pk])
        changed, returned = (at(last) if verdict is not None and rng.random() < 0.03 else None for _ in range(2))
        matter.changed += changed is not None
        matter.returned += returned is not None
        matter.add(str(state), text_id, taken, at(step), page["obfuscations"])
        self._cases.add(
            **figures,
            id=case,
            matter_id=matter.key,
            excerpt=EXCERPT,
            rights_holder_id=estate.holder.pk,
            site_id=page["site_id"],
            work_id=work.pk,
            page_id=page["page_id"],
            page_url=page["url"],
            page_title=page["title"],
            state=str(state),
            obfuscation_kinds=page["obfuscation_kinds"],
            allowed_as=str(Rejection.LICENSED) if is_allowed else "",
            allowed_by="HT-2026-017" if is_allowed else "",
            taken_chars=len(taken),
            opened_at=at(step),
            first_seen_at=at(step),
            last_seen_at=at(last),
            changed_since=changed,
            returned_at=returned,
            decided_as=str(verdict or ""),
            decision_id=self._add_verdict(case, verdict, estate, at(decided)),
        )
        self._add_evidence(case, (chapter, text_id, taken), figures, page, step)

    def _add_verdict(self, case: int, verdict: Verdict | None, estate: Estate, decided: Any) -> int | None:
        if verdict is None:
            return None
        given = {"verdict": str(verdict), "note": "逐字比对过", "decided_at": decided}
        reviewer = draws.one_of(self._rng, estate.reviewers)
        return int(self._verdicts.add(case_id=case, decided_by_id=reviewer.pk, **given))

    def _add_evidence(
        self, case: int, copied: tuple[int, str, Places], figures: dict[str, Any], page: dict[str, Any], step: int
    ) -> None:
        chapter, text_id, taken = copied
        self._taken.add(case_id=case, text_id=text_id, places=taken.packed())
        at = self._calendar.at(step)
        match = self._matches.add(
            **figures,
            case_id=case,
            chapter_id=chapter,
            fetched_at=at,
            final_url=page["url"],
            text_id=text_id,
            algorithm_id=1,
            corpus_revision=1,
            code_version="0.1.0",
            raw_digest=page["page_id"],
            page_text_digest=page["page_id"],
            work_text_digest=text_id,
            work_containment=0.8,
            spans=draws.one_of(self._rng, self._spans),
            found_at=at,
        )
        is_removed = case % 5_000 == 7
        bundle = self._bundles.add(
            case_id=case,
            match_id=match,
            rights_holder_id=page["rights_holder_id"],
            version_id=page["version_id"],
            digest=digest(page["page_id"].encode()),
            sha256=digest(page["url"].encode()),
            size_bytes=48_213,
            fetched_at=at,
            day=self._calendar.day(step),
            made_at=at,
            state="removed" if is_removed else "held",
        )
        if is_removed:
            removed = {"rights_holder_id": page["rights_holder_id"], "reason": "kept for 10 years"}
            self._removals.add(bundle_id=bundle, removed_at=self._calendar.at(step + A_DAY), **removed)

    def _add_exclusion(self, page: dict[str, Any], estate: Estate) -> None:
        work = self._rng.choices(estate.works, cum_weights=estate.work_weights)[0]
        reasons = (Rejection.LICENSED, Rejection.OWN_SITE, Rejection.QUOTATION)
        self._exclusions.add(
            page_id=page["page_id"],
            rights_holder_id=page["rights_holder_id"],
            site_id=page["site_id"],
            work_id=work.pk,
            page_url=page["url"],
            page_title=page["title"],
            reason=str(draws.one_of(self._rng, reasons)),
            detail="HT-2026-017",
            match_class="identical",
            similarity=1.0,
            matched_chars=290,
            found_at=page["first_seen"],
        )

    def _drawn_obfuscations(self) -> Any:
        return self._obfuscations[0] if self._rng.random() < 0.6 else draws.one_of(self._rng, self._obfuscations)


def _obfuscation_lists() -> list[dict[str, Any]]:
    """None, and one to three kinds in a row, as the database keeps them."""
    kinds = [str(kind) for kind in Obfuscation]
    lists = [kinds[first : first + many] for many in (1, 2, 3) for first in range(len(kinds))]
    found = [[], *([{"kind": kind, "count": 6, "example": "米袋"} for kind in each] for each in lists)]
    return [{"obfuscations": _json(each), "obfuscation_kinds": kinds_of(each)} for each in found]


def _json(value: Any) -> Any:
    """Text that both databases take for JSON."""
    return json.dumps(value)


def _short_spans(rng: Random) -> Any:
    """One passage of a hundred characters. In the product it is as long as what was copied: some 20 kB."""
    excerpt = wording.text(rng, 100)
    span = {"page": [50, 150], "work": [0, 100], "similarity": 1.0, "page_excerpt": excerpt, "work_excerpt": excerpt}
    return _json([{**span, "zone": "main", "raw": [50, 150], "changes": [], "raw_changes": []}])


def _taken(rng: Random, is_whole: bool) -> Places:
    """Which characters of a chapter are on the page: all, or seven in eight of a stretch of it."""
    whole = (1 << CHAPTER_CHARS) - 1
    if is_whole:
        return Places(whole)
    chars = draws.between(rng, 100, CHAPTER_CHARS)
    lost = rng.getrandbits(chars) & rng.getrandbits(chars) & rng.getrandbits(chars)
    return Places((((1 << chars) - 1) & ~lost) << draws.between(rng, 0, CHAPTER_CHARS - chars))
