"""Runs one crawl from start to end, blocking. A process can run one crawl, because a Twisted reactor runs once."""

import logging
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scrapy.crawler import CrawlerProcess
from scrapy.utils.misc import load_object

from core.clock import SystemClock
from core.errors import BadConfiguration, BrokenInvariant, ZhuiwenError
from core.pages import CrawlCounts, CrawlPlan
from core.politeness import Proxy
from core.ports import Clock, KeptPages, Outbox, VisitRepository
from core.settings import CrawlSettings
from core.wording import Message
from crawler.context import CrawlContext
from crawler.fetching.addresses import AddressGuard
from crawler.fetching.downloaded_resources import downloaded_resources
from crawler.fetching.names import NameResolver
from crawler.fetching.reactor import running_reactor
from crawler.frontier import Frontier
from crawler.markup import parse
from crawler.page_reader import PageReader
from crawler.politeness.bans import BanJudge
from crawler.politeness.login_steps import parse_steps
from crawler.politeness.windows import CrawlWindows
from crawler.readers.pages import WholePage
from crawler.recrawl.recrawl import Recrawl
from crawler.recrawl.site_visits import MemoryVisitRepository
from crawler.repeated_texts import RepeatedTexts
from crawler.scrapy_settings import scrapy_settings
from crawler.selectors import select
from crawler.site_kinds import KINDS
from crawler.stats import REPEATED_TEXTS, CrawlStats
from crawler.surroundings.machine import machine_of_this_process
from crawler.surroundings.time_servers import compare
from crawler.urls import scope

_QUIET = ("scrapy", "twisted", "htmldate", "py.warnings", "charset_normalizer")


@dataclass(frozen=True, slots=True)
class CrawlServices:
    """The ports of a crawl.

    store, outbox: pages are stored in `store`, and `outbox` gets a message for each new version.
    visits: what earlier runs know about the site's URLs. The crawl then fetches new and due URLs, and records its own
    visits. None to fetch every page.
    is_held: returns True while this process holds the lock of the site; thread-safe. While it returns False, no
    requests are sent and nothing is stored.
    """

    store: KeptPages
    outbox: Outbox
    visits: VisitRepository | None = None
    clock: Clock = field(default_factory=SystemClock)
    is_held: Callable[[], bool] = lambda: True


def run_crawl(
    plan: CrawlPlan,
    services: CrawlServices,
    settings: CrawlSettings,
    job_dir: Path | None = None,
    *,
    on_progress: Callable[[CrawlCounts], None] | None = None,
    on_read: Callable[[str, WholePage], None] = lambda url, page: None,
) -> CrawlCounts:
    """Crawl a site, and return the counts.

    job_dir: the folder of the site, in which the crawl writes its journal. After a kill or a power failure, a call with
    the same plan resumes the crawl. SIGTERM and SIGINT end the crawl after the requests in progress. The folder above
    it counts the responses of hosts.
    on_progress: called in this thread at most twice a second, and at the end, with a copy of the counts.
    on_read: called for each page that was read, with its URL and content.

    Raises BadConfiguration if the plan is invalid, or BrokenInvariant at a second call in one process. Errors of sites
    are in the counts and are never raised.
    """
    _require_valid_plan(plan)
    if "twisted.internet.reactor" in sys.modules:
        raise BrokenInvariant("crawl.reactor-ran")
    stats = CrawlStats(on_progress)
    # The journal belongs to the whole site. A crawl of single pages is simply repeated.
    frontier = Frontier(plan, None if plan.only_urls else job_dir)
    chosen = scrapy_settings(plan, settings)
    readings = compare(settings.time_servers, NameResolver(settings.name_servers))
    machine = machine_of_this_process(readings, has_response_cache=bool(chosen.get("HTTPCACHE_ENABLED")))

    def make_context(crawler: Any) -> CrawlContext:
        resources = downloaded_resources(crawler, settings, stats.count_bytes)
        return CrawlContext(
            plan=plan,
            settings=settings,
            store=services.store,
            outbox=services.outbox,
            frontier=frontier,
            stats=stats,
            recrawl=Recrawl(services.visits or MemoryVisitRepository(), plan, services.clock),
            scope=scope(plan, stats.add_fault),
            guard=AddressGuard(settings.allow_private_hosts),
            reader=PageReader(plan, job_dir, resources, settings.cache),
            resources=resources,
            repeats=RepeatedTexts(
                lambda name, url: stats.add_first(Message(REPEATED_TEXTS, name=name, url=url)),
                asked_for=(*plan.start_urls, *plan.only_urls),
            ),
            clock=services.clock,
            is_held=services.is_held,
            job_dir=job_dir,
            fetched_before=frontier.done_page_count,
            on_read=on_read,
            machine=machine,
        )

    logging.getLogger("scrapy").propagate = False  # at its own level, Scrapy logs every page in full
    process = CrawlerProcess(chosen)
    for name in _QUIET:  # Scrapy has removed the handlers of its loggers; without any, errors would go to stderr
        logging.getLogger(name).addHandler(logging.NullHandler())
    _run_to_the_end(process, plan, make_context)
    return stats.counts


def _run_to_the_end(process: CrawlerProcess, plan: CrawlPlan, make_context: Callable[[Any], CrawlContext]) -> None:
    """Run the spider for the plan's kind of site. Raises the error that prevented its start."""
    failures: list[Any] = []
    finished = process.crawl(load_object(KINDS[plan.kind].spider), make_context)
    finished.addErrback(failures.append)
    _stop_on_signals(process)
    process.start(install_signal_handlers=False)
    if failures:
        fault = failures[0].value
        known = isinstance(fault, ZhuiwenError)
        raise (fault if known else BrokenInvariant("crawl.not-started", fault=fault)) from fault


def _stop_on_signals(process: CrawlerProcess) -> None:
    """End after the requests in progress, even at a second signal, at which Scrapy would drop these pages."""
    reactor = running_reactor()
    loop: Any = reactor
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: loop.callFromThread(process.stop))


def _require_valid_plan(plan: CrawlPlan) -> None:
    """Raise BadConfiguration that names all errors in a plan."""
    faults: list[Message] = []
    if not KINDS[plan.kind].is_crawled:
        raise BadConfiguration("site.not-crawled", site=plan.site_id)
    if not plan.start_urls:
        faults.append(Message("site.no-start", site=plan.site_id))
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
    faults.extend(plan_faults(plan))
    if faults:
        raise BadConfiguration(faults)


PROXY_SCHEMES = ("http", "https")


def plan_faults(plan: CrawlPlan) -> list[Message]:
    """Return the errors in a plan's crawl settings."""
    polite, faults = plan.politeness, list[Message]()
    checks: tuple[Callable[[], object], ...] = (
        lambda: CrawlWindows(polite.windows, polite.zone),
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


def _proxy_fault(proxy: Proxy) -> Message:
    return Message("site.proxy-scheme", place=proxy.place, scheme=proxy.scheme)
