"""Stores plans, queries and results of the search for copies on unwatched sites, and accepts or dismisses results.

A result is not a case. A page that copies a work is a proposal. Once a user accepts it, its site is watched and
crawled, and the findings of the crawl become cases as usual.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from urllib.parse import urlsplit

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Count, Max, Q, QuerySet
from django.db.models.functions import Coalesce

from core.errors import BadInput
from core.hosts import host_key, parse_hosts
from core.ids import digest
from core.rights import is_below, rule
from core.wording import Message
from crawler.urls import MAX_URL_CHARS, canonical, is_binary
from webadmin.sites.models import DiscoveredPage, DiscoveryPlan, DiscoveryQuery, Site, SiteDomain
from webadmin.sites.services.runs import midnight
from webadmin.sites.services.watchlist import add_site
from webadmin.works.models import Chapter, Licence, OwnAccount, OwnDomain, Work
from webadmin.works.services.licences import licence_permission, normalize_page_url

PageState, QueryState = DiscoveredPage.State, DiscoveryQuery.State
MAX_TITLE_CHARS = 300
_STATES = {
    PageState.PROPOSED: Message("found.proposed"),
    PageState.ACCEPTED: Message("found.watched"),
    PageState.DISMISSED: Message("found.dismissed"),
    PageState.NO_COPY: Message("found.no-copy"),
    PageState.UNREADABLE: Message("found.unreadable"),
}


class LeftOutReason(StrEnum):
    """The reasons for not fetching a search result."""

    OWN_SITE = "own_site"
    LICENSED = "licensed"
    WATCHED = "watched"  # its host belongs to a site of the rights holder
    KNOWN = "known"  # an earlier query found it
    UNUSABLE = "unusable"  # not the URL of a page
    TOO_MANY = "too_many"  # too many results of one host, or of one query
    NO_TIME = "no_time"  # the round was over; a later query may find it again


@dataclass(frozen=True, slots=True)
class CandidateMatch:
    """The comparison of a found page with a work. matched_chars: 0 if there is no match.

    fault: the reason why the page could not be read, or None.
    """

    url: str
    title: str = ""
    match_class: str = ""
    similarity: float = 0.0
    matched_chars: int = 0
    excerpt: str = ""
    fault: Message | None = None


def get_or_create_plan(work: Work) -> DiscoveryPlan:
    """Return the plan of a work, which is created if there is none."""
    return DiscoveryPlan.objects.get_or_create(work=work)[0]


def plans_with_budget(now: datetime, works: Collection[int] | None = None) -> list[DiscoveryPlan]:
    """Return the active plans with queries left today, those without a query for the longest time first.

    works: the keys of the works to consider, or None for all.
    """
    plans = DiscoveryPlan.objects.filter(is_active=True).select_related("work__rights_holder")
    if works is not None:
        plans = plans.filter(work_id__in=works)
    never = datetime(1970, 1, 1, tzinfo=now.tzinfo)
    ordered = plans.annotate(last=Coalesce(Max("work__discovery_queries__asked_at"), never)).order_by("last", "pk")
    return [plan for plan in ordered if left_today(plan, now) > 0]


def left_today(plan: DiscoveryPlan, now: datetime) -> int:
    """Return the number of queries that a plan has left today, in the operator's time zone."""
    sent = sent_today(now).filter(work_id=plan.work_id).count()
    return max(0, plan.queries_a_day - sent)


def sent_today(now: datetime) -> QuerySet[DiscoveryQuery]:
    """Return the queries sent today, in the operator's time zone."""
    return DiscoveryQuery.objects.filter(asked_at__gte=midnight(now))


def left_today_over_all(now: datetime) -> int:
    sent = sent_today(now).count()
    return max(0, settings.ZHUIWEN.discovery.queries_a_day - sent)


def last_query_time() -> datetime | None:
    """Return the time of the last query of any process, or None if there is none."""
    return DiscoveryQuery.objects.aggregate(last=Max("asked_at"))["last"]


def asked_sentences(work: Work, now: datetime) -> set[str]:
    """Return the sentences of a work that must not be sent: those that were answered, and those sent today."""
    rows = DiscoveryQuery.objects.filter(work=work).exclude(
        state__in=[QueryState.FAILED, QueryState.ASKED], asked_at__lt=midnight(now)
    )
    return set(rows.values_list("sentence", flat=True))


def chapters_to_ask(work: Work, limit: int) -> list[Chapter]:
    """Return at most `limit` chapters of a work, those with the fewest queries first.

    All chapters get queries, because a site may have copied only one of them.
    """
    asked = dict(
        DiscoveryQuery.objects.filter(work=work).values_list("chapter_number").annotate(n=Count("pk")).order_by()
    )
    numbers = list(work.chapters.order_by("number").values_list("number", flat=True))
    chosen = sorted(numbers, key=lambda number: (asked.get(number, 0), number))[:limit]
    found = {chapter.number: chapter for chapter in work.chapters.filter(number__in=chosen)}
    return [found[number] for number in chosen if number in found]


