"""What a report is made from, out of the admin database: only what its reader may see."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Count, Q, QuerySet
from django.db.models.functions import TruncDate
from django.utils import timezone

from analytics.records import CaseRow, CrawlRow, CrawlState, ExclusionRow, PageRow, ReportScope
from analytics.report import Report, build_report
from core.errors import NotFound
from core.matches import MatchClass
from core.pages import Disguise
from core.states import CaseState, Rejection, Verdict
from webadmin.access import holder_path, visible
from webadmin.models import Case, CaseMatch, CrawlRun, Exclusion, PageCheck, RightsHolder, Site, Work

Reader = User | AnonymousUser | RightsHolder

EXCERPT_CHARS = 120  # three lines of a report's table
KNOWN_DISGUISES = frozenset(str(kind) for kind in Disguise)


@dataclass(frozen=True, slots=True)
class ReportRows:
    """The records of one report, ready for analytics.report.build_report."""

    cases: list[CaseRow]
    pages: list[PageRow]
    exclusions: list[ExclusionRow]
    crawls: list[CrawlRow]


def make_report(
    reader: Reader,
    since: date,
    until: date,
    *,
    work: Work | None = None,
    site: Site | None = None,
    language: str = "",
    holder: RightsHolder | None = None,
    generated_at: datetime | None = None,
) -> Report:
    """Measure the period for a reader: a user (all their rights holders, or `holder` alone) or a rights holder itself.

    Raises NotFound for a rights holder, work or site that the reader may not see, whose name would stand in the report;
    BadInput for a period or language that cannot be.
    """
    _require_seen(reader, holder, work, site)
    if holder is None and isinstance(reader, RightsHolder):
        holder = reader
    scope = ReportScope(
        rights_holder=holder.name if holder else "",
        since=since,
        until=until,
        time_zone=settings.TIME_ZONE,
        language=language or settings.LANGUAGE_CODE,
        generated_at=generated_at or timezone.now(),
        works=(work.title,) if work else (),
        sites=(site.name,) if site else (),
    )
    rows = report_rows(reader, scope, work, site, holder)
    return build_report(scope, rows.cases, rows.pages, rows.exclusions, rows.crawls)


def _require_seen(reader: Reader, *wanted: RightsHolder | Work | Site | None) -> None:
    for record in wanted:
        if record is not None and not _seen(type(record).objects.filter(pk=record.pk), reader).exists():
            raise NotFound(str(record._meta.verbose_name), record.pk)


def _seen(queryset: QuerySet[Any], reader: Reader) -> QuerySet[Any]:
    if isinstance(reader, RightsHolder):
        return queryset.filter(**{holder_path(queryset.model): reader.pk})
    return visible(queryset, reader)


def report_rows(
    reader: Reader,
    scope: ReportScope,
    work: Work | None = None,
    site: Site | None = None,
    holder: RightsHolder | None = None,
) -> ReportRows:
    """Read the records of the scope's period that the reader may see."""
    query = _Query(reader, scope, work, site, holder)
    return ReportRows(query.cases(), query.pages(), query.exclusions(), query.crawls())


