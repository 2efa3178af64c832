"""The record that every format renders: a scope, its figures, and the cases behind them."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from analytics import measures
from analytics.figures import CrawlMeasures, DayMeasures, SiteMeasures, StateCounts, Totals, WorkMeasures
from analytics.records import CaseRow, CrawlRow, ExclusionRow, LeadRow, PageRow, ReportScope, SitePages
from core.matches import MatchClass, RewordedClass, RewordedState
from core.obfuscations import Obfuscation
from core.states import CaseState, Rejection, Verdict

MAX_TOP_SITES = 10  # as many bars as a reader can compare at once; the table has every site

# The order of cases in the list, and of the parts of a bar.
STATE_ORDER = (CaseState.CONFIRMED, CaseState.OPEN, CaseState.SET_ASIDE, CaseState.DISMISSED)


class ReportNotice(StrEnum):
    """A notice that a reader must see before the figures."""

    NOTHING_CHECKED = "nothing_checked"  # no page was checked: the absence of cases means nothing
    NO_CASES = "no_cases"  # pages were checked, but nothing was found


@dataclass(frozen=True, slots=True)
class Report:
    """The content of a report. cases: confirmed, open, set aside, dismissed cases, each in order of opening.

    leads: suspected rewrites, in a separate chapter and in no other figure; has_leads: whether there is such a chapter.
    """

    scope: ReportScope
    totals: Totals
    sites: tuple[SiteMeasures, ...]
    works: tuple[WorkMeasures, ...]
    days: tuple[DayMeasures, ...]
    classes: tuple[tuple[MatchClass, StateCounts], ...]
    obfuscations: tuple[tuple[Obfuscation, StateCounts], ...]
    verdicts: tuple[tuple[Verdict | None, int], ...]
    exclusions: tuple[tuple[Rejection, int], ...]
    crawls: tuple[CrawlMeasures, ...]
    cases: tuple[CaseRow, ...]
    leads: tuple[LeadRow, ...] = ()
    has_leads: bool = False

    @property
    def lead_counts(self) -> tuple[tuple[RewordedClass, tuple[int, ...]], ...]:
        """Return the number of suspected rewrites by class and state, in the order of the states."""
        counts = Counter((lead.found_as, lead.state) for lead in self.leads)
        return tuple((found, tuple(counts[found, state] for state in RewordedState)) for found in RewordedClass)

    @property
    def top_sites(self) -> tuple[SiteMeasures, ...]:
        """The sites with most copies, at most MAX_TOP_SITES; sites without copies are left out."""
        return tuple(site for site in self.sites if site.cases.confirmed + site.cases.open)[:MAX_TOP_SITES]

    @property
    def notice(self) -> ReportNotice | None:
        if self.cases:
            return None
        return ReportNotice.NO_CASES if self.totals.pages_checked else ReportNotice.NOTHING_CHECKED


def build_report(  # noqa: PLR0917 - the rows of a report
    scope: ReportScope,
    cases: Iterable[CaseRow],
    pages: Iterable[PageRow] = (),
    exclusions: Iterable[ExclusionRow] = (),
    crawls: Iterable[CrawlRow] = (),
    checked: Iterable[SitePages] = (),
    leads: Iterable[LeadRow] | None = None,
) -> Report:
    """Return the report of the rows within the scope; rows outside are ignored, so a query may be coarser.

    Exclusions and `checked` have no date: pass the rows of the period. A filter on works applies to cases, and to
    exclusions that name a work; pages and crawls are filtered only by site. leads: None without a search for
    suspected rewrites; the report then has no chapter of leads.
    """
    lead_rows = sorted(
        (lead for lead in leads or () if _has_lead(scope, lead)), key=lambda lead: (lead.found_at, lead.lead_id)
    )
    case_rows = sorted((case for case in cases if _has_case(scope, case)), key=_list_order)
    page_rows = [row for row in pages if scope.has_day(row.day) and scope.has_site(row.site_name)]
    checked_rows = [row for row in checked if scope.has_site(row.site_name)]
    exclusion_rows = [row for row in exclusions if _has_exclusion(scope, row)]
    crawl_rows = [row for row in crawls if _has_crawl(scope, row)]
    return Report(
        scope=scope,
        totals=measures.totals(case_rows, page_rows, checked_rows, exclusion_rows, crawl_rows),
        sites=measures.per_site(case_rows, page_rows, checked_rows, exclusion_rows),
        works=measures.per_work(case_rows),
        days=measures.per_day(scope, case_rows, page_rows),
        classes=measures.by_class(case_rows),
        obfuscations=measures.by_obfuscation(case_rows),
        verdicts=measures.by_verdict(case_rows),
        exclusions=measures.by_reason(exclusion_rows),
        crawls=measures.per_crawled_site(crawl_rows),
        cases=tuple(case_rows),
        leads=tuple(lead_rows),
        has_leads=leads is not None,
    )


def _list_order(case: CaseRow) -> tuple[int, float, int]:
    return STATE_ORDER.index(case.state), case.opened_at.timestamp(), case.case_id


def _has_case(scope: ReportScope, case: CaseRow) -> bool:
    return (
        (not scope.rights_holder or case.rights_holder == scope.rights_holder)
        and scope.has_day(scope.local_day(case.opened_at))
        and scope.has_work(case.work_title)
        and scope.has_site(case.site_name, case.site_host)
    )


def _has_lead(scope: ReportScope, lead: LeadRow) -> bool:
    return (
        (not scope.rights_holder or lead.rights_holder == scope.rights_holder)
        and scope.has_day(scope.local_day(lead.found_at))
        and scope.has_work(lead.work_title)
        and scope.has_site(lead.site_name)
    )


def _has_exclusion(scope: ReportScope, row: ExclusionRow) -> bool:
    return scope.has_site(row.site_name) and (not row.work_title or scope.has_work(row.work_title))


def _has_crawl(scope: ReportScope, row: CrawlRow) -> bool:
    return scope.has_day(scope.local_day(row.started_at)) and scope.has_site(row.site_name)
