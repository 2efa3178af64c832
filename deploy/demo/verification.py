"""What the demo found against what it should have found, page by page."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from core.matches import MatchClass
from core.pages import Disguise
from core.states import Rejection
from deploy.demo.plan import DemoPlan, PagePlan, PageVerdict, SitePlan

EXCLUDED_AS = {
    PageVerdict.LICENSED: Rejection.LICENSED,
    PageVerdict.OWN: Rejection.OWN_SITE,
    PageVerdict.QUOTATION: Rejection.QUOTATION,
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One page and one work, as a case (`excluded` None) or as something left out for a reason."""

    site: str  # the plan's key
    path: str
    work: str  # the demo's key
    excluded: Rejection | None
    match_class: MatchClass
    disguises: frozenset[Disguise]


@dataclass(frozen=True, slots=True)
class Verification:
    """How a run of the demo went: counts over the pages that have something to find or to spare, and every fault."""

    copies: int
    copies_found: int
    innocent: int
    innocent_accused: int
    faults: tuple[str, ...]


def verify(plan: DemoPlan, findings: Iterable[Finding], seen: dict[str, set[str]]) -> Verification:
    """Compare page by page. `seen`: by site the paths of the pages that the page store has."""
    by_page: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for finding in findings:
        by_page[finding.site, finding.path].append(finding)
    faults: list[str] = []
    copies = copies_found = innocent = accused = 0
    for site in plan.sites:
        faults += [
            f"{site.key}{path}: robots.txt closes it, and it was fetched"
            for path in site.forbidden_paths
            if path in seen[site.key]
        ]
        for page in site.pages:
            found = by_page.pop((site.key, page.path), [])
            cases = [finding for finding in found if finding.excluded is None]
            page_faults = [
                f"{site.key}{page.path}: {fault}" for fault in _page_faults(site, page, found, seen[site.key])
            ]
            faults += page_faults
            if page.verdict is PageVerdict.COPY:
                copies += 1
                copies_found += {ref.work for ref in page.works} <= {finding.work for finding in cases}
            else:
                innocent += 1
                accused += bool(cases)
    faults += [f"{site}{path}: found, and no page of the plan" for site, path in by_page]
    return Verification(copies, copies_found, innocent, accused, tuple(faults))


def _page_faults(site: SitePlan, page: PagePlan, found: list[Finding], seen: set[str]) -> list[str]:
    if page.path not in seen and not page.is_index:
        return ["it was not fetched"]
    if page.verdict is PageVerdict.COPY:
        return _copy_faults(page, [finding for finding in found if finding.excluded is None])
    faults = [f"innocent, and accused of copying {finding.work}" for finding in found if finding.excluded is None]
    reason = EXCLUDED_AS.get(page.verdict)
    if page.verdict in (PageVerdict.LICENSED, PageVerdict.OWN) and page.works:
        excluded = {finding.work for finding in found if finding.excluded is reason}
        faults += [f"{ref.work} should stand there as {reason}" for ref in page.works if ref.work not in excluded]
    return faults


def _copy_faults(page: PagePlan, cases: list[Finding]) -> list[str]:
    by_work = {finding.work: finding for finding in cases}
    expected = {ref.work for ref in page.works}
    faults = [f"the copy of {work} was not found" for work in sorted(expected - set(by_work))]
    faults += [f"accused of copying {work}, which it does not" for work in sorted(set(by_work) - expected)]
    for work in sorted(expected & set(by_work)):
        case = by_work[work]
        if page.classes and case.match_class not in page.classes:
            faults.append(f"{work} is called {case.match_class}, not {' or '.join(page.classes)}")
        missing = sorted(set(page.disguises) - case.disguises)
        if missing:
            faults.append(
                f"{work}: not seen: {', '.join(missing)}; seen: {', '.join(sorted(case.disguises)) or 'nothing'}"
            )
    return faults


def path_of(url: str) -> str:
    """The path and query of a URL, as the plan names pages."""
    parts = urlsplit(url)
    return parts.path + (f"?{parts.query}" if parts.query else "")