class _Query:
    """The queries of one report; every one of them passes `_seen`."""

    def __init__(
        self, reader: Reader, scope: ReportScope, work: Work | None, site: Site | None, holder: RightsHolder | None
    ) -> None:
        self._reader, self._scope = reader, scope
        self._work, self._site, self._holder = work, site, holder

    def _seen(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        queryset = _seen(queryset, self._reader)
        return queryset.filter(**{holder_path(queryset.model): self._holder.pk}) if self._holder else queryset

    def _during(self, field: str) -> Q:
        return Q(**{f"{field}__gte": self._scope.starts_at, f"{field}__lt": self._scope.ends_at})

    def _narrow(self, site_path: str, work_path: str = "") -> Q:
        condition = Q(**{site_path: self._site}) if self._site else Q()
        return condition & Q(**{work_path: self._work}) if self._work and work_path else condition

    def cases(self) -> list[CaseRow]:
        found = self._seen(Case.objects.filter(self._during("opened_at"), self._narrow("page__site", "work")))
        cases = list(found.select_related("rights_holder", "work", "page__site", "decided_by"))
        first_matches = _first_matches(found)
        return [_case_row(case, first_matches.get(case.pk)) for case in cases]

    def pages(self) -> list[PageRow]:
        """Count by day the pages that were compared, and the versions that appeared: of new pages and changed ones."""
        checked = self._by_day("checked_at", Count("page_id", distinct=True))
        appeared = self._by_day("appeared_at", Count("version_id"))
        return [
            PageRow(site, day, pages_checked=checked.get((site, day), 0), new_versions=appeared.get((site, day), 0))
            for site, day in sorted(checked.keys() | appeared.keys())
        ]

    def _by_day(self, field: str, counted: Count) -> dict[tuple[str, date], int]:
        """Count page checks by site and day of `field` in the operator's zone."""
        checks = self._seen(PageCheck.objects.filter(self._during(field), self._narrow("page__site")))
        days = checks.order_by().annotate(day=TruncDate(field, tzinfo=self._scope.zone))
        rows = days.values("page__site__name", "day").annotate(n=counted)
        return {(row["page__site__name"], row["day"]): row["n"] for row in rows}

    def exclusions(self) -> list[ExclusionRow]:
        """Count findings that are no cases by work, and pages that went no further by reason."""
        findings = self._seen(Exclusion.objects.filter(self._during("found_at"), self._narrow("page__site", "work")))
        rows = [
            ExclusionRow(row["page__site__name"], row["work__title"], Rejection(row["reason"]), row["n"])
            for row in findings.order_by().values("page__site__name", "work__title", "reason").annotate(n=Count("pk"))
        ]
        checks = PageCheck.objects.filter(self._during("checked_at"), self._narrow("page__site")).exclude(rejection="")
        rows += [
            ExclusionRow(row["page__site__name"], "", Rejection(row["rejection"]), row["n"])
            for row in self._seen(checks).order_by().values("page__site__name", "rejection").annotate(n=Count("pk"))
        ]
        return rows + self._left_out_while_crawling()

    def _left_out_while_crawling(self) -> list[ExclusionRow]:
        known = {str(reason) for reason in Rejection}
        return [
            ExclusionRow(name, "", Rejection(reason), int(count))
            for name, counts in self._runs().values_list("site__name", "counts")
            for reason, count in (counts.get("rejected") or {}).items()
            if reason in known and count
        ]

    def crawls(self) -> list[CrawlRow]:
        return [
            CrawlRow(
                site_name=run.site.name,
                started_at=run.started_at or run.due_at,
                finished_at=run.finished_at,
                pages_fetched=run.pages_fetched,
                pages_failed=run.failed_requests,
                state=CrawlState(run.state),
            )
            for run in self._runs().select_related("site")
        ]

    def _runs(self) -> QuerySet[CrawlRun]:
        began = self._during("started_at") | (Q(started_at__isnull=True) & self._during("due_at"))
        return self._seen(CrawlRun.objects.filter(began, self._narrow("site")))


def _first_matches(cases: QuerySet[Case]) -> dict[int, dict[str, Any]]:
    """Read of each case the first chapter and passage, without the rest of what is frozen."""
    matches = CaseMatch.objects.filter(case__in=cases.order_by().values("pk")).order_by("-found_at", "-pk")
    fields = ("case_id", "chapter_title", "spans__0__page_excerpt")
    return {row["case_id"]: row for row in matches.values(*fields)}


def _case_row(case: Case, match: dict[str, Any] | None) -> CaseRow:
    excerpt = (match or {}).get("spans__0__page_excerpt") or ""
    return CaseRow(
        case_id=case.pk,
        rights_holder=case.rights_holder.name,
        work_title=case.work.title,
        chapter_title=(match or {}).get("chapter_title") or "",
        site_name=case.page.site.name,
        site_host=urlsplit(case.page_url).hostname or "",
        page_url=case.page_url,
        page_title=case.page_title,
        state=CaseState(case.state),
        verdict=Verdict(case.verdict) if case.verdict else None,
        reviewer=case.decided_by.get_username() if case.decided_by else "",
        decided_at=case.decided_at,
        match_class=MatchClass(case.match_class),
        similarity=case.similarity,
        page_containment=case.page_containment,
        work_containment=case.work_containment,
        matched_chars=case.matched_chars,
        disguises=tuple(Disguise(item["kind"]) for item in case.disguises if item.get("kind") in KNOWN_DISGUISES),
        opened_at=case.opened_at,
        last_seen_at=case.last_seen_at,
        excerpt=excerpt[:EXCERPT_CHARS],
    )
