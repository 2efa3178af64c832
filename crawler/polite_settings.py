"""Scrapy's settings for the politeness of a plan, and what is wrong with a plan's politeness."""

from collections.abc import Callable
from typing import Any

from core.errors import BadConfiguration, UnsafeUrl
from core.pages import CrawlPlan
from core.settings import CrawlSettings
from crawler.addresses import AddressGuard
from crawler.bans import BanJudge
from crawler.sessions import parse_steps
from crawler.windows import Windows

# Those that may pass by themselves; 429 and 503 are refusals, which crawler.bans waits for.
_RETRIED = [500, 502, 504, 522, 524, 408]


def polite_settings(plan: CrawlPlan, settings: CrawlSettings) -> dict[str, Any]:
    """What a crawl needs beyond its pace."""
    return {
        "EXTENSIONS": {"crawler.keeper.Keeper": 100},
        "RETRY_HTTP_CODES": _RETRIED,
        # Whatever name a request goes under: what robots.txt says to us binds us.
        "ROBOTSTXT_USER_AGENT": settings.user_agent,
    }


def faults_of(plan: CrawlPlan) -> list[str]:
    """All that is wrong with how a plan is to be crawled, one sentence each."""
    polite, faults = plan.politeness, list[str]()
    checks: tuple[Callable[[], object], ...] = (
        lambda: Windows(polite.windows, polite.zone),
        lambda: BanJudge(polite.bans, plan.encoding),
        lambda: parse_steps(polite.login.steps, dict(polite.login.values)),
    )
    for check in checks:
        try:
            check()
        except BadConfiguration as fault:
            faults.extend(fault.faults)
    return faults


def proxy_fault(place: str, settings: CrawlSettings) -> str:
    """Why a proxy must not be used, "" where it may: one inside the operator's network has to be allowed."""
    try:
        AddressGuard(settings.allow_private_hosts).check_url(f"http://{place}/")
    except UnsafeUrl as fault:
        return fault.reason
    return ""
