"""Reads the rows of a report from the admin database, limited to rows that its reader may see."""

from collections import Counter, defaultdict
from datetime import date
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import TruncDate
from django.utils import timezone

from analytics.records import CaseRow, CrawlRow, CrawlState, ExclusionRow, LeadRow, PageRow, ReportScope, SitePages
from analytics.report import Report, build_report
from core.errors import NotFound
from core.matches import MatchClass, RewordedClass, RewordedState
from core.obfuscations import OBFUSCATIONS
from core.states import CaseState, Rejection, Verdict
from core.taken import Places
from webadmin.accounts.models import RightsHolder, User
from webadmin.accounts.services.access import holder_path, visible
from webadmin.cases.models import Case, CaseAddress, CaseMatch, Exclusion, PageCheck
from webadmin.cases.services.taken import taken_by_case
from webadmin.rewrites.models import RewordedLead, RewordedVerdict
from webadmin.sites.models import CrawlRun, Site
from webadmin.works.models import Work

Reader = User | AnonymousUser | RightsHolder

EXCERPT_CHARS = 120  # characters in three lines of a report's table


def make_report(
    reader: Reader,
    since: date,
    until: date,
    *,
    work: Work | None = None,
    site: Site | None = None,
    language: str = "",
    zone: str = "",
) -> Report:
    """Return the report on a period for a reader: a user with all their rights holders, or one rights holder.

    since, until: the first and the last day. work, site: limit the report. zone: the time zone of days and times, or ""
    for the installation's. Raises NotFound for a work or site that the reader may not see, since the report would
    reveal its name; BadInput for an invalid period or language.
    """
    _require_seen(reader, work, site)
    holder = _only_holder(reader, work, site)
    reader = holder or reader
    names = ReportNames(*(_visible_rows(model.objects.all(), reader) for model in (Site, Work)))
    scope = ReportScope(
        rights_holder=holder.name if holder else "",
        since=since,
        until=until,
        time_zone=zone or settings.TIME_ZONE,
        language=language or settings.LANGUAGE_CODE,
        generated_at=timezone.now(),
        works=(names.works[work.pk],) if work else (),
        sites=(names.sites[site.pk],) if site else (),
    )
    query = _ReportQuery(reader, scope, names, work, site)
    return build_report(
        scope, query.cases(), query.pages(), query.exclusions(), query.crawls(), query.checked_pages(), query.leads()
    )


def _only_holder(reader: Reader, work: Work | None, site: Site | None) -> RightsHolder | None:
    """Return the only rights holder in a report, or None if there may be several."""
    if isinstance(reader, RightsHolder):
        return reader
    if work is not None or site is not None:
        return (work or site).rights_holder  # type: ignore[union-attr]
    seen = list(_visible_rows(RightsHolder.objects.order_by("pk"), reader)[:2])
    return seen[0] if len(seen) == 1 else None


class ReportNames:
    """The names of rights holders, sites and works in a report, by key, made unique.

    A site's name is unique within a rights holder. Two authors may share a title.
    """

    def __init__(self, sites: "QuerySet[Site]", works: "QuerySet[Work]") -> None:
        rows = list(sites.order_by().values_list("pk", "name", "rights_holder__name"))
        self.holders = dict(RightsHolder.objects.values_list("pk", "name"))
        often = Counter(name for _, name, _ in rows)
        self.sites = {key: name if often[name] == 1 else f"{name} · {holder}" for key, name, holder in rows}
        titles = list(works.order_by().values_list("pk", "rights_holder_id", "title", "author", "counted_chars"))
        shared = Counter((holder, title) for _, holder, title, _, _ in titles)
        self.works = {
            key: f"{title} · {author}" if author and shared[holder, title] > 1 else title
            for key, holder, title, author, _ in titles
        }
        self.work_chars = {key: chars for key, _, _, _, chars in titles}


_KINDS: dict[type, str] = {Work: "work", Site: "site"}


def _require_seen(reader: Reader, *wanted: Work | Site | None) -> None:
    for record in wanted:
        if record is not None and not _visible_rows(type(record).objects.filter(pk=record.pk), reader).exists():
            raise NotFound(_KINDS[type(record)], record.pk)


def _visible_rows(queryset: QuerySet[Any], reader: Reader) -> QuerySet[Any]:
    if isinstance(reader, RightsHolder):
        return queryset.filter(**{holder_path(queryset.model): reader.pk})
    return visible(queryset, reader)


