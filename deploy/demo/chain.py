"""The demo's steps that need the admin database; imported after Django is set up."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path

from django.conf import settings
from django.utils import timezone, translation

from analytics.formats import FORMATS, render
from core.matches import MatchClass
from core.messages import CrawlRequested
from core.obfuscations import OBFUSCATIONS
from core.shares import format_percentage
from core.states import Rejection
from core.wording import Message
from deploy.crawl_waiting import wait_for_runs
from deploy.demo.installation import ACCOUNTS, add_accounts, add_sites, add_works, has_password
from deploy.demo.library import load_works
from deploy.demo.notice import DraftedNotice, drafted_notice
from deploy.demo.plan import SitePlan
from deploy.demo.verification import DemoFinding, Verification, page_path, verify
from deploy.outages import Outages
from webadmin.accounts.models import RightsHolder
from webadmin.cases.models import Case, Exclusion
from webadmin.reports.services.report_rows import make_report
from webadmin.sites.models import CrawlRun, PageRecord, Site
from webadmin.sites.services import runs as crawls
from webadmin.ui.console.words import console_language, obfuscation
from webadmin.ui.models.phrases import MATCH_CLASSES, REJECTIONS
from webadmin.wiring import live_ports
from webadmin.works.models import Work

Say = Callable[[Message], None]

NOTICE_SITE, NOTICE_WORK = "moxiang", "river-town"
USERNAMES = tuple(account.username for account in ACCOUNTS)


@dataclass(frozen=True, slots=True)
class Installed:
    """The demo's rows in the admin database, by the demo's keys."""

    works: dict[str, Work]
    sites: dict[str, Site]


def install(sites: tuple[SitePlan, ...], origins: dict[str, str], secrets: dict[str, str]) -> Installed:
    """Add the demo's works, sites, licences and accounts to the installation unless they exist, and return the rows.

    origins: the URLs of the sites by key. secrets: the passwords by username.
    """
    ports = live_ports(settings.ZHUIWEN)
    works = add_works(load_works(), ports.works, ports.outbox)
    rows = add_sites(sites, origins, works)
    add_accounts(secrets)
    return Installed(works, rows)


def crawl(installed: Installed, say: Say, outages: Outages) -> None:
    """Crawl all sites, and return when all runs have ended and their pages have been compared with the corpus."""
    runs = [outages.repeat_until_back(partial(_request_run, site)) for site in installed.sites.values()]
    for run in wait_for_runs(runs, settings.ZHUIWEN):
        if run.state == CrawlRun.State.FAILED:
            say(Message("demo.run-failed", site=run.site, reason=run.finish_reason))


def notice(installed: Installed) -> DraftedNotice | None:
    """Return the notice about the site that copied the demo's novel, drafting it if there is none; it is not sent.

    Returns None if no case can be confirmed.
    """
    with translation.override(console_language()):
        return drafted_notice(installed.sites[NOTICE_SITE], installed.works[NOTICE_WORK])


def case_rows(installed: Installed) -> list[tuple[str, ...]]:
    """Return the cases on the demo's sites in the user's language, site by site.

    A row is site, page, work, similarity, class and obfuscations.
    """
    cases = Case.objects.filter(page__site__in=installed.sites.values()).select_related("page__site", "work")
    separator = "、" if console_language().startswith("zh") else ", "
    with translation.override(console_language()):
        return [
            (
                str(case.page.site),
                f"{case.page_title} {page_path(case.page.url)}",
                str(case.work),
                format_percentage(case.similarity),
                str(MATCH_CLASSES[case.match_class]),  # type: ignore[index]
                separator.join(obfuscation(item["kind"]) for item in case.obfuscations),
            )
            for case in cases.order_by("page__site_id", "page__url", "work_id")
        ]


def excluded_counts(installed: Installed) -> dict[str, int]:
    """Return the number of excluded findings for each reason, in the user's language."""
    reasons = Exclusion.objects.filter(page__site__in=installed.sites.values()).values_list("reason", flat=True)
    counts: dict[str, int] = {}
    with translation.override(console_language()):
        for reason in reasons:
            name = str(REJECTIONS[reason])  # type: ignore[index]
            counts[name] = counts.get(name, 0) + 1
    return counts


def verification(sites: tuple[SitePlan, ...], installed: Installed) -> Verification:
    """Compare the findings on the demo's sites with the plan."""
    return verify(sites, _demo_findings(installed.sites, installed.works), _fetched_paths(installed.sites))


def _demo_findings(sites: dict[str, Site], works: dict[str, Work]) -> list[DemoFinding]:
    """Return a finding for each URL of a case and for each excluded match on the demo's sites.

    sites, works: the rows by their keys.
    """
    site_keys = {site.pk: key for key, site in sites.items()}
    work_keys = {work.pk: key for key, work in works.items()}
    cases = Case.objects.filter(page__site__in=site_keys).select_related("page").prefetch_related("addresses__page")
    excluded = Exclusion.objects.filter(page__site__in=site_keys).select_related("page")
    found = [
        DemoFinding(
            site_keys[case.page.site_id],
            page_path(url),
            work_keys.get(case.work_id, str(case.work)),
            None,
            MatchClass(case.match_class),
            frozenset(OBFUSCATIONS[item["kind"]] for item in case.obfuscations),
        )
        for case in cases
        for url in {case.page.url, *(address.page.url for address in case.addresses.all())}
    ]
    return found + [
        DemoFinding(
            site_keys[row.page.site_id],
            page_path(row.page.url),
            work_keys.get(row.work_id, str(row.work)),
            Rejection(row.reason),
            MatchClass(row.match_class),
            frozenset(),
        )
        for row in excluded
    ]


def _fetched_paths(sites: dict[str, Site]) -> dict[str, set[str]]:
    """Return the paths of the pages that were fetched and read, by site."""
    return {
        key: {page_path(url) for url in PageRecord.objects.filter(site=site).values_list("url", flat=True)}
        for key, site in sites.items()
    }


def write_reports(folder: Path, days: int) -> list[Path]:
    """Write one report for each rights holder and format over the last `days` days, and return their paths."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    today = timezone.localdate()
    written = []
    for holder in RightsHolder.objects.filter(name__in=[account.rights_holder for account in ACCOUNTS]).order_by("pk"):
        report = make_report(holder, today - timedelta(days=days - 1), today)
        for name in FORMATS:
            path = folder / f"{holder.name}-{today:%Y%m%d}.{name}"
            path.write_bytes(render(report, name))
            written.append(path)
    return written


def page_count(installed: Installed) -> int:
    return PageRecord.objects.filter(site__in=installed.sites.values()).count()


def unchanged_passwords(secrets: dict[str, str]) -> dict[str, str]:
    """Return the password of each user, or "" if the user changed it."""
    return {name: secret if has_password(name, secret) else "" for name, secret in secrets.items()}


def _request_run(site: Site) -> CrawlRun:
    try:
        run = crawls.request_run(site)
    except crawls.AlreadyRunning as running:
        if running.run is None:  # the run ended between the request and the query
            return _request_run(site)
        run = running.run
    live_ports(settings.ZHUIWEN).outbox.send(CrawlRequested(run.pk))
    return run
