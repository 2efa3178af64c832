"""Compares the demo's findings with the plan, page by page."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from core.matches import MatchClass
from core.obfuscations import Obfuscation
from core.states import Rejection
from core.wording import Message
from deploy.demo.plan import PagePlan, PageVerdict, SitePlan

EXCLUDED_AS = {
    PageVerdict.LICENSED: Rejection.LICENSED,
    PageVerdict.OWN: Rejection.OWN_SITE,
    PageVerdict.QUOTATION: Rejection.QUOTATION,
}


@dataclass(frozen=True, slots=True)
class DemoFinding:
    """A match of a page with a work. excluded: the reason why it is no case, or None for a case."""

    site: str  # the plan's key
    path: str
    work: str  # the demo's key
    excluded: Rejection | None
    match_class: MatchClass
    obfuscations: frozenset[Obfuscation]


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of a run of the demo: the number of copies and innocent pages, and the deviations from the plan."""

    copies: int
    copies_found: int
    innocent: int
    innocent_accused: int
    faults: tuple[Message, ...]


def verify(sites: Iterable[SitePlan], findings: Iterable[DemoFinding], seen: dict[str, set[str]]) -> Verification:
    """Compare the findings with the plan. seen: the paths of the stored pages by site."""
    by_page: dict[tuple[str, str], list[DemoFinding]] = defaultdict(list)
    for finding in findings:
        by_page[finding.site, finding.path].append(finding)
    faults: list[Message] = []
    copies = copies_found = innocent = accused = 0
    for site in sites:
        faults += [
            Message("demo.fault", place=f"{site.key}{path}", fault=Message("demo.closed"))
            for path in site.forbidden_paths
            if path in seen[site.key]
        ]
        for page in site.pages:
            found = by_page.pop((site.key, page.path), [])
            cases = [finding for finding in found if finding.excluded is None]
            place = f"{site.key}{page.path}"
            page_faults = _page_faults(site, page, found, seen[site.key])
            faults += [Message("demo.fault", place=place, fault=fault) for fault in page_faults]
            if page.verdict is PageVerdict.COPY:
                copies += 1
                copies_found += {ref.work for ref in page.works} <= {finding.work for finding in cases}
            else:
                innocent += 1
                accused += bool(cases)
    unplanned = Message("demo.no-page")
    faults += [Message("demo.fault", place=f"{site}{path}", fault=unplanned) for site, path in by_page]
    return Verification(copies, copies_found, innocent, accused, tuple(faults))


def _page_faults(site: SitePlan, page: PagePlan, found: list[DemoFinding], seen: set[str]) -> list[Message]:
    if page.path not in seen and not page.is_index:
        return [Message("demo.not-fetched")]
    if page.verdict is PageVerdict.COPY:
        return _copy_faults(page, [finding for finding in found if finding.excluded is None])
    faults = [Message("demo.accused", work=finding.work) for finding in found if finding.excluded is None]
    reason = EXCLUDED_AS.get(page.verdict)
    if page.verdict in (PageVerdict.LICENSED, PageVerdict.OWN) and page.works:
        excluded = {finding.work for finding in found if finding.excluded is reason}
        missing = [ref.work for ref in page.works if ref.work not in excluded]
        faults += [Message("demo.should-stand", work=work, reason=reason) for work in missing]
    return faults


def _copy_faults(page: PagePlan, cases: list[DemoFinding]) -> list[Message]:
    by_work = {finding.work: finding for finding in cases}
    expected = {ref.work for ref in page.works}
    faults = [Message("demo.not-found", work=work) for work in sorted(expected - set(by_work))]
    faults += [Message("demo.wrongly", work=work) for work in sorted(set(by_work) - expected)]
    for work in sorted(expected & set(by_work)):
        case = by_work[work]
        if page.classes and case.match_class not in page.classes:
            called = str(case.match_class)
            faults.append(Message("demo.wrong-class", work=work, match_class=called, expected=list(page.classes)))
        missing = sorted(set(page.obfuscations) - case.obfuscations)
        if missing:
            others = sorted(case.obfuscations) or Message("demo.nothing")
            faults.append(Message("demo.not-seen", work=work, missing=missing, seen=others))
    return faults


def page_path(url: str) -> str:
    """Return the path and query of a URL, by which the plan names pages."""
    parts = urlsplit(url)
    return parts.path + (f"?{parts.query}" if parts.query else "")
