"""Stores cases and checks in the admin database. Verdicts and frozen evidence are never changed."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import F, Max, Min, QuerySet

from core.ids import SiteId, VersionId, WorkTextId
from core.pages import Page, VersionOfPage
from core.ports import ComparisonOutcome, Search, SearchGap, Unsearched, WorkTexts
from webadmin.accounts.models import RightsHolder
from webadmin.cases.models import CaseMatch, PageCheck
from webadmin.cases.services.addresses import OUTDATED
from webadmin.cases.services.recording import record_outcomes
from webadmin.cases.services.rulings import rule_waiting
from webadmin.cases.services.sightings import note_sightings
from webadmin.cases.signals import text_withdrawn
from webadmin.database import answering, batches
from webadmin.sites.models import PageRecord, Site
from webadmin.sites.models.site import site_key
from webadmin.works.models import Chapter
from webadmin.works.services.work_length import note_counted


class DjangoSearchBacklog:
    """A core.ports.SearchBacklog in the admin database. Rights holders are identified by their primary keys."""

    def lags(self, algorithm_id: int) -> Mapping[int, SearchGap]:
        by_holder = Chapter.objects.filter(indexed_at__isnull=False).order_by().values("work__rights_holder_id")
        newest_texts = by_holder.annotate(newest=Max("indexed_at")).values_list("work__rights_holder_id", "newest")
        gaps: dict[int, SearchGap] = {}
        for holder, newest in newest_texts:
            oldest = _last_checked(holder, algorithm_id, newest).aggregate(oldest=Min("checked_at"))["oldest"]
            if oldest is not None:
                gaps[holder] = SearchGap(oldest, newest)
        return gaps

    def newer_texts(self, rights_holder: int, since: datetime) -> Mapping[WorkTextId, datetime | None]:
        owned = Chapter.objects.filter(work__rights_holder_id=rights_holder)
        noted = owned.filter(indexed_at__gte=since).order_by("indexed_at").values_list("text_id", "indexed_at")
        waiting = owned.filter(indexed_at__isnull=True).values_list("text_id", flat=True)
        found: dict[WorkTextId, datetime | None] = {WorkTextId(text): at for text, at in noted}
        return found | {WorkTextId(text): None for text in waiting}

    def find_unsearched(
        self, pages: Collection[Page], gaps: Mapping[int, SearchGap], algorithm_id: int
    ) -> list[Unsearched]:
        watched = [(page, holder) for page, holder in with_holders(pages) if holder in gaps]
        checks = valid_checks([page.current_version for page, _ in watched], algorithm_id)
        found = []
        for page, holder in watched:
            at, matches = checks.get(page.current_version, (None, 0))
            if at is not None and at <= gaps[holder].newest_text:
                found.append(Unsearched(page.id, page.current_version, holder, at, has_findings=matches > 0))
        return found

    def note_searched(self, pages: Collection[Unsearched], hits: Collection[Unsearched], search: Search) -> None:
        for batch in batches(list(pages)):
            versions = [page.version for page in batch]
            with transaction.atomic():
                _older_checks(versions, search).update(checked_at=search.at, corpus_revision=search.corpus_revision)
                PageRecord.objects.filter(
                    page_id__in=[page.page for page in batch], version_id__in=versions, checked_at__lt=search.at
                ).update(checked_at=search.at)
        for batch in batches(list(hits)):
            _older_checks([page.version for page in batch], search).update(algorithm_id=OUTDATED)

    def end_search(self, gaps: Mapping[int, SearchGap], search: Search) -> int:
        return sum(
            _last_checked(holder, search.algorithm_id, gap.newest_text)
            .filter(checked_at__lt=search.at)
            .update(algorithm_id=OUTDATED)
            for holder, gap in gaps.items()
        )

    def note_unindexed(self, texts: Collection[WorkTextId]) -> None:
        for batch in batches(sorted(texts)):
            Chapter.objects.filter(text_id__in=batch, indexed_at__isnull=False).update(indexed_at=None)

    def set_back(self, now: datetime) -> None:
        PageCheck.objects.filter(checked_at__gt=now).update(checked_at=now)
        Chapter.objects.filter(indexed_at__gt=now).update(indexed_at=now)

    def note_indexed(self, texts: Mapping[WorkTextId, int], at: datetime) -> None:
        self.set_back(at)
        for batch in batches(sorted(texts)):
            with transaction.atomic():
                note_counted({text: texts[text] for text in batch})
                news = Chapter.objects.filter(text_id__in=batch, indexed_at__isnull=True)
                chapters = list(news.values_list("pk", flat=True))
                news.update(indexed_at=at)
            for some in batches(chapters):
                replaced = CaseMatch.objects.filter(chapter__in=some).exclude(text_id=F("chapter__text_id"))
                _requeue_pages(replaced)

    def note_withdrawn(self, text: WorkTextId) -> None:
        _requeue_pages(CaseMatch.objects.filter(text_id=text))
        text_withdrawn.send(None, text=text)


def with_holders(pages: Collection[Page]) -> list[tuple[Page, int]]:
    """Return the pages whose site exists, each with the key of its rights holder."""
    holders = {SiteId(str(pk)): holder for pk, holder in Site.objects.values_list("pk", "rights_holder_id")}
    return [(page, holders[page.site_id]) for page in pages if page.site_id in holders]


def valid_checks(versions: Sequence[VersionId], algorithm_id: int) -> dict[str, tuple[datetime, int]]:
    """Return the comparison time and the number of matched texts, by version.

    Only versions that are current and were compared by the algorithm are included.
    """
    found: dict[str, tuple[datetime, int]] = {}
    for batch in batches(versions):
        checks = PageCheck.objects.filter(
            version_id__in=batch, algorithm_id=algorithm_id, page__version_id=F("version_id")
        )
        found |= {
            version: (at, count) for version, at, count in checks.values_list("version_id", "checked_at", "match_count")
        }
    return found


def _last_checked(holder: int, algorithm_id: int, until: datetime) -> "QuerySet[PageCheck]":
    """Return the checks of the current versions of a rights holder's pages that were compared no later than `until`."""
    return PageCheck.objects.filter(
        checked_at__lte=until,
        algorithm_id=algorithm_id,
        page__rights_holder_id=holder,
        page__version_id=F("version_id"),
    )