class _ReportQuery:
    """The queries of a report, all limited by `_visible_rows`."""

    def __init__(
        self, reader: Reader, scope: ReportScope, names: ReportNames, work: Work | None, site: Site | None
    ) -> None:
        self._reader, self._scope, self._names, self._work, self._site = reader, scope, names, work, site

    def _period_condition(self, field: str) -> Q:
        return Q(**{f"{field}__gte": self._scope.period_start, f"{field}__lt": self._scope.period_end})

    def _scope_condition(self, site_path: str, work_path: str = "") -> Q:
        condition = Q(**{site_path: self._site}) if self._site else Q()
        return condition & Q(**{work_path: self._work}) if self._work and work_path else condition

    def cases(self) -> list[CaseRow]:
        found = _visible_rows(
            Case.objects.filter(self._period_condition("opened_at"), self._scope_condition("page__site", "work")),
            self._reader,
        )
        # Related rows are read separately: joins of five tables took twice as long (100,000 cases).
        cases = found.annotate(
            site_key=F("page__site_id"),
            given=F("decision__verdict"),
            decided_at=F("decision__decided_at"),
            reviewer=F("decision__decided_by__username"),
        )
        excerpts, taken, urls = _case_excerpts(found), taken_by_case(found), _other_urls(found, self._scope.zone)
        return [
            _case_row(case, self._names, excerpts.get(case.pk), taken.get(case.pk, {}), urls.get(case.pk, []))
            for case in cases.iterator(chunk_size=2_000)
        ]

    def pages(self) -> list[PageRow]:
        """Return the numbers of compared pages and of new page versions, by site and day."""
        checked_pages = self._count_by_day("checked_at", Count("page_id", distinct=True))
        appeared = self._count_by_day("appeared_at", Count("version_id"))
        return [
            PageRow(self._names.sites[site], day, checked_pages.get((site, day), 0), appeared.get((site, day), 0))
            for site, day in sorted(checked_pages.keys() | appeared.keys())
        ]

    def checked_pages(self) -> list[SitePages]:
        """Return the number of pages compared in the period by site, each page counted once."""
        rows = self._page_checks("checked_at").values("page__site_id").annotate(n=Count("page_id", distinct=True))
        return [SitePages(self._names.sites[row["page__site_id"]], row["n"]) for row in rows]

    def _page_checks(self, field: str) -> "QuerySet[PageCheck]":
        return _visible_rows(
            PageCheck.objects.filter(self._period_condition(field), self._scope_condition("page__site")), self._reader
        ).order_by()

    def _count_by_day(self, field: str, counted: Count) -> dict[tuple[int, date], int]:
        """Count page checks by site and by the day of `field` in the report's time zone.

        counted: the aggregate.
        """
        days = self._page_checks(field).annotate(day=TruncDate(field, tzinfo=self._scope.zone))
        rows = days.values("page__site_id", "day").annotate(n=counted)
        return {(row["page__site_id"], row["day"]): row["n"] for row in rows}

    def leads(self) -> list[LeadRow] | None:
        """Return the suspected rewrites of the period that are still on their pages.

        Returns None if there are none and the search for rewrites is disabled.
        """
        condition = self._period_condition("found_at") & self._scope_condition("site", "work")
        found = (
            _visible_rows(RewordedLead.objects.filter(condition, lapsed_at=None), self._reader)
            .defer("pairs", "ingredients")
            .order_by()
        )
        newest = RewordedVerdict.objects.filter(lead=OuterRef("pk")).order_by("-decided_at", "-pk")
        with_verdicts = found.annotate(
            decided_at=Subquery(newest.values("decided_at")[:1]),
            reviewer=Subquery(newest.values("decided_by__username")[:1]),
        )
        rows = [_lead_row(lead, self._names) for lead in with_verdicts.iterator(chunk_size=2_000)]
        is_wanted = bool(rows) or _visible_rows(RightsHolder.objects.exclude(reworded_kinds=[]), self._reader).exists()
        return rows if is_wanted else None

    def exclusions(self) -> list[ExclusionRow]:
        """Return the numbers of excluded findings by work, and of pages and responses without findings."""
        findings = _visible_rows(
            Exclusion.objects.filter(self._period_condition("found_at"), self._scope_condition("page__site", "work")),
            self._reader,
        )
        counted = findings.order_by().values("page__site_id", "work_id", "reason").annotate(n=Count("pk"))
        rows = [
            self._exclusion_row(row["page__site_id"], self._names.works[row["work_id"]], row["reason"], row["n"])
            for row in counted
        ]
        checks = self._page_checks("checked_at").exclude(rejection="").values("page__site_id", "rejection")
        rows += [
            self._exclusion_row(row["page__site_id"], "", row["rejection"], row["n"])
            for row in checks.annotate(n=Count("pk"))
        ]
        return rows + self._crawl_exclusion_rows()

    def _exclusion_row(self, site: int, work_title: str, reason: str, count: int) -> ExclusionRow:
        return ExclusionRow(self._names.sites[site], work_title, Rejection(reason), count)

    def _crawl_exclusion_rows(self) -> list[ExclusionRow]:
        known = {str(reason) for reason in Rejection}
        return [
            self._exclusion_row(site, "", reason, int(count))
            for site, counts in self._crawl_runs().values_list("site_id", "counts")
            for reason, count in (counts.get("rejected") or {}).items()
            if reason in known and count
        ]

    def crawls(self) -> list[CrawlRow]:
        return [
            CrawlRow(
                site_name=self._names.sites[run.site_id],
                started_at=run.started_at or run.due_at,
                finished_at=run.finished_at,
                pages_fetched=run.pages_fetched,
                pages_failed=run.failed_requests,
                state=CrawlState(run.state),
            )
            for run in self._crawl_runs()
        ]

    def _crawl_runs(self) -> QuerySet[CrawlRun]:
        began = self._period_condition("started_at") | (Q(started_at__isnull=True) & self._period_condition("due_at"))
        return _visible_rows(CrawlRun.objects.filter(began, self._scope_condition("site")), self._reader)


