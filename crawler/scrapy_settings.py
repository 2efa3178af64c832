"""Makes Scrapy's settings for a plan: polite, limited, and without output."""

from typing import Any

from core.errors import BadConfiguration
from core.pages import CrawlPlan
from core.politeness import BrowserMode
from core.settings import CrawlSettings
from crawler.browsing.chromium import (
    AGE_SETTING,
    ARGUMENTS,
    MAX_MEMORY_BYTES,
    MEMORY_SETTING,
    PAGES_SETTING,
    find_chromium,
    launch_options,
    missing_browser,
)
from crawler.fetching.names import NAME_SERVERS_SETTING
from crawler.fetching.resolver import ALLOWED_SETTING
from crawler.middlewares.robots_rules import MAX_DELAY_S

# Temporary errors. 429 and 503 are refusals, after which crawler.politeness.bans waits.
_RETRIED = [500, 502, 504, 522, 524, 408]
# Scrapy's own extensions. Even if switched off, they would load a web server, SSH and exporters, which takes 0.2 s per
# crawl.
_EXTENSIONS = dict.fromkeys(
    (
        "scrapy.extensions.corestats.CoreStats",
        "scrapy.extensions.logcount.LogCount",
        "scrapy.extensions.memusage.MemoryUsage",
        "scrapy.extensions.closespider.CloseSpider",
        "scrapy.extensions.logstats.LogStats",
        "scrapy.extensions.spiderstate.SpiderState",
        "scrapy.extensions.throttle.AutoThrottle",
    ),
    0,
)
RETRIES = 2  # after a connection failure and HTTP status 500, 502, 504, 522, 524, 408
MAX_REDIRECTS = 10  # RFC 9110 sets no limit; browsers allow 20, and ordinary sites need 3


def scrapy_settings(plan: CrawlPlan, settings: CrawlSettings) -> dict[str, Any]:
    """Return Scrapy's settings for a plan. Raises BadConfiguration if a required browser is not installed."""
    return {
        "USER_AGENT": settings.user_agent,
        "ROBOTSTXT_OBEY": plan.obey_robots,
        "CONCURRENT_REQUESTS": plan.concurrency,
        "CONCURRENT_REQUESTS_PER_DOMAIN": plan.concurrency,
        "DOWNLOAD_DELAY": plan.delay_s,
        # Items that are processed concurrently per response. A page here needs two; Scrapy's default of 100 takes a
        # tenth of a crawl's time.
        "CONCURRENT_ITEMS": 4,
        "AUTOTHROTTLE_ENABLED": True,
        "AUTOTHROTTLE_START_DELAY": plan.delay_s,
        "AUTOTHROTTLE_MAX_DELAY": max(MAX_DELAY_S, plan.delay_s),
        "AUTOTHROTTLE_TARGET_CONCURRENCY": float(plan.concurrency),
        "DOWNLOAD_TIMEOUT": settings.timeout_s,
        "DOWNLOAD_MAXSIZE": settings.max_body_bytes,
        "DOWNLOAD_WARNSIZE": 0,
        "RETRY_TIMES": RETRIES,
        "REDIRECT_MAX_TIMES": MAX_REDIRECTS,
        "DEPTH_LIMIT": 0,  # the spider counts depths itself: a next page has the same depth
        "HTTPCACHE_ENABLED": False,
        # Scrapy would take proxies from the environment. The crawl uses only those that the operator set for the site.
        "HTTPPROXY_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_ENABLED": False,
        "LOG_INSTALL_ROOT_HANDLER": False,
        "DOWNLOAD_HANDLERS": {
            **dict.fromkeys(("file", "ftp", "s3", "data")),
            **dict.fromkeys(("http", "https"), "crawler.fetching.capture.CapturingHandler"),
        },
        "TWISTED_DNS_RESOLVER": "crawler.fetching.resolver.GuardedResolver",
        ALLOWED_SETTING: list(settings.allow_private_hosts),
        NAME_SERVERS_SETTING: list(settings.name_servers),
        "ITEM_PIPELINES": {"crawler.store_pipeline.StorePipeline": 100},
        "DOWNLOADER_MIDDLEWARES": {
            "crawler.middlewares.address_guard.AddressMiddleware": 10,
            "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": None,
            "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
            "crawler.middlewares.robots_rules.RobotsMiddleware": 100,
            "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": None,
            "crawler.middlewares.redirects.RefreshesMiddleware": 580,
            "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,
            "crawler.middlewares.compression.CompressionMiddleware": 590,
            "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
            "crawler.middlewares.redirects.RedirectsMiddleware": 600,
            "scrapy.downloadermiddlewares.cookies.CookiesMiddleware": None,
            "crawler.fetching.cookies.CookiesMiddleware": 700,
            "crawler.middlewares.conditional.ConditionalMiddleware": 650,
            "crawler.middlewares.refusal_handling.RefusalsMiddleware": 585,
            "crawler.middlewares.refusal_handling.RedirectedRefusalsMiddleware": 605,
            "crawler.middlewares.proxy_choice.CookiesSetMiddleware": 690,
            "crawler.middlewares.proxy_choice.ProxyMiddleware": 740,
            **_browser_middlewares(plan, settings),
        },
        **_polite_settings(plan, settings),
    }


def _polite_settings(plan: CrawlPlan, settings: CrawlSettings) -> dict[str, Any]:
    """Return the settings for politeness. Raises BadConfiguration if a required browser is not installed."""
    return {
        "EXTENSIONS_BASE": _EXTENSIONS,
        "EXTENSIONS": {"crawler.politeness.extension.PolitenessExtension": 100},
        "RETRY_HTTP_CODES": _RETRIED,
        "REMOTE_CONTROL_ENABLED": False,  # Scrapy's own server, which runs any Python code that it receives
        # The rules for our name in robots.txt apply, whatever user agent a request has.
        "ROBOTSTXT_USER_AGENT": settings.user_agent,
        **(_browser_settings(plan, settings) if plan.politeness.browser is not BrowserMode.NEVER else {}),
    }


def _browser_settings(plan: CrawlPlan, settings: CrawlSettings) -> dict[str, Any]:
    """Return the settings for pages that scripts generate; {} without a browser.

    Raises BadConfiguration if all pages need a browser and it is not installed.
    """
    missing = missing_browser(settings)
    if missing is not None and plan.politeness.browser is BrowserMode.ALWAYS:
        raise BadConfiguration(missing)
    if missing is not None:
        return {}
    path = find_chromium(settings.chromium)
    assert path is not None  # checked by missing_browser
    return {
        "DOWNLOAD_HANDLERS": {
            **dict.fromkeys(("file", "ftp", "s3", "data")),
            **dict.fromkeys(("http", "https"), "crawler.browsing.on_demand.OnDemandBrowser"),
        },
        "PLAYWRIGHT_LAUNCH_OPTIONS": {"args": ARGUMENTS, **launch_options(path)},
        "PLAYWRIGHT_PROCESS_REQUEST_HEADERS": "crawler.browsing.browser.own_headers",
        PAGES_SETTING: settings.browser_pages,
        AGE_SETTING: settings.browser_minutes * 60,
        MEMORY_SETTING: MAX_MEMORY_BYTES,
    }


def _browser_middlewares(plan: CrawlPlan, settings: CrawlSettings) -> dict[str, int]:
    """Return the middleware that chooses pages for the browser, or {} if no browser is wanted or installed."""
    is_there = plan.politeness.browser is not BrowserMode.NEVER and missing_browser(settings) is None
    return {"crawler.middlewares.browser_requests.BrowserMiddleware": 583} if is_there else {}
