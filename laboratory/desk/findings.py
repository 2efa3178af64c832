"""Pages, their addresses, and the cases on them with matters, matches, verdicts and evidence, written in batches."""

import json
from collections.abc import Callable
from itertools import count
from random import Random
from typing import Any

from django.db.models import Count, F, Max, OuterRef, Subquery, Sum
from django.db.models.functions import Coalesce, Least

from core.harm import SHARE
from core.ids import CanonicalUrl, SiteId, digest, page_id
from core.matches import MatchClass
from core.obfuscations import Obfuscation
from core.states import CaseState, Rejection, Verdict
from core.taken import Places
from laboratory import draws
from laboratory.desk.rows import Calendar, Rows, without_indexes, write_together
from laboratory.desk.stock import BIG_SHARE, CHAPTER_CHARS, HOLDERS, Estate, Stock, popular, title
from records import models
from records.models.obfuscation_kinds import kinds_of

EXCERPT = "渡口的灯是在立冬那天熄的。老周把船缆系在第三根桩上，数了数舱里的米袋，一共十七袋，比上个月少了两袋。"
BATCH_PAGES = 5_000
A_DAY = 144  # steps of the calendar
COPIES = [str(each) for each in MatchClass if each is not MatchClass.QUOTATION]
# What became of a case, and how often; verdicts come with old cases.
FATES = (
    *[(CaseState.OPEN, None)] * 7,
    *[(CaseState.CONFIRMED, Verdict.CONFIRMED)] * 6,
    *[(CaseState.DISMISSED, Verdict.FALSE_ALARM)] * 2,
    (CaseState.DISMISSED, Verdict.FAIR_USE),
    (CaseState.DISMISSED, Verdict.LICENSED),
    *[(CaseState.SET_ASIDE, None)] * 3,
)
# By model, all rows of findings; in this order, since what is named is written first where that can be.
GROWING = (
    models.Matter, models.PageRecord, models.Address, models.Case, models.VerdictRecord, models.CaseMatch,
    models.TakenText, models.EvidenceBundle, models.Exclusion, models.RetentionLog, models.MatterText,
    models.CopiedText,
)  # fmt: skip


