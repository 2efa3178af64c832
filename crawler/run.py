"""One crawl from start to end, blocking: one call a process, since a Twisted reactor runs once."""

import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scrapy.crawler import CrawlerProcess

from core.errors import BadConfiguration, BrokenInvariant, ZhuiwenError
from core.pages import CrawlCounts, CrawlPlan
from core.ports import Clock, Outbox, PageStore, VisitBook
from core.settings import CrawlSettings
from crawler.fetching.middlewares import MAX_DELAY_S
from crawler.fetching.names import NAME_SERVERS_SETTING
from crawler.fetching.resolver import ALLOWED_SETTING
from crawler.frontier import Frontier
from crawler.main_text.extraction import select
from crawler.markup import parse
from crawler.politeness.keeper import JOB_DIR_SETTING
from crawler.politeness.polite_settings import browser_middlewares, faults_of, polite_settings
from crawler.shared.frontier import SharedFrontier
from crawler.shared.settings import shared
from crawler.spiders.kinds import SPIDERS
from crawler.tally import Tally
from crawler.urls import scope

RETRIES = 2  # for a connection that fails and for HTTP status 500, 502, 504, 522, 524, 408
MAX_REDIRECTS = 10  # what RFC 9110 leaves open; browsers allow 20, honest sites need 3
_QUIET = ("scrapy", "twisted", "trafilatura", "htmldate", "py.warnings", "charset_normalizer")


def run_crawl(  # noqa: PLR0917, what to crawl and where to put it belong together
    plan: CrawlPlan,
    store: PageStore,
    outbox: Outbox,
    settings: CrawlSettings,
    job_dir: Path | None = None,
    on_progress: Callable[[CrawlCounts], None] | None = None,
    visits: VisitBook | None = None,
    clock: Clock | None = None,
    shared_url: str = "",
) -> CrawlCounts:
    """Crawl a site; what was read is in `store`, and `outbox` has a message for each new version.

    job_dir: a folder of this site's own, in which the crawl notes what is left to do; called again with the same plan
    after a kill or a loss of power, it goes on from there. SIGTERM and SIGINT end the crawl after the pages in flight.
    visits: what earlier runs know of the site's addresses; the crawl then fetches what is new or due, and notes what it
    saw there. Without it every page is fetched. Its `store` then has to keep core.ports.PageHistory as well.
    shared_url: the Redis in which several processes, each with a call of its own, share this site's crawl: what is left
    to do, the pace, and what the budgets have left; `job_dir` then keeps what is learnt of the site's template alone.
    on_progress: called from this thread at most twice a second, and at the end, with a copy of the counts.

    Raises BadConfiguration for a plan that cannot work, BrokenInvariant for a second call in one process. Whatever
    sites do is in the counts, never an exception.
    """
    _check(plan)
    if "twisted.internet.reactor" in sys.modules:
        raise BrokenInvariant("a Twisted reactor runs once: start each crawl in a process of its own")
    tally = Tally(on_progress)
    frontier = SharedFrontier(plan, shared_url, settings.lease_s) if shared_url else Frontier(plan, job_dir)
    config = scrapy_settings(plan, settings) | {JOB_DIR_SETTING: str(job_dir) if job_dir else ""}
    logging.getLogger("scrapy").propagate = False  # it writes every page, whole, at the level that it gives itself
    process = CrawlerProcess(shared(config, frontier) if isinstance(frontier, SharedFrontier) else config)
    for name in _QUIET:  # Scrapy has taken all handlers of its loggers away by now; without any, errors go to stderr
        logging.getLogger(name).addHandler(logging.NullHandler())
    failures: list[Any] = []
    finished = process.crawl(
        SPIDERS[plan.kind],
        plan=plan,
        store=store,
        outbox=outbox,
        settings=settings,
        frontier=frontier,
        tally=tally,
        clock=clock,
        visits=visits,
    )
    finished.addErrback(failures.append)
    process.start()
    if failures:
        fault = failures[0].value
        raise (
            fault if isinstance(fault, ZhuiwenError) else BrokenInvariant(f"the crawl did not start: {fault}")
        ) from fault
    return tally.counts


