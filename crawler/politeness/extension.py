"""Makes a running crawl polite: crawl hours, pauses, budgets, sessions. Ends the crawl with a reason if necessary."""

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from scrapy import signals
from scrapy.extensions.throttle import AutoThrottle

from core.clock import SystemClock
from core.politeness import BanAction
from core.ports import Clock
from core.wording import Message
from crawler.context import CrawlContext, get_context
from crawler.fetching.proxies import Pool
from crawler.politeness.bans import Ban
from crawler.politeness.sessions import LoginFailed, Session
from crawler.politeness.usage import BYTES_A_RUN, PAGES_A_DAY, HostUsage
from crawler.politeness.windows import CrawlWindows
from crawler.stats import (
    ASKED_TO_WAIT,
    BANNED,
    BUDGET,
    BYTE_LIMIT,
    FAULT,
    LOGIN_FAILED,
    NO_PROXY,
    OUTSIDE_WINDOW,
)

log = logging.getLogger("zhuiwen.crawl")

# The process waits for a pause of up to this length. A longer pause frees it for another site. Chosen: a start takes 2
# s.
MAX_PAUSE_S = 600.0
# Ten refusals without a page between them: the site rejects the crawl, and more requests would make that worse.
MAX_BANS_IN_A_ROW = 10
MAX_LOGINS = 20  # in one crawl; a session that ends after each page is useless
_MIN_SLOWED_DELAY_S, _MAX_SLOWED_DELAY_S = 1.0, 60.0
_STEP_S = 0.05


