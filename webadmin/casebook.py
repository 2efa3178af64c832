"""The case book in the admin database: rights before cases, evidence frozen, a reviewer's verdict never touched."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import OperationalError, transaction
from django.db.models import F, Max, OuterRef, Q, Subquery

from core.errors import NotFound, ServiceUnavailable
from core.ids import Digest, SiteId, VersionId, WorkTextId, digest
from core.matches import Match, MatchClass
from core.pages import Disguise, DisguiseFound, PageVersion
from core.ports import Outcome, WorkStore
from core.rights import Permission, Ruling, rule
from core.states import Rejection
from webadmin.frozen import frozen_disguises, frozen_span, merged_disguises
from webadmin.models import Case, CaseMatch, Chapter, Exclusion, Licence, OwnDomain, PageCheck, PageRecord, Site, Work
from webadmin.version import code_version


class DjangoCaseBook:
    """`core.ports.CaseBook` over Django's ORM."""

    def __init__(self, works: WorkStore) -> None:
        self._works = works

    def texts_of_watchers(self, site: SiteId) -> frozenset[WorkTextId]:
        texts = Chapter.objects.filter(work__rights_holder__sites=_key(site)).values_list("text_id", flat=True)
        return frozenset(WorkTextId(text) for text in texts)

    def record(self, outcome: Outcome) -> list[int]:
        try:
            with transaction.atomic():
                return self._record(outcome)
        except OperationalError as error:
            raise ServiceUnavailable("the admin database", str(error)) from error

    def unchecked(self, versions: Iterable[VersionId], algorithm_id: int) -> set[VersionId]:
        wanted = set(versions)
        newest_text = (
            Chapter.objects.filter(work__rights_holder=OuterRef("page__site__rights_holder"))
            .order_by()
            .values("work__rights_holder")
            .annotate(newest=Max("indexed_at"))
            .values("newest")
        )
        done = (
            PageCheck.objects.filter(version_id__in=wanted, algorithm_id=algorithm_id)
            .annotate(newest_text=Subquery(newest_text))
            .filter(Q(newest_text__isnull=True) | Q(checked_at__gt=F("newest_text")))
        )
        return wanted - {VersionId(version) for version in done.values_list("version_id", flat=True)}

    def is_owned(self, text: WorkTextId) -> bool:
        return Chapter.objects.filter(text_id=text).exists()

    def indexed(self, text: WorkTextId, at: datetime) -> None:
        Chapter.objects.filter(text_id=text, indexed_at__isnull=True).update(indexed_at=at)

    def _record(self, outcome: Outcome) -> list[int]:
        site = Site.objects.select_related("rights_holder").filter(pk=_key(outcome.version.site_id)).first()
        if site is None:
            raise NotFound("site", outcome.version.site_id)
        by_work = _by_work(site, outcome.matches)
        page = _page_record(site, outcome)
        cases: list[int] = []
        excluded: set[int] = set()
        for work, findings in by_work.items():
            ruling = _ruling(site, work, outcome.version)
            if ruling.rejection is None and all(m.match_class is MatchClass.QUOTATION for _, m in findings):
                ruling = Ruling(Rejection.QUOTATION)
            if ruling.rejection is None:
                cases.append(self._case(site, work, page, outcome, findings).pk)
            else:
                _exclude(page, work, outcome, findings, ruling)
                excluded.add(work.pk)
        Exclusion.objects.filter(page=page).exclude(work_id__in=excluded).delete()
        PageCheck.objects.update_or_create(
            version_id=outcome.version.id,
            defaults={
                "page": page,
                "algorithm_id": outcome.algorithm_id,
                "corpus_revision": outcome.corpus_revision,
                "rejection": _page_rejection(outcome, by_work),
                "match_count": sum(len(findings) for findings in by_work.values()),
                "checked_at": outcome.checked_at,
            },
        )
        return cases

    def _case(
        self, site: Site, work: Work, page: PageRecord, outcome: Outcome, findings: "Sequence[tuple[Chapter, Match]]"
    ) -> Case:
        version = outcome.version
        figures = _figures(work, version, findings)
        case, is_new = Case.objects.get_or_create(
            page=page,
            work=work,
            defaults={"rights_holder": site.rights_holder, "opened_at": outcome.checked_at, **figures},
        )
        if not is_new and version.fetched_at >= case.last_seen_at:
            Case.objects.filter(pk=case.pk).update(**figures)
        for chapter, match in findings:
            CaseMatch.objects.get_or_create(
                case=case,
                version_id=version.id,
                text_id=match.text_id,
                defaults=self._frozen_match(chapter, match, outcome),
            )
        return case

    def _frozen_match(self, chapter: Chapter, match: Match, outcome: Outcome) -> dict[str, Any]:
        version = outcome.version
        work_text = self._works.text(match.text_id) or ""
        return {
            "chapter": chapter,
            "chapter_title": chapter.title,
            "fetched_at": version.fetched_at,
            "final_url": version.final_url,
            "algorithm_id": match.algorithm_id,
            "corpus_revision": outcome.corpus_revision,
            "code_version": code_version(),
            "raw_digest": version.raw_digest,
            "page_text_digest": version.text_digest,
            "work_text_digest": _text_digest(work_text),
            "match_class": match.match_class,
            "similarity": match.similarity,
            "page_containment": match.page_containment,
            "work_containment": match.work_containment,
            "matched_chars": match.matched_chars,
            "longest_run_chars": match.longest_run_chars,
            "spans": [frozen_span(span, version.reading.text, work_text) for span in match.spans],
            "disguises": frozen_disguises(match.disguises),
            "also": list(match.also),
            "found_at": outcome.checked_at,
        }


