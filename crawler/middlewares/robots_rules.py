"""Obeys robots.txt: its rules and its crawl delay."""

from typing import Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import CannotResolveHostError, DownloadConnectionRefusedError, IgnoreRequest
from scrapy.extensions.throttle import AutoThrottle
from scrapy.http import Response
from scrapy.robotstxt import ProtegoRobotParser
from twisted.python.failure import Failure

from core.states import Rejection
from core.wording import Message
from crawler.context import get_context
from crawler.frontier import ROBOTS
from crawler.opening import Rejected
from crawler.politeness.refusals import Postponed, RequestRefused, explain
from crawler.readers.messages import Call
from crawler.sources.sitemaps import MAX_ROBOTS_BYTES, read_robots

MIN_SERVER_ERROR = 500
MAX_DELAY_S = 60.0  # between two requests, however slow the site is and whatever its robots.txt demands

# Failures after which a site counts as one without robots.txt, which permits everything (RFC 9309, 2.3.1.2 and
# 2.3.1.3).
_UNAVAILABLE = (
    None,
    Rejection.UNSAFE_ADDRESS,
    Rejection.OFF_SITE,
    Rejection.REDIRECT_LOOP,
    Rejection.NOT_HTML,
    Rejection.HTTP_ERROR,
)

_NO_HOST = (CannotResolveHostError, DownloadConnectionRefusedError)  # there is no server that could send a page


class RobotsMiddleware(RobotsTxtMiddleware):
    """Scrapy's robots.txt middleware, which also counts forbidden URLs.

    An unreachable robots.txt forbids everything in this crawl. RFC 9309, 2.3.1.4, requires this for a status of 500 and
    above and for a missing or incomplete response. A robots.txt that cannot be parsed is treated in the same way. The
    spider, which looks for sitemaps in robots.txt, gets the copy that was fetched for the rules.
    """

    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        self._answers: dict[str, Response] = {}  # responses by host and port
        self._unreadable: dict[str, Message] = {}  # reasons by host and port
        self._failed: dict[str, Exception] = {}  # errors of the requests by host and port

    async def process_request(  # type: ignore[override]
        self, request: Request, spider: Any = None
    ) -> Response | None:
        target = request.cb_kwargs.get("target")
        if target is None or target.kind != ROBOTS:
            await super().process_request(request)
            return None
        await self.robot_parser(request)
        self._require_fetched(request)
        answer = self._answers.get(urlsplit(request.url).netloc)
        if answer is None or answer.status >= MIN_SERVER_ERROR:
            raise RequestRefused(None)
        return Response(answer.url, answer.status, body=answer.body)

    def process_request_2(self, rp: Any, request: Request) -> None:
        self._require_fetched(request)
        answer = self._answers.get(urlsplit(request.url).netloc)
        if answer is not None and answer.status >= MIN_SERVER_ERROR:
            raise RequestRefused(Rejection.ROBOTS, "fetch.robots-status", url=request.url, status=answer.status)
        if reason := self._unreadable.get(urlsplit(request.url).netloc):
            raise RequestRefused(Rejection.ROBOTS, "fetch.robots-unreadable", url=request.url, reason=reason)
        try:
            super().process_request_2(rp, request)
        except IgnoreRequest as fault:
            raise RequestRefused(Rejection.ROBOTS, "fetch.robots", url=request.url) from fault

    def _require_fetched(self, request: Request) -> None:
        """Raise RequestRefused if robots.txt could not be fetched, or Postponed if its request was postponed."""
        fault = self._failed.get(urlsplit(request.url).netloc)
        if fault is None:
            return
        if isinstance(fault, Postponed):
            raise Postponed(fault.message)
        settings = get_context(self.crawler).settings
        url = request.url if isinstance(fault, _NO_HOST) else urljoin(request.url, "/robots.txt")
        failure = Failure(fault)  # type: ignore[no-untyped-call]
        reason, message = explain(failure, url, settings.timeout_s, settings.max_body_bytes)
        if isinstance(fault, _NO_HOST):
            raise RequestRefused(reason, message)
        if reason not in _UNAVAILABLE:
            raise RequestRefused(reason, "fetch.robots-unreachable", url=request.url, reason=message)

    def _robots_error(self, exc: Exception, netloc: str) -> None:
        self._failed[netloc] = exc
        super()._robots_error(exc, netloc)

    async def _parse_robots(self, response: Response, netloc: str, request: Request) -> None:
        # Hosts that only serve resources are not searched for sitemaps, so the body is dropped.
        kept = response.body[:MAX_ROBOTS_BYTES] if request.cb_kwargs.get("target") is not None else b""
        self._answers[netloc] = Response(response.url, response.status, body=kept)
        rules = ProtegoRobotParser(b"", self.crawler.spider)
        read = await get_context(self.crawler).reader.run(Call(response.url, read_robots, (response.body,)))
        if isinstance(read, Rejected):
            self._unreadable[netloc] = read.message
        else:
            rules.rp = read
        self._obey_crawl_delay(rules)
        waiting: Any = self._parsers[netloc]
        self._parsers[netloc] = rules
        waiting.callback(rules)

    def _obey_crawl_delay(self, rules: ProtegoRobotParser) -> None:
        """Make the crawl no faster than robots.txt allows, up to a delay of MAX_DELAY_S."""
        wanted_s = min(rules.crawl_delay(self._robotstxt_useragent or "") or 0.0, MAX_DELAY_S)
        throttle, engine = self.crawler.get_extension(AutoThrottle), self.crawler.engine
        if throttle is not None and engine is not None:
            throttle.mindelay = max(throttle.mindelay, wanted_s)
            engine.downloader._delay = throttle.mindelay
