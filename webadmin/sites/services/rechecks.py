"""Manages rechecks: a user requests one for a page, a crawl of only this page fetches it, and the result is stored.

The crawl obeys the site's hours, pace, robots.txt and budgets. If another crawl of the site is running, the recheck
waits for it to end, and uses its result if it fetched the page. The program's own rechecks
(webadmin.notices.services.removals.schedule) also fetch another page to see whether the site responds, and do not count
towards the daily limit of users.
"""

from collections.abc import Sequence
from datetime import datetime
from urllib.parse import urlsplit, urlunsplit

from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet

from core.errors import BadInput
from core.ids import SiteId
from core.messages import CrawlRequested
from core.ports import Outbox
from core.states import Rejection
from core.terms import term
from core.visits import address_id
from core.wording import Message
from crawler.urls import canonical
from webadmin.accounts.models import User
from webadmin.sites.models import Address, CrawlRun, PageRecheck, PageRecord, Site
from webadmin.sites.models.site_kind_choices import CRAWLED
from webadmin.sites.services import runs as crawls

Outcome = PageRecheck.Outcome
# For one rights holder and day. Chosen, because a reviewer decides about a hundred cases a day and doubts few.
MAX_A_DAY = 200
MAX_IN_A_RUN = 50
SAID_TO_BE_GONE = "fetch.gone"  # the code of a crawl's error


def request_recheck(page: PageRecord, user: User, now: datetime, outbox: Outbox) -> PageRecheck:
    """Request a recheck of a page, and return it; an open recheck is returned instead of a new one.

    Raises BadInput if the site is not crawled or the daily limit is reached, and RetryLater if the broker is down.
    """
    live = live_recheck(page)
    if live is not None:
        return live
    if page.site.kind not in CRAWLED:
        raise crawls.NotCrawled(page.site)
    asked = PageRecheck.objects.filter(
        page__site__rights_holder=page.site.rights_holder_id, asked_at__gte=crawls.midnight(now), asked_by__isnull=False
    )
    if asked.count() >= MAX_A_DAY:
        raise BadInput("page.rechecks-spent", most=MAX_A_DAY)
    recheck = _create_recheck(page, user, now)
    if recheck is None:  # another click was faster
        return PageRecheck.objects.get(page=page, outcome="")
    resume_rechecks(page.site, now, outbox)
    recheck.refresh_from_db()
    return recheck


def request_rechecks(pages: Sequence[PageRecord], now: datetime, outbox: Outbox, *, by_second_route: bool) -> int:
    """Request rechecks of pages of one site for the program, outside the daily limit, and return their number.

    Pages with an open recheck are skipped. by_second_route: fetch through the proxies reserved for rechecks. Raises
    RetryLater if the broker is down.
    """
    asked = [each for page in pages if (each := _create_recheck(page, None, now, by_second_route=by_second_route))]
    if asked:
        resume_rechecks(pages[0].site, now, outbox)
    return len(asked)


def live_recheck(page: PageRecord) -> PageRecheck | None:
    """Return the open recheck of a page, or None if there is none."""
    return PageRecheck.objects.filter(page=page, outcome="").select_related("run").first()


def newest_recheck(page: PageRecord) -> PageRecheck | None:
    return PageRecheck.objects.filter(page=page).select_related("run", "asked_by").first()


def waiting_sites() -> "QuerySet[Site]":
    """Return the sites with open rechecks."""
    return Site.objects.filter(pages__rechecks__outcome="").distinct()


def resume_rechecks(site: Site, now: datetime, outbox: Outbox) -> None:
    """Complete the rechecks of a site whose result is known, and request a crawl for others unless one is live.

    Safe to call at any time. Raises RetryLater if the broker is down.
    """
    for recheck in _open_rechecks(site).select_related("run", "page"):
        _settle_recheck(recheck, now)
    if crawls.live_run(site) is not None:
        return
    waiting = _next_rechecks(site)
    if not waiting:
        return
    asked_by = next((each.asked_by for each in waiting if each.asked_by is not None), None)
    try:
        with transaction.atomic():
            run = crawls.request_run(
                site,
                asked_by,
                CrawlRun.Trigger.PERSON if asked_by is not None else CrawlRun.Trigger.LOOK,
                only_urls="\n".join(_urls_to_fetch(site, waiting)),
                by_second_route=waiting[0].by_second_route,
            )
            PageRecheck.objects.filter(pk__in=[each.pk for each in waiting]).update(run=run)
    except crawls.AlreadyRunning:  # The end of that crawl calls this function again.
        return
    except crawls.NotCrawled as error:
        _open_rechecks(site).update(outcome=Outcome.NOT_SEEN, fault=error.message, ended_at=now)
        return
    outbox.send(CrawlRequested(run.pk))


