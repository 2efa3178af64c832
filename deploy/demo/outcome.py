"""What an installation found on the demo's sites, out of its admin database."""

from core.matches import MatchClass
from core.obfuscations import OBFUSCATIONS
from core.states import Rejection
from deploy.demo.verification import Finding, path_of
from records.models import Case, Exclusion, PageRecord, Site, Work


def findings(sites: dict[str, Site], works: dict[str, Work]) -> list[Finding]:
    """Every address of a case and every excluded finding on the demo's sites. sites, works: the rows by their keys."""
    site_keys = {site.pk: key for key, site in sites.items()}
    work_keys = {work.pk: key for key, work in works.items()}
    cases = Case.objects.filter(page__site__in=site_keys).select_related("page").prefetch_related("addresses__page")
    excluded = Exclusion.objects.filter(page__site__in=site_keys).select_related("page")
    found = [
        Finding(
            site_keys[case.page.site_id],
            path_of(url),
            work_keys.get(case.work_id, str(case.work)),
            None,
            MatchClass(case.match_class),
            frozenset(OBFUSCATIONS[item["kind"]] for item in case.obfuscations),
        )
        for case in cases
        for url in {case.page.url, *(address.page.url for address in case.addresses.all())}
    ]
    return found + [
        Finding(
            site_keys[row.page.site_id],
            path_of(row.page.url),
            work_keys.get(row.work_id, str(row.work)),
            Rejection(row.reason),
            MatchClass(row.match_class),
            frozenset(),
        )
        for row in excluded
    ]


def seen(sites: dict[str, Site]) -> dict[str, set[str]]:
    """The paths of the pages that were fetched and read, by site."""
    return {
        key: {path_of(url) for url in PageRecord.objects.filter(site=site).values_list("url", flat=True)}
        for key, site in sites.items()
    }
