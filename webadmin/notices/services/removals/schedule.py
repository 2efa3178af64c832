"""Schedules checks of pages that may have been removed, using the same rechecks that users request.

Pages in a sent notice are checked daily from the day after sending, and weekly from the third week on, even if removed.
A page that one check found without its passages is checked again when the second check is due, then daily until that
succeeds. Chosen, because sites that follow a notice do so within days (articles 14 to 17 of the Regulation say "at
once", 17 U.S.C. 512 "expeditiously"), and texts taken down only because of a notice come back within weeks.
"""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db.models import F, Max, Min, OuterRef, Q, QuerySet, Subquery

from core.ports import Outbox
from core.states import CaseState
from crawler.recrawl.policy import GONE_AFTER
from webadmin.cases.models import Case, CaseAddress
from webadmin.notices.models import Notice, NoticeEvent, NoticePage
from webadmin.notices.services.removals.conclusions import SENT, absence_streak, confirming_look, unproved_cases
from webadmin.sites.models import PageRecheck, PageRecord
from webadmin.sites.models.site_kind_choices import CRAWLED
from webadmin.sites.services import rechecks
from webadmin.sites.services.politeness import has_second_route

State = Notice.State
FIRST_AFTER, DAILY, WEEKLY = timedelta(days=1), timedelta(days=1), timedelta(days=7)
DAILY_FOR = timedelta(days=15)  # time after sending, which gives 14 checks
WATCHED = (*SENT, State.REMOVED)
MOST_AT_ONCE = 500  # pages on all sites in a round; the next round follows in minutes


def request_due_checks(now: datetime, outbox: Outbox) -> int:
    """Request a check of every page that is due, and return their number. Sites with checks in progress wait.

    Raises RetryLater if the broker is unreachable.
    """
    asked = 0
    for (site, by_second_route), pages in _due_pages_by_site(now).items():
        rows = list(PageRecord.objects.filter(pk__in=pages, site__kind__in=CRAWLED).select_related("site"))
        live = PageRecheck.objects.filter(page__site=site, asked_by=None, outcome="")
        if rows and not live.exists():
            asked += rechecks.request_rechecks(
                rows[: rechecks.MAX_IN_A_RUN], now, outbox, by_second_route=by_second_route
            )
    return asked


def _due_pages_by_site(now: datetime) -> dict[tuple[int, bool], list[str]]:
    """Return the due pages, each once, by site and by whether the second route is used."""
    found: dict[tuple[int, bool], list[str]] = defaultdict(list)
    seen = set[str]()
    for site, page, by_second_route in (*_pages_to_confirm(now), *_pages_of_notices(now)):
        if page not in seen and len(seen) < MOST_AT_ONCE:
            seen.add(page)
            found[site, by_second_route].append(page)
    return found


def _pages_to_confirm(now: datetime) -> Iterator[tuple[int, str, bool]]:
    """Yield the site, page and route of each page with a check that another check must confirm."""
    for case in unproved_cases():
        looks = absence_streak(case)
        second = confirming_look(looks) if looks else None
        if not looks:
            continue
        by_second_route = second is not None and has_second_route(case.site)
        due = second.at if second is not None else looks[0].at + GONE_AFTER
        if due <= now and (second is None or by_second_route):
            asked = _last_request_time(case, by_second_route=by_second_route)
            if asked is None or asked < due or asked <= now - DAILY:
                yield case.site_id, case.page_id, by_second_route


def _last_request_time(case: Case, *, by_second_route: bool) -> datetime | None:
    rows = PageRecheck.objects.filter(page=case.page_id, by_second_route=by_second_route)
    last: datetime | None = rows.aggregate(last=Max("asked_at"))["last"]
    return last


def _pages_of_notices(now: datetime) -> Iterator[tuple[int, str, bool]]:
    """Yield the site, page and route of each page in a sent notice that was not checked recently."""
    due = _due_notice_pages(now).filter(case__site__kind__in=CRAWLED)
    busy = PageRecheck.objects.filter(asked_by=None, outcome="").values("page__site")
    sites = due.exclude(case__site__in=busy).order_by("case__site").values_list("case__site", flat=True).distinct()
    for site in sites[:MOST_AT_ONCE]:
        of_site = due.filter(case__site=site).order_by("case__page")
        for page in of_site.values_list("case__page", flat=True).distinct()[: rechecks.MAX_IN_A_RUN]:
            yield site, page, False
        others = CaseAddress.objects.filter(case__in=of_site.values("case")).exclude(page=F("case__page"))
        for page in others.values_list("page", flat=True).distinct()[: rechecks.MAX_IN_A_RUN]:
            yield site, page, False


def _due_notice_pages(now: datetime) -> "QuerySet[NoticePage]":
    sent = NoticeEvent.objects.filter(
        notice=OuterRef("notice"), state=State.SENT, undone_by=None, undoes=None
    ).order_by()
    asked = PageRecheck.objects.filter(page=OuterRef("case__page")).order_by()
    rows = NoticePage.objects.filter(notice__state__in=WATCHED, case__state=CaseState.CONFIRMED).annotate(
        sent_at=Subquery(sent.values("notice").annotate(at=Min("at")).values("at")),
        asked_at=Subquery(asked.values("page").annotate(at=Max("asked_at")).values("at")),
    )
    is_new = Q(sent_at__gt=now - DAILY_FOR)
    waited = Q(asked_at=None) | Q(is_new, asked_at__lte=now - DAILY) | Q(asked_at__lte=now - WEEKLY)
    before_sent = Q(asked_at__lt=Subquery(sent.values("notice").annotate(at=Min("at")).values("at")))
    return rows.filter(waited | before_sent, sent_at__lte=now - FIRST_AFTER).order_by("case__site", "case__page")