def reassign_rechecks(run: CrawlRun, again: CrawlRun) -> None:
    """Assign the open rechecks of the interrupted run `run` to `again`, the run that replaces it."""
    PageRecheck.objects.filter(run=run, outcome="").update(run=again)


def is_compared(recheck: PageRecheck) -> bool:
    """Return True if the version that a recheck fetched has been compared with the works."""
    return recheck.page.checks.filter(version_id=recheck.version_id).exists()


def _next_rechecks(site: Site) -> list[PageRecheck]:
    """Return at most MAX_IN_A_RUN waiting rechecks for the next crawl.

    They were all requested by users, or all by the program if no user waits, and they use the same route.
    """
    waiting = _open_rechecks(site).filter(run=None).select_related("asked_by")
    first = waiting.order_by(F("asked_by").asc(nulls_last=True), "asked_at", "pk").first()
    if first is None:
        return []
    of_people = waiting.filter(by_second_route=first.by_second_route, asked_by__isnull=first.asked_by_id is None)
    return list(of_people[:MAX_IN_A_RUN])


def _urls_to_fetch(site: Site, waiting: Sequence[PageRecheck]) -> list[str]:
    """Return the URLs that the crawl for these rechecks fetches.

    For the program's rechecks, they include `control_urls`: if these fail as well, the site is down.
    """
    urls = list(dict.fromkeys(each.url for each in waiting))
    if waiting[0].asked_by_id is None:
        urls += list(dict.fromkeys(each for each in control_urls(site, urls[0]) if each not in urls))
    return urls


def control_urls(site: Site, url: str) -> list[str]:
    """Return URLs that show whether a site responds: its first start URL, and the front page of the host of `url`.

    Both are needed, because the start page may be the table of contents of the removed work.
    """
    parts = urlsplit(url)
    return [*crawls.site_start_urls(site)[:1], urlunsplit((parts.scheme, parts.netloc, "/", "", ""))]


def _create_recheck(
    page: PageRecord, user: User | None, now: datetime, *, by_second_route: bool = False
) -> PageRecheck | None:
    """Create and return a recheck of a page, or return None if it has an open one. user: None for the program."""
    address = _last_address(page)
    try:
        with transaction.atomic():
            return PageRecheck.objects.create(
                page=page,
                asked_by=user,
                asked_at=now,
                by_second_route=by_second_route,
                url=address.url if address else page.url,
                before_version_id=(address.version_id if address else "") or page.version_id,
            )
    except IntegrityError:
        return None


def _open_rechecks(site: Site) -> "QuerySet[PageRecheck]":
    return PageRecheck.objects.filter(page__site=site, outcome="").order_by("asked_at", "pk")


def _settle_recheck(recheck: PageRecheck, now: datetime) -> None:
    """Record the result of a recheck if the page was fetched since the request, or if its crawl has ended."""
    key = address_id(SiteId(str(recheck.page.site_id)), canonical(recheck.url))
    address = Address.objects.filter(pk=key).first()
    if address is not None and address.seen_at is not None and address.seen_at >= recheck.asked_at:
        is_same = address.version_id == recheck.before_version_id
        _end_recheck(recheck, now, Outcome.UNCHANGED if is_same else Outcome.CHANGED, version=address.version_id)
    elif recheck.run is not None and recheck.run.state not in CrawlRun.LIVE:
        _end_recheck(recheck, now, *_unseen_outcome(recheck, recheck.run, address))


def _unseen_outcome(recheck: PageRecheck, run: CrawlRun, address: Address | None) -> tuple[str, Message | None]:
    """Return the outcome and the error message, or None, for a page that the ended crawl did not fetch."""
    of_page = next((fault for fault in run.faults if fault.params.get("url") == recheck.url), None)
    if of_page is not None and of_page.code == SAID_TO_BE_GONE:
        return Outcome.GONE, None
    if of_page is not None or run.state != CrawlRun.State.FINISHED or address is None:
        return Outcome.NOT_SEEN, of_page or next(iter(run.faults), None) or run.finish_reason
    if address.reason in {reason.value for reason in Rejection}:
        return Outcome.NOT_SEEN, address.sentence or Message("page.refused", reason=term(Rejection(address.reason)))
    return Outcome.NOT_SEEN, address.sentence or next(iter(run.faults), None)


def _end_recheck(
    recheck: PageRecheck, now: datetime, outcome: str, fault: Message | None = None, version: str = ""
) -> None:
    PageRecheck.objects.filter(pk=recheck.pk, outcome="").update(
        outcome=outcome, fault=fault, version_id=version, ended_at=now
    )


def _last_address(page: PageRecord) -> Address | None:
    """Return the URL at which the page was last seen, or None if none is known."""
    of_site = Address.objects.filter(site=page.site_id).order_by("-seen_at", "pk")
    # A URL that no longer has a text has no page id, but still equals the page's URL.
    return of_site.filter(page_id=page.pk).first() or of_site.filter(page_id="", page_url=page.url).first()
