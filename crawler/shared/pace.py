"""The pace of a shared crawl: all processes together ask a host no faster than one would, and no more at once."""

import asyncio
from secrets import token_hex
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.extensions.throttle import AutoThrottle
from scrapy.http import Response

from core.errors import ServiceUnavailable
from crawler.politeness.refusals import Postponed
from crawler.shared.frontier import SharedFrontier
from crawler.shared.link import SharedLink
from crawler.shared.scripts import RENEW, RESERVE

_META = "zhuiwen_pace"
# Asked again when another process's page may be there: a question costs 0.1 ms, a page of a near site takes 20 ms.
_RETRY_S = 0.02
_SLACK_S = 30.0  # beyond the time-out of a download: what a place is kept for where leases are longer than that


class SharedPace:
    """What a host may be asked next, in Redis. Raises ServiceUnavailable.

    The places of a process that died are free with its leases; until then each beat of a living one renews its own.
    """

    def __init__(self, link: SharedLink, concurrency: int, timeout_s: float, lease_s: float) -> None:
        self._link, self._concurrency = link, concurrency
        self._timeout_ms = int(min(timeout_s + _SLACK_S, lease_s) * 1000)
        self._held: dict[str, str] = {}  # ticket: host

    def reserve(self, host: str, ticket: str, delay_s: float) -> float | None:
        """Seconds until the request may go; None: as many as may are in flight."""
        delay_ms = max(0, round(delay_s * 1000))
        answer = int(self._link.run(RESERVE, self._keys(host), ticket, delay_ms, self._concurrency, self._timeout_ms))
        if answer < 0:
            return None
        self._held[ticket] = host
        return answer / 1000

    def renew(self) -> None:
        """Keep the places that are held; called by another thread, too."""
        held = list(self._held.items())
        for host in {host for _, host in held}:
            tickets = [ticket for ticket, its in held if its == host]
            self._link.run(RENEW, self._keys(host)[1:], self._timeout_ms, *tickets)

    def release(self, host: str, ticket: str) -> None:
        self._held.pop(ticket, None)
        self._link.call("ZREM", self._keys(host)[1], ticket)

    @staticmethod
    def _keys(host: str) -> tuple[str, str]:
        return f"zw:pace:{{{host}}}:next", f"zw:pace:{{{host}}}:flights"


class PaceMiddleware:
    """Scrapy's last downloader middleware before the network: pages, redirects, retries and robots.txt wait here."""

    def __init__(self, crawler: Any) -> None:
        self._crawler = crawler
        spider = crawler.spider
        frontier = spider.frontier
        assert isinstance(frontier, SharedFrontier)
        timeout_s = crawler.settings.getfloat("DOWNLOAD_TIMEOUT")
        self._pace = SharedPace(frontier.link, spider.plan.concurrency, timeout_s, frontier.lease_s)
        frontier.with_each_beat = self._pace.renew

    @classmethod
    def from_crawler(cls, crawler: Any) -> "PaceMiddleware":
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        host, ticket = urlsplit(request.url).netloc, token_hex(8)
        try:
            wait_s = self._pace.reserve(host, ticket, self._delay_s(request))
            while wait_s is None:
                await asyncio.sleep(_RETRY_S)
                wait_s = self._pace.reserve(host, ticket, self._delay_s(request))
        except ServiceUnavailable as fault:
            raise Postponed(str(fault)) from fault  # the page is not at fault; the next run fetches it
        request.meta[_META] = (host, ticket)
        if wait_s > 0:
            await asyncio.sleep(wait_s)

    def process_response(self, request: Request, response: Response) -> Response:
        self._release(request)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        self._release(request)

    def _release(self, request: Request) -> None:
        held = request.meta.pop(_META, None)
        if held is not None:
            try:
                self._pace.release(*held)
            except ServiceUnavailable:
                return  # it is free again when its time is over

    def _delay_s(self, request: Request) -> float:
        """That of the plan, or a longer one that robots.txt asks for or AutoThrottle has found."""
        engine = self._crawler.engine
        slot = engine.downloader.slots.get(engine.downloader.get_slot_key(request))
        throttle = self._crawler.get_extension(AutoThrottle)
        least = throttle.mindelay if throttle is not None else 0.0
        return max(self._spider_delay_s, least, slot.delay if slot is not None else 0.0)

    @property
    def _spider_delay_s(self) -> float:
        return float(self._crawler.spider.plan.delay_s)