def scrapy_settings(plan: CrawlPlan, settings: CrawlSettings) -> dict[str, Any]:
    """Scrapy's settings for a plan: polite, bounded, silent."""
    return {
        "USER_AGENT": settings.user_agent,
        "ROBOTSTXT_OBEY": plan.obey_robots,
        "CONCURRENT_REQUESTS": plan.concurrency,
        "CONCURRENT_REQUESTS_PER_DOMAIN": plan.concurrency,
        "DOWNLOAD_DELAY": plan.delay_s,
        # Tasks that Scrapy starts for every response; a page here needs two, and its own 100 take a tenth of a crawl.
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
        "DEPTH_LIMIT": 0,  # the spider's own: a next page is no deeper
        "HTTPCACHE_ENABLED": False,
        # Scrapy's takes proxies from the environment; ours only those that the operator set for the site.
        "HTTPPROXY_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_ENABLED": False,
        "LOG_INSTALL_ROOT_HANDLER": False,
        "DOWNLOAD_HANDLERS": {
            **dict.fromkeys(("file", "ftp", "s3", "data")),
            **dict.fromkeys(("http", "https"), "crawler.fetching.header_limit.BoundedHandler"),
        },
        "TWISTED_DNS_RESOLVER": "crawler.fetching.resolver.GuardedResolver",
        ALLOWED_SETTING: list(settings.allow_private_hosts),
        NAME_SERVERS_SETTING: list(settings.name_servers),
        "ITEM_PIPELINES": {"crawler.store_pipeline.StorePipeline": 100},
        "DOWNLOADER_MIDDLEWARES": {
            "crawler.fetching.middlewares.AddressMiddleware": 10,
            "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": None,
            "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
            "crawler.fetching.middlewares.RobotsMiddleware": 100,
            "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": None,
            "crawler.fetching.middlewares.RefreshesMiddleware": 580,
            "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,
            "crawler.fetching.middlewares.CompressionMiddleware": 590,
            "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
            "crawler.fetching.middlewares.RedirectsMiddleware": 600,
            "scrapy.downloadermiddlewares.cookies.CookiesMiddleware": None,
            "crawler.fetching.cookies.CookiesMiddleware": 700,
            "crawler.visits.conditional.ConditionalMiddleware": 650,
            "crawler.politeness.refusal_middlewares.RefusalsMiddleware": 585,
            "crawler.politeness.refusal_middlewares.RedirectedRefusalsMiddleware": 605,
            "crawler.fetching.proxy_middleware.CookiesSetMiddleware": 690,
            "crawler.fetching.proxy_middleware.ProxyMiddleware": 740,
            **browser_middlewares(plan),
        },
        **polite_settings(plan, settings),
    }


def _check(plan: CrawlPlan) -> None:
    """Raises BadConfiguration naming all that is wrong with a plan."""
    faults: list[str] = []
    if plan.kind not in SPIDERS:
        raise BadConfiguration([f"the site {plan.site_id} is not crawled: its pages come from archive files"])
    if not plan.start_urls and not plan.sitemap_urls:
        faults.append(f"the site {plan.site_id} has no address to start from; give it one")
    empty = parse("<html><body></body></html>")
    for selector in (plan.body_selector, plan.title_selector, plan.next_page_selector, plan.chapter_list_selector):
        try:
            if selector and empty is not None:
                select(empty, selector)
        except BadConfiguration as fault:
            faults.extend(fault.faults)
    try:
        scope(plan)
    except BadConfiguration as fault:
        faults.extend(fault.faults)
    faults.extend(faults_of(plan))
    if faults:
        raise BadConfiguration(faults)
