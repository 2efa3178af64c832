"""The content of a report, which every format renders: a scope, its figures and its cases."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from analytics import measures
from analytics.figures import CrawlMeasures, DayMeasures, SiteMeasures, StateCounts, Totals, WorkMeasures
from analytics.records import CaseRow, CrawlRow, ExclusionRow, LeadRow, PageRow, ReportScope, SitePages
from core.matches import MatchClass, RewordedClass, RewordedState
from core.obfuscations import Obfuscation
from core.states import CaseState, Rejection, Verdict

MAX_TOP_SITES = 10  # as many bars as a reader can compare at once; the table has every site

# The order of the cases in the list, and of the parts of a bar in charts.
STATE_ORDER = (CaseState.CONFIRMED, CaseState.OPEN, CaseState.SET_ASIDE, CaseState.DISMISSED)


class ReportNotice(StrEnum):
    """A notice that a reader must see before the figures."""

    NOTHING_CHECKED = "nothing_checked"  # no page was checked: the absence of cases means nothing
    NO_CASES = "no_cases"  # pages were checked, but nothing was found


@dataclass(frozen=True, slots=True)
class Report:
    """The content of a report. cases: sorted by state as in STATE_ORDER, then by the time of opening.

    leads: suspected rewrites, which are listed in a separate chapter and do not count in any other figure. has_leads:
    whether the report has this chapter.
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
        """The number of suspected rewrites for each class, by state in the order of RewordedState."""
        counts = Counter((lead.found_as, lead.state) for lead in self.leads)
        return tuple((found, tuple(counts[found, state] for state in RewordedState)) for found in RewordedClass)

    @property
    def top_sites(self) -> tuple[SiteMeasures, ...]:
        """The sites with the most copies, at most MAX_TOP_SITES. Sites without copies are left out."""
        return tuple(site for site in self.sites if site.cases.confirmed + site.cases.open)[:MAX_TOP_SITES]

    @property
    def notice(self) -> ReportNotice | None:
        if self.cases:
            return None
        return ReportNotice.NO_CASES if self.totals.pages_checked else ReportNotice.NOTHING_CHECKED


def build_report(  # noqa: PLR0917 - the rows of a report
    scope: ReportScope,
    cases: Sequence[CaseRow],
    pages: Sequence[PageRow] = (),
    exclusions: Sequence[ExclusionRow] = (),
    crawls: Sequence[CrawlRow] = (),
    checked: Sequence[SitePages] = (),
    leads: Sequence[LeadRow] | None = None,
) -> Report:
    """Compute the figures of the rows, which must be within the scope, and return the report.

    leads: None if the search for suspected rewrites is off; the report then has no chapter on them.
    """
    return Report(
        scope=scope,
        totals=measures.totals(cases, pages, checked, exclusions, crawls),
        sites=measures.per_site(cases, pages, checked, exclusions),
        works=measures.per_work(cases),
        days=measures.per_day(scope, cases, pages),
        classes=measures.by_class(cases),
        obfuscations=measures.by_obfuscation(cases),
        verdicts=measures.by_verdict(cases),
        exclusions=measures.by_reason(exclusions),
        crawls=measures.per_crawled_site(crawls),
        cases=tuple(sorted(cases, key=_list_order)),
        leads=tuple(sorted(leads or (), key=lambda lead: (lead.found_at, lead.lead_id))),
        has_leads=leads is not None,
    )


def _list_order(case: CaseRow) -> tuple[int, float, int]:
    return STATE_ORDER.index(case.state), case.opened_at.timestamp(), case.case_id
