"""Scrapy's settings for the politeness of a plan, and what is wrong with a plan's politeness."""

import os
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from core.errors import BadConfiguration
from core.pages import CrawlPlan
from core.politeness import BrowserMode, Proxy
from core.settings import CrawlSettings
from crawler.browsing.chromium import find_chromium
from crawler.politeness.bans import BanJudge
from crawler.politeness.login_steps import parse_steps
from crawler.politeness.windows import Windows

PROXY_SCHEMES = ("http", "https")
# Those that may pass by themselves; 429 and 503 are refusals, which crawler.politeness.bans waits for.
_RETRIED = [500, 502, 504, 522, 524, 408]


def polite_settings(plan: CrawlPlan, settings: CrawlSettings) -> dict[str, Any]:
    """What a crawl needs beyond its pace. Raises BadConfiguration where it needs a browser and there is none."""
    return {
        "EXTENSIONS": {"crawler.politeness.keeper.Keeper": 100},
        "RETRY_HTTP_CODES": _RETRIED,
        "REMOTE_CONTROL_ENABLED": False,  # Scrapy's own server that runs whatever Python it is sent
        # Whatever name a request goes under: what robots.txt says to us binds us.
        "ROBOTSTXT_USER_AGENT": settings.user_agent,
        **(browser_settings(settings) if plan.politeness.browser is not BrowserMode.NEVER else {}),
    }


def browser_settings(settings: CrawlSettings) -> dict[str, Any]:
    """For pages that scripts make. Raises BadConfiguration where the extra or Chromium is absent."""
    if find_spec("scrapy_playwright") is None:
        raise BadConfiguration(["pages cannot be loaded in a browser: install the extra, zhuiwen[browser]"])
    from crawler.browsing.browser import AGE_SETTING, ARGUMENTS, MAX_MEMORY_BYTES, MEMORY_SETTING, PAGES_SETTING

    launch: dict[str, Any] = {"args": ARGUMENTS, "chromium_sandbox": os.geteuid() != 0}  # root can have no sandbox
    path = find_chromium(settings.chromium)
    if path is None:
        remedy = "install Debian's package chromium, or set ZHUIWEN_CHROMIUM to its path"
        raise BadConfiguration([f"pages cannot be loaded in a browser: there is no Chromium; {remedy}"])
    return {
        "DOWNLOAD_HANDLERS": {
            **dict.fromkeys(("file", "ftp", "s3", "data")),
            **dict.fromkeys(("http", "https"), "crawler.browsing.browser.BrowserHandler"),
        },
        "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
        "PLAYWRIGHT_LAUNCH_OPTIONS": launch | {"executable_path": str(path)},
        "PLAYWRIGHT_PROCESS_REQUEST_HEADERS": "crawler.browsing.browser.own_headers",
        PAGES_SETTING: settings.browser_pages,
        AGE_SETTING: settings.browser_minutes * 60,
        MEMORY_SETTING: MAX_MEMORY_BYTES,
    }


def browser_middlewares(plan: CrawlPlan) -> dict[str, int]:
    """The one that chooses pages for the browser, where the plan wants one."""
    return (
        {}
        if plan.politeness.browser is BrowserMode.NEVER
        else {"crawler.browsing.browser_middleware.BrowserMiddleware": 583}
    )


def faults_of(plan: CrawlPlan) -> list[str]:
    """All that is wrong with how a plan is to be crawled, one sentence each."""
    polite, faults = plan.politeness, list[str]()
    checks: tuple[Callable[[], object], ...] = (
        lambda: Windows(polite.windows, polite.zone),
        lambda: BanJudge(polite.bans, plan.encoding),
        lambda: parse_steps(polite.login.steps, dict(polite.login.values)),
    )
    faults += [_proxy_fault(proxy) for proxy in polite.proxies if proxy.scheme not in PROXY_SCHEMES]
    for check in checks:
        try:
            check()
        except BadConfiguration as fault:
            faults.extend(fault.faults)
    return faults


def _proxy_fault(proxy: Proxy) -> str:
    allowed = "the crawler speaks to proxies by http or https, not SOCKS"
    return f"the proxy {proxy.place} is spoken to by {proxy.scheme}; {allowed}"
