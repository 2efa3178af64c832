"""Keeps a crawl polite while it runs: hours, pauses, budgets, sessions; and ends it with a reason where it must."""

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from scrapy import signals
from scrapy.extensions.throttle import AutoThrottle

from core.clock import SystemClock
from core.errors import ServiceUnavailable
from core.politeness import BanAction
from core.ports import Clock
from crawler.fetching.proxies import Pool
from crawler.politeness.bans import Ban, needs_rest
from crawler.politeness.budgets import BYTES_A_RUN, PAGES_A_DAY, Usage
from crawler.politeness.sessions import LoginFailed, Session
from crawler.politeness.windows import Windows
from crawler.shared.budget import SharedClock, SharedUsage

log = logging.getLogger("zhuiwen.crawl")

JOB_DIR_SETTING = "ZHUIWEN_JOB_DIR"
BANNED, OUTSIDE_WINDOW, BUDGET, BYTE_LIMIT = "banned", "outside_window", "budget", "byte_limit"
STORE_AWAY = "store_unavailable"
LOGIN_FAILED, ASKED_TO_WAIT, NO_PROXY, FAULT = "login_failed", "asked_to_wait", "no_proxy", "fault"
# A pause that a process sits out; a longer one frees the process for another site. Chosen: to start one takes 2 s.
MAX_PAUSE_S = 600.0
# No page between ten refusals: the site does not want the crawl, and more requests make it worse.
MAX_BANS_IN_A_ROW = 10
MAX_LOGINS = 20  # in one crawl; a session that ends after each page is none
_MIN_SLOWED_DELAY_S, _MAX_SLOWED_DELAY_S = 1.0, 60.0
_STEP_S = 0.05


