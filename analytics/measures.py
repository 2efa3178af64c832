"""Computes the figures of a report from the cases, pages, exclusions and crawls within its scope.

A case counts in the period in which it was opened, with its state at the time of the report. In every breakdown, opened
= confirmed + dismissed + set aside + open, and the sites, the works and the days each add up to the totals.
Figures of copied text exclude cases that are dismissed or set aside, because these are not copies.
Characters taken from works are united, not added. The works add up to the total, but the sites do not, because two
sites may have the same chapter. The days do not add up to the number of checked pages either, because a page may be
checked on several days.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from statistics import median
from typing import TypeVar

from analytics.figures import CrawlMeasures, DayMeasures, SiteMeasures, StateCounts, Totals, WorkMeasures
from analytics.records import CaseRow, CrawlRow, CrawlState, ExclusionRow, PageRow, ReportScope, SitePages
from core.matches import MatchClass
from core.obfuscations import Obfuscation
from core.states import CaseState, LeftOut, Rejection, Verdict
from core.taken import NO_PLACES, Places, share_of_work

Row = TypeVar("Row")
Key = TypeVar("Key", bound=Hashable)


def count_states(cases: Iterable[CaseRow]) -> StateCounts:
    counts = Counter(case.state for case in cases)
    return StateCounts(
        opened=counts.total(),
        confirmed=counts[CaseState.CONFIRMED],
        dismissed=counts[CaseState.DISMISSED],
        open=counts[CaseState.OPEN],
        set_aside=counts[CaseState.SET_ASIDE],
    )


def copies(cases: Iterable[CaseRow]) -> list[CaseRow]:
    """Return the cases that are neither dismissed nor set aside."""
    return [case for case in cases if case.state.is_copy]


def chars_taken(cases: Iterable[CaseRow]) -> int:
    """Return the number of characters of works that are copied in these cases, each counted once."""
    united: dict[tuple[str, str, str], Places] = {}
    for case in cases:
        for text_id, places in case.taken.items():
            key = (case.rights_holder, case.work_title, text_id)
            united[key] = united.get(key, NO_PLACES) | places
    return sum(map(len, united.values()))


def totals(
    cases: Sequence[CaseRow],
    pages: Sequence[PageRow],
    checked: Sequence[SitePages],
    exclusions: Sequence[ExclusionRow],
    crawls: Sequence[CrawlRow],
) -> Totals:
    found = copies(cases)
    return Totals(
        pages_checked=sum(row.pages_checked for row in checked),
        new_versions=sum(row.new_versions for row in pages),
        cases=count_states(cases),
        precision=precision(count_states(cases)),
        median_hours_to_verdict=median_hours_to_verdict(cases),
        sites_with_copies=len({case.site_name for case in found}),
        works_copied=_count_works(found),
        chars_taken=chars_taken(found),
        chars_on_pages=sum(case.matched_chars for case in found),
        excluded=_count_findings(exclusions),
        crawl_runs=len(crawls),
        pages_fetched=sum(row.pages_fetched for row in crawls),
        pages_failed=sum(row.pages_failed for row in crawls),
    )


def precision(counts: StateCounts) -> float | None:
    """Return the share of confirmed cases among the decided cases, from 0 to 1, or None if no case is decided."""
    decided = counts.confirmed + counts.dismissed
    return counts.confirmed / decided if decided else None


def median_hours_to_verdict(cases: Iterable[CaseRow]) -> float | None:
    """Return the median time from the opening of a case to its verdict, in hours, or None if no case is decided."""
    hours = [
        max(0.0, (case.decided_at - case.opened_at).total_seconds() / 3600)
        for case in cases
        if case.decided_at is not None and case.verdict is not None
    ]
    return median(hours) if hours else None


def per_site(
    cases: Sequence[CaseRow],
    pages: Sequence[PageRow],
    checked: Sequence[SitePages],
    exclusions: Sequence[ExclusionRow],
) -> tuple[SiteMeasures, ...]:
    """Return the figures of each site, sorted by copies and checked pages, both descending, then by name."""
    cases_of = _group_rows(cases, lambda case: case.site_name)
    pages_of = _group_rows(pages, lambda row: row.site_name)
    exclusions_of = _group_rows(exclusions, lambda row: row.site_name)
    checked_of = Counter[str]()
    for row in checked:
        checked_of[row.site_name] += row.pages_checked
    names = {*cases_of, *pages_of, *checked_of, *exclusions_of}
    sites = [
        _site_measures(name, cases_of[name], pages_of[name], checked_of[name], exclusions_of[name]) for name in names
    ]
    return tuple(sorted(sites, key=lambda site: (-_count_standing(site.cases), -site.pages_checked, site.site_name)))


def per_work(cases: Sequence[CaseRow]) -> tuple[WorkMeasures, ...]:
    """Return the figures of each work with a case, sorted by copies, descending, then by title.

    Works of two rights holders are distinct even if their titles are equal.
    """
    groups = _group_rows(cases, lambda case: (case.rights_holder, case.work_title))
    works = [_work_measures(holder, title, group) for (holder, title), group in groups.items()]
    return tuple(sorted(works, key=lambda work: (-_count_standing(work.cases), work.work_title, work.rights_holder)))


def per_day(scope: ReportScope, cases: Sequence[CaseRow], pages: Sequence[PageRow]) -> tuple[DayMeasures, ...]:
    """Return the figures of each day in the period in order, including days without cases."""
    cases_of = _group_rows(cases, lambda case: scope.local_day(case.opened_at))
    pages_of = _group_rows(pages, lambda row: row.day)
    return tuple(
        DayMeasures(
            day=day,
            pages_checked=sum(row.pages_checked for row in pages_of[day]),
            new_versions=sum(row.new_versions for row in pages_of[day]),
            cases=count_states(cases_of[day]),
        )
        for day in scope.days
    )


def by_class(cases: Sequence[CaseRow]) -> tuple[tuple[MatchClass, StateCounts], ...]:
    """Return the counts for each class in the order of `MatchClass`, including classes without a case."""
    groups = _group_rows(cases, lambda case: case.match_class)
    return tuple((kind, count_states(groups[kind])) for kind in MatchClass)


def by_obfuscation(cases: Sequence[CaseRow]) -> tuple[tuple[Obfuscation, StateCounts], ...]:
    """Return the counts for each obfuscation with a case, most frequent first.

    A case with two obfuscations counts for both.
    """
    groups = {kind: [case for case in cases if kind in case.obfuscations] for kind in Obfuscation}
    met = [(kind, count_states(group)) for kind, group in groups.items() if group]
    return tuple(sorted(met, key=lambda pair: -pair[1].opened))


def by_verdict(cases: Sequence[CaseRow]) -> tuple[tuple[Verdict | None, int], ...]:
    """Return the number of cases for each verdict, and for None, which stands for cases without a verdict."""
    counts = Counter(case.verdict for case in cases)
    return tuple((verdict, counts[verdict]) for verdict in (*Verdict, None))


def by_reason(exclusions: Sequence[ExclusionRow]) -> tuple[tuple[Rejection, int], ...]:
    """Return the number of exclusions for each reason, most frequent first."""
    counts: Counter[Rejection] = Counter()
    for row in exclusions:
        counts[row.reason] += row.count
    return tuple(sorted(((reason, n) for reason, n in counts.items() if n), key=lambda pair: (-pair[1], pair[0])))


def per_crawled_site(crawls: Sequence[CrawlRow]) -> tuple[CrawlMeasures, ...]:
    """Return the figures of the crawl runs of each site, sorted by name."""
    return tuple(
        _crawl_measures(site, rows) for site, rows in sorted(_group_rows(crawls, lambda row: row.site_name).items())
    )


def _site_measures(
    name: str, cases: list[CaseRow], pages: list[PageRow], pages_checked: int, exclusions: list[ExclusionRow]
) -> SiteMeasures:
    found = copies(cases)
    return SiteMeasures(
        site_name=name,
        hosts="、".join(sorted({case.site_host for case in cases if case.site_host})),
        pages_checked=pages_checked,
        new_versions=sum(row.new_versions for row in pages),
        cases=count_states(cases),
        works_copied=_count_works(found),
        chars_taken=chars_taken(found),
        chars_on_pages=sum(case.matched_chars for case in found),
        excluded=_count_findings(exclusions),
    )


def _work_measures(rights_holder: str, title: str, cases: list[CaseRow]) -> WorkMeasures:
    found, length = copies(cases), max(case.work_chars for case in cases)
    taken = chars_taken(found)
    return WorkMeasures(
        rights_holder=rights_holder,
        work_title=title,
        cases=count_states(cases),
        sites_with_copies=len({case.site_name for case in found}),
        work_chars=length,
        chars_taken=taken,
        share_taken=share_of_work(taken, length) if found else None,
        chars_on_pages=sum(case.matched_chars for case in found),
        largest_share=max((case.work_containment for case in found), default=None),
    )


def _crawl_measures(site: str, rows: list[CrawlRow]) -> CrawlMeasures:
    states = Counter(row.state for row in rows)
    return CrawlMeasures(
        site_name=site,
        crawl_runs=len(rows),
        runs_finished=states[CrawlState.FINISHED],
        runs_failed=states[CrawlState.FAILED],
        runs_missed=states[CrawlState.MISSED],
        pages_fetched=sum(row.pages_fetched for row in rows),
        pages_failed=sum(row.pages_failed for row in rows),
    )


def _group_rows(rows: Iterable[Row], key: Callable[[Row], Key]) -> defaultdict[Key, list[Row]]:
    groups: defaultdict[Key, list[Row]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return groups


def _count_findings(exclusions: Iterable[ExclusionRow]) -> int:
    return sum(row.count for row in exclusions if row.reason.leaves_out is LeftOut.FINDING)


def _count_works(cases: Iterable[CaseRow]) -> int:
    return len({(case.rights_holder, case.work_title) for case in cases})


def _count_standing(counts: StateCounts) -> int:
    return counts.confirmed + counts.open