def _older_checks(versions: Sequence[VersionId], search: Search) -> "QuerySet[PageCheck]":
    return PageCheck.objects.filter(version_id__in=versions, algorithm_id=search.algorithm_id, checked_at__lt=search.at)


def _requeue_pages(findings: "QuerySet[CaseMatch]") -> None:
    """Queue the page versions with these findings for another comparison. Frozen evidence is unchanged."""
    for batch in batches(list(findings.order_by().values_list("version_id", flat=True).distinct())):
        PageCheck.objects.filter(version_id__in=batch).update(algorithm_id=OUTDATED)


class DjangoCaseRepository(DjangoSearchBacklog):
    """A core.ports.CaseRepository in the admin database."""

    def __init__(self, works: WorkTexts) -> None:
        self._works = works

    def sources(self, site: SiteId, texts: Collection[WorkTextId]) -> Mapping[WorkTextId, Hashable]:
        found: dict[WorkTextId, Hashable] = {}
        for batch in batches(list(texts)):
            owned = Chapter.objects.filter(work__rights_holder__sites=site_key(site), text_id__in=batch)
            found |= {WorkTextId(text): work for text, work in owned.values_list("text_id", "work_id")}
        return found

    def open_or_update_cases(self, outcomes: Sequence[ComparisonOutcome]) -> list[list[int]]:
        try:
            return self._record(outcomes)
        except IntegrityError:  # Another process has created the same page or case, which now exists.
            return self._record(outcomes)

    def find_uncompared(self, versions: Collection[VersionOfPage], algorithm_id: int) -> set[VersionId]:
        shown = {each.version.id: each.is_current for each in versions}
        checks = PageCheck.objects.filter(version_id__in=list(shown), algorithm_id=algorithm_id)
        compared = {
            VersionId(version)
            for version, recorded in checks.values_list("version_id", "page__version_id")
            if version == recorded or not shown[VersionId(version)]
        }
        return set(shown) - compared

    def mark_seen(self, versions: Collection[VersionOfPage], now: datetime) -> None:
        with answering():
            note_sightings(versions, now)

    def pending(self, pages: Collection[Page], algorithm_id: int) -> set[VersionId]:
        known = [page.current_version for page, _ in with_holders(pages)]
        checks = valid_checks(known, algorithm_id)
        return {version for version in known if version not in checks}

    def awaiting_rulings(self) -> list[int]:
        waiting = RightsHolder.objects.filter(unruled_since__isnull=False)
        return list(waiting.order_by("pk").values_list("pk", flat=True))

    def rule_again(self, rights_holder: int) -> None:
        with answering():
            rule_waiting(rights_holder)

    def is_owned(self, text: WorkTextId) -> bool:
        return Chapter.objects.filter(text_id=text).exists()

    def _record(self, outcomes: Sequence[ComparisonOutcome]) -> list[list[int]]:
        with answering(), transaction.atomic():
            return record_outcomes(outcomes, self._works)
