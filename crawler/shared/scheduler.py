"""Scrapy's scheduler for a shared crawl: it takes from the frontier in Redis what the engine has room for, and no more.

What belongs to a page that this process has in hand (redirects, retries, further parts) never leaves the process.
"""

import asyncio
import heapq
import itertools
from typing import Any

from scrapy import Request, signals
from scrapy.core.scheduler import BaseScheduler
from twisted.internet.defer import Deferred

from core.errors import ServiceUnavailable
from crawler.frontier import ADDRESS, Target
from crawler.politeness.keeper import STORE_AWAY
from crawler.shared.frontier import SharedFrontier
from crawler.shared.heartbeat import BEATS_A_LEASE

_LEASED = "zhuiwen_leased"
FRONTIER_GONE = "frontier_gone"
# Times the number of requests at once: pages that were fetched and wait to be read are in hand, too. They would be
# fetched again after a kill, and are better left to a process that is less busy.
MAX_IN_HAND = 2
# How often a process that has nothing to do asks whether the others have found something. Chosen: a page takes about as
# long, and a question 0.1 ms of Redis.
POLL_S = 0.2
_GONE = "Redis has lost what was left of this crawl (emptied, or restarted without its data); crawl the site again"


class SharedScheduler(BaseScheduler):
    """One for a process of a shared crawl; `crawler.run` sets it where the spider's frontier is a shared one."""

    def __init__(self, crawler: Any) -> None:
        self._crawler = crawler
        self._spider = crawler.spider
        self._own: list[tuple[int, int, Request]] = []
        self._order = itertools.count()
        self._calls: dict[str, Any] = {}
        self._is_over = False
        self._ending: asyncio.Task[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Any) -> "SharedScheduler":
        scheduler = cls(crawler)
        crawler.signals.connect(scheduler.stop_calls, signal=signals.spider_closed)
        return scheduler

    @property
    def _frontier(self) -> SharedFrontier:
        frontier = self._spider.frontier
        assert isinstance(frontier, SharedFrontier)
        return frontier

    def open(self, spider: Any) -> Deferred[None] | None:
        self._spider = spider
        self._turn()
        return None

    def close(self, reason: str) -> Deferred[None] | None:
        self._is_over = True
        return None

    def stop_calls(self) -> None:
        self._is_over = True
        for call in self._calls.values():
            if call.active():
                call.cancel()

    def enqueue_request(self, request: Request) -> bool:
        """Keep what belongs to a page in hand; a new address is in Redis already, where whoever is free takes it."""
        if ADDRESS not in request.meta or _LEASED in request.meta:
            heapq.heappush(self._own, (-request.priority, next(self._order), request))
        return True

    def next_request(self) -> Request | None:
        if self._own:
            return heapq.heappop(self._own)[2]
        if not self._frontier.may_take:
            self._call_later("poll", POLL_S, self._wake)
            return None
        if self._is_over or self._frontier.in_hand >= MAX_IN_HAND * self._spider.plan.concurrency:
            return None
        try:
            answer, target = self._frontier.take()
        except ServiceUnavailable as fault:
            self._end(STORE_AWAY, str(fault))
            return None
        if target is not None:
            return self._leased(target)
        if answer == "gone":
            self._end(FRONTIER_GONE, _GONE)
        self._call_later("poll", POLL_S, self._wake)
        return None

    def has_pending_requests(self) -> bool:
        """Whether this process should stay. What it holds when nothing is in flight it can no longer do."""
        if self._own or self._crawler.engine._slot.inprogress:
            return True
        if self._is_over:
            return False
        if not self._frontier.may_take:
            return True
        try:
            self._frontier.park()
            answer, target = self._frontier.take()
        except ServiceUnavailable as fault:
            self._end(STORE_AWAY, str(fault))
            return False
        if target is not None:
            heapq.heappush(self._own, (0, next(self._order), self._leased(target)))
            self._call_later("wake", 0, self._wake)
        return target is not None or answer == "wait"

    def _leased(self, target: Target) -> Request:
        request = self._spider._request(target)
        assert isinstance(request, Request)
        request.meta[_LEASED] = True  # redirects and retries take it over
        return request

    def _end(self, reason: str, sentence: str) -> None:
        """End this process's part in order; what it holds is left to the others, or to the next run."""
        self._is_over = True
        self._spider.tally.add_fault(sentence)
        self._spider.tally.counts.end_sentence = sentence
        self._ending = asyncio.ensure_future(self._crawler.engine.close_spider_async(reason=reason))

    def _turn(self) -> None:
        if self._frontier.heartbeat is not None:
            self._frontier.heartbeat.turn()
        self._calls.pop("turn", None)
        self._call_later("turn", self._frontier.lease_s / BEATS_A_LEASE, self._turn)

    def _wake(self) -> None:
        slot = self._crawler.engine._slot
        if slot is not None and slot.closing is None:
            slot.nextcall.schedule()

    def _call_later(self, name: str, seconds: float, call: Any) -> None:
        from twisted.internet import reactor  # only now is it the one that Scrapy chose

        clock: Any = reactor
        known = self._calls.get(name)
        if known is None or not known.active():
            self._calls[name] = clock.callLater(seconds, call)