class Keeper:
    """One for a crawl. Middlewares tell it what they saw; it pauses the engine, goes on, or closes the spider."""

    def __init__(self, crawler: Any, clock: Clock | None = None) -> None:
        self._crawler, self._spider = crawler, crawler.spider
        frontier = self._spider.frontier
        self._clock = clock or (SharedClock(frontier.link) if frontier.is_shared else SystemClock())
        plan = self._spider.plan
        self.politeness = plan.politeness
        folder = crawler.settings.get(JOB_DIR_SETTING)
        self.windows = Windows(self.politeness.windows, self.politeness.zone)
        self.usage = self._usage(Path(folder) if folder else None)
        self.proxies = Pool([(proxy.place, proxy) for proxy in self.politeness.proxies])
        self.user_agents = Pool([(name, name) for name in self.politeness.user_agents])
        for proxy in self.politeness.proxies:
            self.proxies.health[proxy.place].cools_until = proxy.cools_until
        self.session = Session(self.politeness.login, self._spider.scope)
        self.in_flight = 0
        self._bans_in_a_row = 0
        self.logins = 0
        self._needs_login = bool(self.politeness.login.steps)
        self._hold_until: datetime | None = None
        self._hold_reason = ""
        self._watch: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Any) -> "Keeper":
        keeper = cls(crawler)
        crawler.signals.connect(keeper.open, signal=signals.spider_opened)
        crawler.signals.connect(keeper.close, signal=signals.spider_closed)
        return keeper

    @property
    def is_ending(self) -> bool:
        return self._ending is not None

    def now(self) -> datetime:
        return self._clock.now()

    def open(self) -> None:
        """Before the first request: hold it back where the site may not be asked yet."""
        self._crawler.engine.pause()
        self._watch = asyncio.ensure_future(self._keep())

    def close(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
        self.usage.close()
        counts = self._spider.tally.counts
        counts.proxies = {name: health.as_dict() for name, health in self.proxies.health.items()}
        counts.user_agents = {name: health.as_dict() for name, health in self.user_agents.health.items()}
        self._spider.tally.tell(is_last=True)

    def has_budget(self) -> bool:
        """Whether one more request may be made; where not, the crawl ends."""
        try:
            limit = self.usage.begin(self.windows.day(self.now()), self.in_flight)
        except ServiceUnavailable as fault:
            self.end(STORE_AWAY, str(fault))
            return False
        if not limit:
            return True
        if limit == BYTES_A_RUN:
            self.end(BYTE_LIMIT, f"the crawl has fetched {self.politeness.budget.bytes_a_run:,} bytes, its budget")
        else:
            what = "pages" if limit == PAGES_A_DAY else "bytes"
            number = getattr(self.politeness.budget, limit)
            sentence = f"the site's budget of {number:,} {what} a day is used up; the crawl goes on tomorrow"
            self.end(BUDGET, sentence, self.windows.next_day(self.now()))
        return False

    def spent(self, size: int) -> None:
        self.usage.add(self.windows.day(self.now()), size)

    def failed(self) -> None:
        """A request that had budget came to nothing."""
        self.usage.end(self.windows.day(self.now()))

    def good_page(self) -> None:
        """An answer that is a page: what came before it was no ban for good."""
        self._bans_in_a_row = 0

    def banned(self, ban: Ban, sentence: str, wait_s: float | None, proxy: str, user_agent: str) -> None:
        """A refusal: rest, change, log in again or end, as its rule says."""
        self._bans_in_a_row += 1
        action = ban.rule.action
        self._spider.tally.add_fault(sentence)
        if action is BanAction.STOP:
            self.end(BANNED, f"the crawl ends: {sentence}")
        elif self._bans_in_a_row >= MAX_BANS_IN_A_ROW:
            self.end(BANNED, f"the crawl ends after {MAX_BANS_IN_A_ROW} refusals in a row: {sentence}")
        elif action is BanAction.LOGIN and self.politeness.login.steps:
            self._needs_login = True
            self._crawler.engine.pause()
        elif action is BanAction.ROTATE and wait_s is None and self._rotated(proxy, user_agent):
            return
        elif needs_rest(action) or wait_s is not None:
            self._slow_down()
            backoff_s = self.politeness.first_wait_s * 2.0 ** (self._bans_in_a_row - 1)
            pause_s = min(backoff_s, MAX_PAUSE_S) if wait_s is None else wait_s
            self.hold(pause_s, sentence)
            self._spider.frontier.hold(pause_s)

    def hold(self, seconds: float, reason: str) -> None:
        """Make no request for so long."""
        until = self.now() + timedelta(seconds=seconds)
        if self._hold_until is None or until > self._hold_until:
            self._hold_until, self._hold_reason = until, reason
        self._crawler.engine.pause()

    def hold_for_proxies(self) -> None:
        """All proxies rest; nothing is asked without one."""
        wakes = self.proxies.wakes() or self.now()
        self.hold(max((wakes - self.now()).total_seconds(), _STEP_S), "every proxy of the site rests after failures")

    def end(self, reason: str, sentence: str, resume_at: datetime | None = None) -> None:
        """Close the spider. What is not done stays in the journal; `resume_at` says when it goes on by itself."""
        if self._ending is not None:
            return
        counts = self._spider.tally.counts
        counts.end_sentence = sentence
        counts.resume_at = resume_at.isoformat() if resume_at else ""
        self._spider.tally.add_fault(sentence)
        self._ending = asyncio.ensure_future(self._crawler.engine.close_spider_async(reason=reason))

    def _usage(self, folder: Path | None) -> Usage:
        plan, frontier = self._spider.plan, self._spider.frontier
        if not frontier.is_shared:
            return Usage(self.politeness.budget, plan.run_id, folder)
        flight_s = MAX_PAUSE_S + float(self._crawler.settings.getfloat("DOWNLOAD_TIMEOUT"))
        return SharedUsage(self.politeness.budget, plan.run_id, frontier.link, plan.site_id, flight_s)

    def _rotated(self, proxy: str, user_agent: str) -> bool:
        """Whether there is another proxy or user agent to go on with."""
        now = self.now()
        if proxy:
            self.proxies.failed(proxy, now, is_final=True)
        if user_agent:
            self.user_agents.failed(user_agent, now, is_final=True)
        pools = [pool for pool in (self.proxies, self.user_agents) if pool.members]
        return any(pool.pick(now) is not None for pool in pools)

    def _slow_down(self) -> None:
        throttle = self._crawler.get_extension(AutoThrottle)
        if throttle is not None:
            doubled = max(throttle.mindelay * 2, min(_MIN_SLOWED_DELAY_S, self.politeness.first_wait_s))
            throttle.mindelay = min(doubled, _MAX_SLOWED_DELAY_S)
            downloader = self._crawler.engine.downloader
            for slot in downloader.slots.values():
                slot.delay = max(slot.delay, throttle.mindelay)

    async def _keep(self) -> None:
        while not self.is_ending:
            try:
                if await self._may_go_on():
                    self._crawler.engine.unpause()
                    nextcall = self._crawler.engine._slot and self._crawler.engine._slot.nextcall
                    if nextcall:
                        nextcall.schedule()
            except LoginFailed as fault:
                self.end(LOGIN_FAILED, str(fault))
            except Exception as fault:  # a crawl that nobody lets go on would never end
                log.exception("the crawl could not be kept")
                self.end(FAULT, f"the crawl ends: {type(fault).__name__}; please report this")
            await asyncio.sleep(_STEP_S)

    async def _may_go_on(self) -> bool:
        """Whether requests may be made now; sees to it that they are not where they may not."""
        now = self.now()
        if self._hold_until is not None and now >= self._hold_until:
            self._hold_until = None
        opens = self.windows.opens(now)
        until = max((moment for moment in (self._hold_until, opens) if moment is not None), default=now)
        if until > now:
            self._crawler.engine.pause()
            if (until - now).total_seconds() > MAX_PAUSE_S:
                self._leave(until, opens > now)
            return False
        if self._needs_login:
            self._crawler.engine.pause()
            await self._log_in()
        return True

    def _leave(self, until: datetime, is_outside: bool) -> None:
        if is_outside:
            sentence = f"the site may be crawled at {self.politeness.windows} only; the crawl goes on then"
            self.end(OUTSIDE_WINDOW, sentence, until)
        else:
            reason = NO_PROXY if self.proxies.members and "proxy" in self._hold_reason else ASKED_TO_WAIT
            self.end(reason, f"the crawl waits longer than {MAX_PAUSE_S:.0f} s: {self._hold_reason}", until)

    async def _log_in(self) -> None:
        self.logins += 1
        if self.logins > MAX_LOGINS:
            raise LoginFailed(f"the session ended {MAX_LOGINS} times; the login does not last")
        download: Callable[..., Any] = self._crawler.engine.download_async
        for told in await self.session.open(download):
            log.info("%s", told)
        self._needs_login = False