def _case_excerpts(cases: QuerySet[Case]) -> dict[int, dict[str, Any]]:
    """Return the most copied chapter and its first passage for each case, in the case's current version."""
    matches = CaseMatch.objects.filter(case__in=cases.order_by().values("pk"), version_id=F("case__version_id"))
    fields = ("case_id", "chapter_title", "spans__0__page_excerpt")
    return {row["case_id"]: row for row in matches.order_by("matched_chars", "-pk").values(*fields)}


def _other_urls(cases: QuerySet[Case], zone: ZoneInfo) -> dict[int, list[str]]:
    """Return the other URLs of each case, with the days on which they were first and last seen."""
    rows = CaseAddress.objects.filter(case__in=cases.order_by().values("pk")).exclude(page=F("case__page"))
    found: dict[int, list[str]] = defaultdict(list)
    for case, url, first, last in rows.values_list("case_id", "page__url", "first_seen_at", "last_seen_at"):
        days = " – ".join(dict.fromkeys(f"{at.astimezone(zone):%Y-%m-%d}" for at in (first, last)))
        found[case].append(f"{url} ({days})")
    return found


def _lead_row(lead: Any, names: ReportNames) -> LeadRow:
    is_decided = lead.state != RewordedState.WAITING
    return LeadRow(
        lead_id=lead.pk,
        rights_holder=names.holders[lead.rights_holder_id],
        work_title=names.works[lead.work_id],
        chapter_title=lead.chapter_title,
        site_name=names.sites[lead.site_id],
        page_url=lead.page_url,
        page_title=lead.page_title,
        found_as=RewordedClass(lead.found_as),
        state=RewordedState(lead.state),
        pairs=lead.pair_count,
        sentences=lead.sentence_count,
        in_order=lead.in_order,
        band=lead.band,
        alarms=lead.band_alarms,
        passages=lead.band_passages,
        found_at=lead.found_at,
        reviewer=lead.reviewer or "" if is_decided else "",
        decided_at=lead.decided_at if is_decided else None,
    )


def _case_row(
    case: Any, names: ReportNames, match: dict[str, Any] | None, taken: dict[str, Places], urls: list[str]
) -> CaseRow:
    excerpt = (match or {}).get("spans__0__page_excerpt") or ""
    return CaseRow(
        case_id=case.pk,
        rights_holder=names.holders[case.rights_holder_id],
        work_title=names.works[case.work_id],
        chapter_title=(match or {}).get("chapter_title") or "",
        site_name=names.sites[case.site_key],
        site_host=urlsplit(case.page_url).hostname or "",
        page_url=case.page_url,
        page_title=case.page_title,
        page_author=case.page_author,
        page_poster=case.page_poster,
        page_published_at=case.page_published_at,
        other_urls=tuple(urls),
        state=CaseState(case.state),
        verdict=Verdict(case.given) if case.given else None,
        reviewer=case.reviewer or "",
        decided_at=case.decided_at,
        match_class=MatchClass(case.match_class),
        similarity=case.similarity,
        page_containment=case.page_containment,
        matched_chars=case.matched_chars,
        taken_chars=case.taken_chars,
        work_chars=names.work_chars[case.work_id],
        taken=taken,
        obfuscations=tuple(
            OBFUSCATIONS[item["kind"]] for item in case.obfuscations if item.get("kind") in OBFUSCATIONS
        ),
        opened_at=case.opened_at,
        first_seen_at=case.first_seen_at,
        last_seen_at=case.last_seen_at,
        allowed_as=Rejection(case.allowed_as) if case.allowed_as else None,
        allowed_by=case.allowed_by,
        excerpt=excerpt[:EXCERPT_CHARS],
    )