class PolitenessExtension:
    """Pauses and resumes the engine, or closes the spider, as middlewares report. A crawl has one instance."""

    def __init__(self, crawler: Any, context: CrawlContext) -> None:
        self.crawler, self.context = crawler, context
        self._clock: Clock = SystemClock()  # pauses need the real time, even if the time of the crawl is simulated
        self.rules = context.plan.politeness
        self.windows = CrawlWindows(self.rules.windows, self.rules.zone)
        crawls_dir = context.job_dir.parent if context.job_dir is not None else None
        self.usage = HostUsage(self.rules.budget, context.plan.run_id, context.scope.hosts, crawls_dir)
        self.proxies = Pool([(proxy.place, proxy) for proxy in self.rules.proxies])
        self.user_agents = Pool([(name, name) for name in self.rules.user_agents])
        for proxy in self.rules.proxies:
            self.proxies.health[proxy.place].cools_until = proxy.cools_until
        self.session = Session(self.rules.login, self.context.scope, self.context.reader.run)
        self.in_flight = 0
        self.logins = 0
        self.needs_login = bool(self.rules.login.steps)
        self.refusals = RefusalResponse(self)
        self._hold_until: datetime | None = None
        self._hold_reason: Message | None = None
        self._waits_for_proxies = False
        self._watch: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Any) -> "PolitenessExtension":
        extension = cls(crawler, get_context(crawler))
        crawler.signals.connect(extension.open, signal=signals.spider_opened)
        crawler.signals.connect(extension.close, signal=signals.spider_closed)
        return extension

    @property
    def is_ending(self) -> bool:
        return self._ending is not None

    def now(self) -> datetime:
        return self._clock.now()

    def open(self) -> None:
        """Pause the engine, so that no request is made before the crawl hours begin and the login succeeds."""
        self.crawler.engine.pause()
        self._watch = asyncio.ensure_future(self._watch_pace())

    def close(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
        self.usage.close(self.now())
        counts = self.context.stats.counts
        counts.proxies = {name: health.as_dict() for name, health in self.proxies.health.items()}
        counts.user_agents = {name: health.as_dict() for name, health in self.user_agents.health.items()}
        self.context.stats.publish(is_last=True)

    def has_budget(self) -> bool:
        """Return True if another request may be made. Otherwise end the crawl."""
        limit = self.usage.reached_limit(self.windows.day_start(self.now()), self.in_flight)
        if not limit:
            return True
        if limit == BYTES_A_RUN:
            self.end(BYTE_LIMIT, Message("crawl.byte-budget", bytes=self.rules.budget.bytes_a_run))
        else:
            code = "crawl.page-budget" if limit == PAGES_A_DAY else "crawl.day-budget"
            used_up = Message(code, number=getattr(self.rules.budget, limit))
            self.end(BUDGET, used_up, self.windows.next_day(self.now()))
        return False

    def note_fetch(self, url: str, size: int) -> None:
        """Count a response of `size` bytes for the budgets of its host."""
        self.usage.add_response(url, self.now(), size)

    def hold(self, seconds: float, reason: Message, *, for_proxies: bool = False) -> None:
        """Make no requests for this number of seconds. for_proxies: True if all proxies are paused."""
        until = self.now() + timedelta(seconds=seconds)
        if self._hold_until is None or until > self._hold_until:
            self._hold_until, self._hold_reason, self._waits_for_proxies = until, reason, for_proxies
        self.crawler.engine.pause()

    def hold_for_proxies(self) -> None:
        """Make no requests while all proxies are paused."""
        wakes = self.proxies.next_wake_time() or self.now()
        wait_s = max((wakes - self.now()).total_seconds(), _STEP_S)
        self.hold(wait_s, Message("crawl.proxies-rest"), for_proxies=True)

    def end(self, reason: str, sentence: Message, resume_at: datetime | None = None) -> None:
        """Close the spider. Pending URLs remain in the journal.

        reason: the reason in the record of the run. sentence: the message for the operator. resume_at: when the crawl
        resumes automatically, or None
        """
        if self._ending is not None:
            return
        counts = self.context.stats.counts
        counts.end_sentence = sentence
        counts.resume_at = resume_at.isoformat() if resume_at else ""
        self.context.stats.add_fault(sentence)
        self._ending = asyncio.ensure_future(self.crawler.engine.close_spider_async(reason=reason))

    async def _watch_pace(self) -> None:
        while not self.is_ending:
            try:
                if await self._may_continue():
                    self.crawler.engine.unpause()
                    nextcall = self.crawler.engine._slot and self.crawler.engine._slot.nextcall
                    if nextcall:
                        nextcall.schedule()
            except LoginFailed as fault:
                self.end(LOGIN_FAILED, fault.message)
            except Exception as fault:  # otherwise, a paused crawl would never end
                log.exception("the crawl could not be kept")
                self.end(FAULT, Message("crawl.fault", kind=type(fault).__name__))
            await asyncio.sleep(_STEP_S)

    async def _may_continue(self) -> bool:
        """Return True if requests may be made now. Otherwise pause the engine, log in, or end the crawl."""
        if not self.context.is_held():
            self.crawler.engine.pause()
            return False
        now = self.now()
        if self._hold_until is not None and now >= self._hold_until:
            self._hold_until = None
        opens = self.windows.opens(now)
        until = max((moment for moment in (self._hold_until, opens) if moment is not None), default=now)
        if until > now:
            self.crawler.engine.pause()
            if (until - now).total_seconds() > MAX_PAUSE_S:
                self._end_and_resume(until, opens > now)
            return False
        if self.needs_login:
            self.crawler.engine.pause()
            await self._log_in()
        return True

    def _end_and_resume(self, until: datetime, is_outside: bool) -> None:
        if is_outside:
            self.end(OUTSIDE_WINDOW, Message("crawl.outside-hours", hours=self.rules.windows), until)
        else:
            reason = NO_PROXY if self._waits_for_proxies else ASKED_TO_WAIT
            self.end(reason, Message("crawl.long-wait", seconds=MAX_PAUSE_S, fault=self._hold_reason or ""), until)

    async def _log_in(self) -> None:
        self.logins += 1
        if self.logins > MAX_LOGINS:
            raise LoginFailed("login.does-not-last", count=MAX_LOGINS)
        download: Callable[..., Any] = self.crawler.engine.download_async
        for told in await self.session.open(download):
            log.info("%s", told)
        self.needs_login = False


def get_politeness(crawler: Any) -> PolitenessExtension:
    """Return the politeness extension of a running crawl."""
    politeness = crawler.get_extension(PolitenessExtension)
    assert isinstance(politeness, PolitenessExtension)
    return politeness


class RefusalResponse:
    """Reacts to refusals: pauses, changes the proxy or user agent, logs in again, or ends the crawl."""

    def __init__(self, politeness: PolitenessExtension) -> None:
        self._politeness = politeness
        self._bans_in_a_row = 0

    def note_page(self) -> None:
        """Record that a page was fetched, so that earlier refusals were not a permanent ban."""
        self._bans_in_a_row = 0

    def note_ban(self, ban: Ban, sentence: Message, wait_s: float | None, proxy: str, user_agent: str) -> None:
        """React to a refusal by its rule: pause, change the proxy or user agent, log in again, or end the crawl.

        wait_s: the pause that the site requests, or None. proxy, user_agent: the names of those that were used, or ""
        """
        politeness = self._politeness
        self._bans_in_a_row += 1
        action = ban.rule.action
        politeness.context.stats.note_refusal(sentence)
        if action is BanAction.STOP:
            politeness.end(BANNED, Message("crawl.ends", fault=sentence))
        elif self._bans_in_a_row >= MAX_BANS_IN_A_ROW:
            politeness.end(BANNED, Message("crawl.refused", count=MAX_BANS_IN_A_ROW, fault=sentence))
        elif action is BanAction.LOGIN and politeness.rules.login.steps:
            politeness.needs_login = True
            politeness.crawler.engine.pause()
        elif action is BanAction.ROTATE and wait_s is None and self._rest_both(proxy, user_agent):
            return
        elif action in (BanAction.SLOW, BanAction.ROTATE) or wait_s is not None:
            self._slow_down()
            backoff_s = politeness.rules.first_wait_s * 2.0 ** (self._bans_in_a_row - 1)
            politeness.hold(min(backoff_s, MAX_PAUSE_S) if wait_s is None else wait_s, sentence)

    def _rest_both(self, proxy: str, user_agent: str) -> bool:
        """Pause the proxy and the user agent. Return True if others are available."""
        politeness = self._politeness
        now = politeness.now()
        if proxy:
            politeness.proxies.note_failure(proxy, now, is_final=True)
        if user_agent:
            politeness.user_agents.note_failure(user_agent, now, is_final=True)
        pools = [pool for pool in (politeness.proxies, politeness.user_agents) if pool.members]
        return any(pool.pick(now) is not None for pool in pools)

    def _slow_down(self) -> None:
        politeness = self._politeness
        throttle = politeness.crawler.get_extension(AutoThrottle)
        if throttle is not None:
            doubled = max(throttle.mindelay * 2, min(_MIN_SLOWED_DELAY_S, politeness.rules.first_wait_s))
            throttle.mindelay = min(doubled, _MAX_SLOWED_DELAY_S)
            downloader = politeness.crawler.engine.downloader
            for slot in downloader.slots.values():
                slot.delay = max(slot.delay, throttle.mindelay)