def pages_seen_again(page_ids: Iterable[str], at: datetime) -> None:
    """Move `last_seen` of pages that were fetched and found unchanged, and of their cases."""
    ids = list(page_ids)
    for start in range(0, len(ids), 500):  # SQLite takes at most 999 variables in a statement
        batch = ids[start : start + 500]
        PageRecord.objects.filter(page_id__in=batch, last_seen__lt=at).update(last_seen=at)
        Case.objects.filter(page_id__in=batch, last_seen_at__lt=at).update(last_seen_at=at)


def _key(site: SiteId) -> int:
    if not site.isdecimal():
        raise NotFound("site", site)
    return int(site)


def _text_digest(text: str) -> Digest:
    return digest(text.encode("utf-8", "surrogatepass"))


def _by_work(site: Site, matches: Iterable[Match]) -> dict[Work, list[tuple[Chapter, Match]]]:
    by_text = {str(match.text_id): match for match in matches}
    chapters = Chapter.objects.filter(work__rights_holder=site.rights_holder, text_id__in=by_text).select_related(
        "work"
    )
    by_work: dict[Work, list[tuple[Chapter, Match]]] = defaultdict(list)
    for chapter in chapters.order_by("work_id", "number"):
        by_work[chapter.work].append((chapter, by_text[chapter.text_id]))
    return by_work


def _page_rejection(outcome: Outcome, by_work: dict[Work, list[tuple[Chapter, Match]]]) -> str:
    if outcome.rejection is not None:
        return str(outcome.rejection)
    return "" if by_work else str(Rejection.NO_MATCH)


def _page_record(site: Site, outcome: Outcome) -> PageRecord:
    version, reading = outcome.version, outcome.version.reading
    page, is_new = PageRecord.objects.get_or_create(
        page_id=version.page_id,
        defaults={
            "site": site,
            "url": version.canonical_url,
            "first_seen": version.fetched_at,
            "last_seen": version.fetched_at,
            "version_id": version.id,
        },
    )
    if is_new or page.version_id == version.id or version.fetched_at >= page.last_seen:
        page.version_id = version.id
        page.last_seen = max(page.last_seen, version.fetched_at)
        page.title = reading.title[:500]
        page.chars = len(reading.text)
        page.encoding = reading.encoding
        page.is_encoding_doubtful = reading.is_encoding_doubtful
        page.extractor = reading.extractor
        page.confidence = reading.confidence
        page.disguises = frozen_disguises(reading.disguises)
        page.rejection = str(outcome.rejection or ("" if outcome.matches else Rejection.NO_MATCH))
        page.checked_at = outcome.checked_at
        page.save()
    return page


def _ruling(site: Site, work: Work, version: PageVersion) -> Ruling:
    on = version.fetched_at.astimezone(ZoneInfo(settings.TIME_ZONE)).date()
    own = OwnDomain.objects.filter(rights_holder=site.rights_holder).values_list("domain", flat=True)
    licences = Licence.objects.filter(rights_holder=site.rights_holder).filter(work__isnull=True) | (
        Licence.objects.filter(work=work)
    )
    permissions = [
        Permission(
            licence.domain, licence.valid_from, licence.valid_until, f"{licence.licensee} {licence.number}".strip()
        )
        for licence in licences
    ]
    return rule(version.final_url, on, own, permissions)


def _exclude(
    page: PageRecord, work: Work, outcome: Outcome, findings: "Sequence[tuple[Chapter, Match]]", ruling: Ruling
) -> None:
    main = _main(findings)
    Exclusion.objects.update_or_create(
        page=page,
        work=work,
        defaults={
            "reason": ruling.rejection,
            "detail": ruling.detail[:300],
            "match_class": main.match_class,
            "similarity": main.similarity,
            "matched_chars": sum(match.matched_chars for _, match in findings),
            "found_at": outcome.checked_at,
        },
    )


def _main(findings: "Sequence[tuple[Chapter, Match]]") -> Match:
    return max((match for _, match in findings), key=lambda match: match.matched_chars)


def _figures(work: Work, version: PageVersion, findings: "Sequence[tuple[Chapter, Match]]") -> dict[str, Any]:
    """The case's own figures: of all chapters that the page took from, weighed by what it took."""
    matches = [match for _, match in findings]
    matched = sum(match.matched_chars for match in matches)
    chars = dict(Chapter.objects.filter(work=work).values_list("text_id", "chars"))
    whole = sum(chars.values()) or 1
    return {
        "page_url": version.final_url,
        "page_title": version.reading.title[:500],
        "version_id": version.id,
        "last_seen_at": version.fetched_at,
        "match_class": _case_class(matches),
        "similarity": sum(match.similarity * match.matched_chars for match in matches) / max(1, matched),
        "page_containment": min(1.0, sum(match.page_containment for match in matches)),
        "work_containment": min(1.0, sum(m.work_containment * chars.get(m.text_id, 0) for m in matches) / whole),
        "matched_chars": matched,
        "longest_run_chars": max(match.longest_run_chars for match in matches),
        "disguises": frozen_disguises(_disguises(version, matches)),
    }


def _case_class(matches: Sequence[Match]) -> MatchClass:
    """The class of what was taken most of; a quotation beside a copy does not make the copy one."""
    copies = [match for match in matches if match.match_class is not MatchClass.QUOTATION] or list(matches)
    return max(copies, key=lambda match: match.matched_chars).match_class


def _disguises(version: PageVersion, matches: Iterable[Match]) -> list[DisguiseFound]:
    found = [item for match in matches for item in match.disguises]
    return merged_disguises([*version.reading.disguises, *found], order=list(Disguise))