class Findings:
    """All tables that grow with the web."""

    def __init__(self, stock: Stock, calendar: Calendar, rng: Random) -> None:
        self._rows = {model: Rows(model) for model in GROWING}
        self._estates, self._calendar, self._rng = stock.estates, calendar, rng
        self._cases = count(1)
        self._matters: dict[tuple[int, int], int] = {}
        self._texts: set[tuple[int, str]] = set()
        kinds = [str(kind) for kind in Obfuscation]
        lists = [kinds[first : first + many] for many in (1, 2, 3) for first in range(len(kinds))]
        found = [[{"kind": kind, "count": 6, "example": "米袋"} for kind in each] for each in lists]
        self._obfuscations = [_obfuscation_record(each) for each in [*[[]] * len(lists), *found]]
        span = {"page": [50, 150], "work": [0, 100], "similarity": 1.0, "zone": "main", "raw": [50, 150]}
        excerpts = {"page_excerpt": EXCERPT * 2, "work_excerpt": EXCERPT * 2, "changes": [], "raw_changes": []}
        self._spans = json.dumps([span | excerpts])

    def fill(self, cases: int, pages: int, progress: Callable[[int, int], None]) -> None:
        """Write so many pages, in the order in which they were first seen, and on some of them a case."""
        with without_indexes(*GROWING):
            for number in range(pages):
                has_case = (number + 1) * cases // pages > number * cases // pages
                self._add_page(number, number * self._calendar.last // pages, has_case)
                if (number + 1) % BATCH_PAGES == 0 or number + 1 == pages:
                    write_together(*self._rows.values())
                    progress(number + 1, pages)
        _add_up()

    def _add_page(self, number: int, step: int, has_case: bool) -> None:
        """One page and its address; a case on it, or now and then that it was left out."""
        rng, at = self._rng, self._calendar.at
        estate = self._estates[0 if rng.random() < BIG_SHARE else draws.between(rng, 1, HOLDERS - 1)]
        site, odd = popular(rng, estate.sites), rng.random()
        url = f"{site.start_urls}book/{number // 40}/{number}.html"
        key = page_id(SiteId(str(site.pk)), CanonicalUrl(url))
        last = min(step + draws.between(rng, 0, 200 * A_DAY), self._calendar.last)
        owned = {"rights_holder_id": estate.holder.pk, "site_id": site.pk}
        page = {**owned, "page_id": key, "url": url, "version_id": key[::-1], **draws.one_of(rng, self._obfuscations)}
        seen = {
            "title": f"第{number % 400}章 {title(rng)} - {site.name}",
            "first_seen": at(step),
            "last_seen": at(last),
        }
        self._rows[models.PageRecord].add(
            **page,
            **seen,
            gone_since=at(last) if odd < 0.04 else None,
            chars=draws.between(rng, 300, 5_000),
            encoding="gb18030" if odd > 0.7 else "utf-8",
            is_encoding_doubtful=0.04 < odd < 0.05,
            extractor="zhuiwen",
            confidence=round(0.4 + 0.6 * rng.random(), 3),
            rejection="" if has_case or odd < 0.1 else str(Rejection.NO_MATCH),
            checked_at=at(step),
        )
        failed = {"failures": 3, "failed_at": at(last), "reason": str(Rejection.HTTP_ERROR)} if odd < 0.04 else {}
        known = {"id": page["version_id"], "url": url, "kind": "detail", "found_at": at(step), "seen_at": at(last)}
        stands = {"page_id": key, "page_url": url, "version_id": page["version_id"], "due_at": at(last + A_DAY)}
        self._rows[models.Address].add(**owned, **known, **stands, looks=9.0, unchanged_looks=8.0, **failed)
        work = popular(rng, estate.works)
        on_page = {**owned, "work_id": work.pk, "page_id": key, "page_url": url, "page_title": seen["title"]}
        if has_case:
            self._add_case(page, on_page, estate, step, last)
        elif odd < 0.05:
            reason = draws.one_of(rng, (Rejection.LICENSED, Rejection.OWN_SITE, Rejection.QUOTATION))
            told = {"reason": str(reason), "detail": "HT-2026-017", "match_class": "identical", "similarity": 1.0}
            self._rows[models.Exclusion].add(**on_page, **told, matched_chars=290, found_at=at(step))

    def _add_case(self, page: dict[str, Any], on_page: dict[str, Any], estate: Estate, step: int, last: int) -> None:
        rng, at = self._rng, self._calendar.at
        state, verdict = draws.one_of(rng, FATES)
        decided = step + draws.between(rng, 10, 30 * A_DAY)
        if verdict is not None and decided > self._calendar.last:
            state, verdict = CaseState.OPEN, None
        chapter, text_id = draws.one_of(rng, estate.chapters[on_page["work_id"]])
        chars = CHAPTER_CHARS if (is_whole := rng.random() < 0.4) else draws.between(rng, 100, CHAPTER_CHARS)
        figures = {
            "match_class": "identical" if is_whole else draws.one_of(rng, COPIES),
            "similarity": 1.0 if is_whole else round(0.5 + 0.5 * rng.random(), 4),
            "page_containment": 0.9,
            "matched_chars": chars,
            "longest_equal_run_chars": draws.between(rng, 20, 100),
            "obfuscations": page["obfuscations"],
            "version_id": page["version_id"],
        }
        places = Places((1 << chars) - 1).packed()
        matter, case = self._matter(page, on_page, estate, step), next(self._cases)
        decision = None
        if verdict is not None:
            by = {"decided_by_id": draws.one_of(rng, estate.reviewers).pk, "decided_at": at(decided)}
            given = {"case_id": case, "verdict": str(verdict), "note": "逐字比对过"}
            decision = self._rows[models.VerdictRecord].add(**given, **by)
        self._rows[models.Case].add(
            **figures,
            **on_page,
            id=case,
            matter_id=matter,
            excerpt=EXCERPT,
            state=str(state),
            obfuscation_kinds=page["obfuscation_kinds"],
            allowed_as=str(Rejection.LICENSED) if state == CaseState.SET_ASIDE else "",
            allowed_by="HT-2026-017" if state == CaseState.SET_ASIDE else "",
            taken_chars=chars,
            opened_at=at(step),
            first_seen_at=at(step),
            last_seen_at=at(last),
            changed_since=at(last) if verdict is not None and rng.random() < 0.03 else None,
            returned_at=at(last) if verdict is not None and rng.random() < 0.03 else None,
            decided_as=str(verdict or ""),
            decision_id=decision,
        )
        self._rows[models.TakenText].add(case_id=case, text_id=text_id, places=places)
        if state.is_copy and (matter, text_id) not in self._texts:
            self._texts.add((matter, text_id))
            kept = {"text_id": text_id, "taken_chars": chars}
            self._rows[models.MatterText].add(**kept, matter_id=matter, places=places, first_seen_at=at(step))
            if (-on_page["work_id"], text_id) not in self._texts:
                self._texts.add((-on_page["work_id"], text_id))
                self._rows[models.CopiedText].add(**kept, work_id=on_page["work_id"])
        self._add_evidence(case, (chapter, text_id), figures, page, step)

    def _matter(self, page: dict[str, Any], on_page: dict[str, Any], estate: Estate, step: int) -> int:
        """That of a site and a work; of ten one is the manager's and two are others'."""
        key, rng = (on_page["site_id"], on_page["work_id"]), self._rng
        if key not in self._matters:
            people = [estate.manager.pk, *(each.pk for each in estate.reviewers[:2]), *[None] * 7]
            lead_s = draws.between(rng, -30 * 86_400, 2 * 86_400) if rng.random() < 0.5 else None
            self._matters[key] = self._rows[models.Matter].add(
                **{name: on_page[name] for name in ("rights_holder_id", "site_id", "work_id")},
                obfuscation_kinds=page["obfuscation_kinds"],
                first_seen_at=self._calendar.at(step),
                harm=50 * rng.random(),
                lead_s=lead_s,
                early_chapters=3 if lead_s is not None and lead_s > 0 else 0,
                awaited="授权合同" if rng.random() < 0.02 else "",
                assignee_id=draws.one_of(rng, people),
            )
        return self._matters[key]

    def _add_evidence(
        self, case: int, copied: tuple[int, str], figures: dict[str, Any], page: dict[str, Any], step: int
    ) -> None:
        (chapter, text_id), at, url = copied, self._calendar.at(step), page["url"]
        made = {"algorithm_id": 1, "corpus_revision": 1, "code_version": "0.1.0", "work_containment": 0.8}
        digests = {"raw_digest": page["page_id"], "page_text_digest": page["page_id"], "work_text_digest": text_id}
        found = {"text_id": text_id, "chapter_id": chapter, "final_url": url, "fetched_at": at, "found_at": at}
        match = self._rows[models.CaseMatch].add(**figures, **made, **digests, **found, case_id=case, spans=self._spans)
        of = {"case_id": case, "match_id": match, "rights_holder_id": page["rights_holder_id"]}
        sums = {"digest": digest(page["page_id"].encode()), "sha256": digest(url.encode()), "size_bytes": 48_213}
        days = {"fetched_at": at, "day": self._calendar.day(step), "made_at": at, "version_id": page["version_id"]}
        is_removed = case % 5_000 == 7
        bundle = self._rows[models.EvidenceBundle].add(**of, **sums, **days, state="removed" if is_removed else "held")
        if is_removed:
            why = {"rights_holder_id": page["rights_holder_id"], "reason": "kept for 10 years"}
            self._rows[models.RetentionLog].add(bundle_id=bundle, removed_at=self._calendar.at(step + A_DAY), **why)


def _obfuscation_record(found: list[dict[str, Any]]) -> dict[str, str]:
    """As both databases take it."""
    return {"obfuscations": json.dumps(found), "obfuscation_kinds": kinds_of(found)}


def _add_up() -> None:
    """Write into each matter what its cases come to."""
    cases = models.Case.objects.filter(matter=OuterRef("pk")).order_by().values("matter")

    def of(figure: Any, **chosen: Any) -> Coalesce:
        return Coalesce(Subquery(cases.filter(**chosen).annotate(figure=figure).values("figure")), 0)

    copies = (CaseState.OPEN, CaseState.CONFIRMED)
    works = models.Work.objects.filter(pk=OuterRef("work"))
    models.Matter.objects.update(
        open_cases=of(Count("pk"), state=CaseState.OPEN),
        confirmed_cases=of(Count("pk"), state=CaseState.CONFIRMED),
        closed_cases=of(Count("pk"), state__in=[each for each in CaseState if each not in copies]),
        changed_cases=of(Count("pk"), changed_since__isnull=False),
        returned_cases=of(Count("pk"), returned_at__isnull=False),
        newest_at=Subquery(cases.annotate(figure=Max("opened_at")).values("figure")),
        taken_chars=Least(of(Sum("taken_chars"), state__in=copies), Subquery(works.values("counted_chars"))),
    )
    share = F("taken_chars") * 1.0 / Subquery(works.values("counted_chars"))
    models.Matter.objects.update(work_share=share, harm=F("harm") + SHARE * share)