def begin_query(plan: DiscoveryPlan, chapter: int, sentence: str, now: datetime) -> DiscoveryQuery | None:
    """Record a query before it is sent, and return it. Returns None if the plan is inactive or a budget is spent."""
    with transaction.atomic():
        locked = DiscoveryPlan.objects.select_for_update().get(pk=plan.pk)
        if not locked.is_active or left_today(locked, now) <= 0 or left_today_over_all(now) <= 0:
            return None
        query, _ = DiscoveryQuery.objects.update_or_create(
            work_id=locked.work_id,
            sentence=sentence,
            defaults={"chapter_number": chapter, "asked_at": now, "state": QueryState.ASKED, "fault": None},
        )
    return query


def end_query(query: DiscoveryQuery, results: int, left_out: dict[str, int], fault: Message | None = None) -> None:
    query.state = QueryState.FAILED if fault else QueryState.ANSWERED
    query.results, query.left_out, query.fault = results, left_out, fault
    query.save(update_fields=["state", "results", "left_out", "fault"])


def reason_to_leave_out(work: Work, url: str, now: datetime) -> LeftOutReason | None:
    """Return the reason for not fetching the search result `url`, or None if it should be fetched."""
    try:
        digest_of, key = _url_digest(url), host_key(url)
    except ValueError:
        return LeftOutReason.UNUSABLE
    if len(url) > MAX_URL_CHARS or not url.startswith(("http://", "https://")) or is_binary(url) or not key[0]:
        return LeftOutReason.UNUSABLE
    if DiscoveredPage.objects.filter(work=work, url_digest=digest_of).exists():
        return LeftOutReason.KNOWN
    holder = work.rights_holder_id
    own = OwnDomain.objects.filter(rights_holder=holder).values_list("domain", flat=True)
    # The chapters on the page are unknown before it is read, so licences for some chapters are ignored here.
    licences = Licence.objects.filter(Q(work=work) | Q(work=None), rights_holder=holder, chapters="")
    ruling = rule(normalize_page_url(url), midnight(now).date(), own, map(licence_permission, licences))
    if ruling.rejection is not None:
        return LeftOutReason(ruling.rejection.value)
    accounts = OwnAccount.objects.filter(rights_holder=holder).exclude(address="")
    if any(is_below(url, address) for address in accounts.values_list("address", flat=True)):
        return LeftOutReason.OWN_SITE
    return LeftOutReason.WATCHED if _is_watched(holder, *key) else None


def record_finding(work: Work, query: DiscoveryQuery, finding: CandidateMatch, now: datetime) -> DiscoveredPage | None:
    """Store the comparison of a found page, and return its row; None if another process has already stored it."""
    state = PageState.PROPOSED if finding.matched_chars else PageState.NO_COPY
    if finding.fault:
        state = PageState.UNREADABLE
    try:
        with transaction.atomic():
            return DiscoveredPage.objects.create(
                work=work,
                query=query,
                url=finding.url,
                url_digest=_url_digest(finding.url),
                host=urlsplit(finding.url).netloc[:260],
                title=finding.title[:MAX_TITLE_CHARS],
                state=state,
                match_class=finding.match_class,
                similarity=finding.similarity,
                matched_chars=finding.matched_chars,
                excerpt=finding.excerpt,
                fault=finding.fault,
                found_at=now,
            )
    except IntegrityError:
        return None


def accept_proposal(page: DiscoveredPage, by: str, now: datetime) -> Site:
    """Watch the site of a proposal, with the found page and the front page as start pages, and return the site.

    Other proposals on the same host for works of the same rights holder are also accepted. A dismissed page can still
    be accepted. Raises BadInput for any other page, or if the URL cannot be crawled.
    """
    if page.state not in (PageState.PROPOSED, PageState.DISMISSED):
        raise BadInput("found.no-proposal", url=page.url, state=_STATES[PageState(page.state)])
    holder = page.work.rights_holder
    parts = urlsplit(page.url)
    with transaction.atomic():
        site = add_site(holder, f"{parts.scheme}://{parts.netloc}/")
        site = add_site(holder, page.url)
        same = DiscoveredPage.objects.filter(
            work__rights_holder=holder, host=page.host, state__in=[PageState.PROPOSED, PageState.DISMISSED]
        )
        for other in same.exclude(pk=page.pk).filter(state=PageState.PROPOSED):
            site = add_site(holder, other.url)
            _decide_page(other, PageState.ACCEPTED, by, now, site)
        _decide_page(page, PageState.ACCEPTED, by, now, site)
    return site


def dismiss_proposal(page: DiscoveredPage, by: str, now: datetime) -> None:
    """Dismiss a proposal, so that it is not suggested again. Raises BadInput for a page that is not a proposal."""
    if page.state != PageState.PROPOSED:
        raise BadInput("found.no-proposal", url=page.url, state=_STATES[PageState(page.state)])
    _decide_page(page, PageState.DISMISSED, by, now, None)


def _decide_page(page: DiscoveredPage, state: str, by: str, now: datetime, site: Site | None) -> None:
    page.state, page.decided_by, page.decided_at, page.site = state, by[:150], now, site
    page.save(update_fields=["state", "decided_by", "decided_at", "site"])


def _is_watched(holder: int, name: str, port: int) -> bool:
    hosts = SiteDomain.objects.filter(site__rights_holder=holder).values_list("host", flat=True)
    return any(host.equals(name, port) for host in parse_hosts(hosts))


def _url_digest(url: str) -> str:
    return digest(canonical(url).encode("utf-8", "surrogatepass"))
