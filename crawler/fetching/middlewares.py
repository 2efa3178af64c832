"""Scrapy's downloader middlewares, with every refusal under its reason, and the guard of addresses before all."""

import asyncio
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware, RedirectMiddleware
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import CannotResolveHostError, IgnoreRequest
from scrapy.extensions.throttle import AutoThrottle
from scrapy.http import Response
from scrapy.robotstxt import ProtegoRobotParser

from core.errors import UnsafeUrl
from core.hosts import host_key
from core.states import Rejection
from crawler.fetching.addresses import AddressGuard
from crawler.fetching.bodies import MAX_CODINGS, archive_kind, declares_entities, swells
from crawler.fetching.names import Names, names_of
from crawler.fetching.resolver import ALLOWED_SETTING, refusal_of
from crawler.frontier import PAGE, ROBOTS
from crawler.politeness.refusal_middlewares import TIMES_META
from crawler.politeness.refusals import RequestRefused
from crawler.politeness.sessions import LOGIN_META
from crawler.reading import Rejected
from crawler.sources.robots import MAX_ROBOTS_BYTES, RobotsToRead
from crawler.urls import canonical

MIN_SERVER_ERROR = 500
MAX_DELAY_S = 60.0  # between two requests, however slow a site is and whatever its robots.txt wants


class AddressMiddleware:
    """Refuses requests to addresses that must not be fetched: start URLs, links, robots.txt, and every redirect.

    It gives the operator a reason; what enforces it is crawler.fetching.resolver, at the moment of connecting.
    """

    def __init__(self, guard: AddressGuard, names: Names) -> None:
        self._guard, self._names = guard, names
        self._refused: dict[tuple[str, int], UnsafeUrl | None] = {}

    @classmethod
    def from_crawler(cls, crawler: Any) -> "AddressMiddleware":
        return cls(AddressGuard(crawler.settings.getlist(ALLOWED_SETTING)), names_of(crawler.settings))

    async def process_request(self, request: Request) -> None:
        try:
            self._guard.check_url(request.url)
        except UnsafeUrl as fault:
            raise RequestRefused(Rejection.UNSAFE_ADDRESS, str(fault)) from fault
        key = host_key(request.url)
        if key not in self._refused:
            self._refused[key] = await self._fault_of(request.url, *key)
        refused = self._refused[key]
        if refused is not None:
            raise RequestRefused(Rejection.UNSAFE_ADDRESS, f"{request.url} is not fetched: {refused.reason}")

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Raises RequestRefused for a name that had an address to fetch when it was asked first, and has none now."""
        if not isinstance(exception, CannotResolveHostError):
            return
        reason = refusal_of(request.url)
        if reason:
            raise RequestRefused(Rejection.UNSAFE_ADDRESS, f"{request.url} is not fetched: {reason}")

    async def _fault_of(self, url: str, host: str, port: int) -> UnsafeUrl | None:
        """Why none of the host's addresses may be fetched; None when one may, or when the host has none."""
        try:
            found = await asyncio.to_thread(self._names.addresses, host, port)
        except (OSError, UnicodeError):
            return None
        try:
            self._guard.allowed(url, host, port, found)
        except UnsafeUrl as fault:
            return fault if found else None
        return None


class RobotsMiddleware(RobotsTxtMiddleware):
    """Scrapy's, counting what robots.txt forbids; a server that fails to say what it forbids forbids all for now.

    That is RFC 9309, 2.3.1.4; the next crawl asks again. So does one whose rules cannot be read. The spider, which
    looks for sitemaps in robots.txt, gets what was fetched for the rules.
    """

    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        self._answers: dict[str, Response] = {}  # by host and port
        self._unreadable: dict[str, str] = {}  # why, by host and port

    async def process_request(  # type: ignore[override]
        self, request: Request, spider: Any = None
    ) -> Response | None:
        target = request.cb_kwargs.get("target")
        if target is None or target.kind != ROBOTS:
            await super().process_request(request)
            return None
        await self.robot_parser(request)
        answer = self._answers.get(urlsplit(request.url).netloc)
        if answer is None or answer.status >= MIN_SERVER_ERROR:
            raise RequestRefused(None)
        return Response(answer.url, answer.status, body=answer.body)

    def process_request_2(self, rp: Any, request: Request) -> None:
        answer = self._answers.get(urlsplit(request.url).netloc)
        if answer is not None and answer.status >= MIN_SERVER_ERROR:
            sentence = (
                f"{request.url} is not fetched: the site's robots.txt answers with HTTP status {answer.status}, which "
                "forbids everything for now; the next crawl asks again"
            )
            raise RequestRefused(Rejection.ROBOTS, sentence)
        if reason := self._unreadable.get(urlsplit(request.url).netloc):
            sentence = f"{request.url} is not fetched: {reason}, which forbids everything for now"
            raise RequestRefused(Rejection.ROBOTS, f"{sentence}; the next crawl asks again")
        try:
            super().process_request_2(rp, request)
        except IgnoreRequest as fault:
            raise RequestRefused(
                Rejection.ROBOTS, f"{request.url} is not fetched: the site's robots.txt forbids it"
            ) from fault

    async def _parse_robots(self, response: Response, netloc: str, request: Request) -> None:
        # Of a host that only style sheets come from nobody looks for sitemaps: its body need not stay.
        kept = response.body[:MAX_ROBOTS_BYTES] if request.cb_kwargs.get("target") is not None else b""
        self._answers[netloc] = Response(response.url, response.status, body=kept)
        spider: Any = self.crawler.spider
        rules = ProtegoRobotParser(b"", spider)
        read = await spider.reader.run(RobotsToRead(response.url, response.body))
        if isinstance(read, Rejected):
            self._unreadable[netloc] = read.sentence
        else:
            rules.rp = read
        self._obey_crawl_delay(rules)
        waiting: Any = self._parsers[netloc]
        self._parsers[netloc] = rules
        waiting.callback(rules)

    def _obey_crawl_delay(self, rules: ProtegoRobotParser) -> None:
        """Never ask faster than robots.txt wants, within reason."""
        wanted_s = min(rules.crawl_delay(self._robotstxt_useragent or "") or 0.0, MAX_DELAY_S)
        throttle, engine = self.crawler.get_extension(AutoThrottle), self.crawler.engine
        if throttle is not None and engine is not None:
            throttle.mindelay = max(throttle.mindelay, wanted_s)
            engine.downloader._delay = throttle.mindelay


class CompressionMiddleware(HttpCompressionMiddleware):
    """Scrapy's, counting bodies that are not what they should be: swollen, coded again and again, archives, bombs."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        codings = b",".join(response.headers.getlist("Content-Encoding")).count(b",") + 1
        if codings > MAX_CODINGS:
            raise RequestRefused(Rejection.TOO_LARGE, f"{request.url} is compressed {codings} times over")
        sentence = f"{request.url} grows beyond the limit when decompressed; raise ZHUIWEN_MAX_BODY_BYTES to read it"
        try:
            plain = super().process_response(request, response)
        except IgnoreRequest as fault:
            raise RequestRefused(Rejection.TOO_LARGE, sentence) from fault
        if isinstance(plain, Response):
            _require_plain(request, len(response.body), plain)
        return plain


def _require_plain(request: Request, size: int, plain: Response) -> None:
    """Raises RequestRefused for a body that nothing of ours is to open; `size` is what came over the wire."""
    if swells(size, len(plain.body)):
        ratio = len(plain.body) // max(size, 1)
        sentence = f"{request.url} grows to {ratio} times its size when decompressed, which no page does"
        raise RequestRefused(Rejection.TOO_LARGE, sentence)
    target = request.cb_kwargs.get("target")
    kind = archive_kind(plain.body, may_be_gzip=target is None or target.kind != PAGE)
    if kind:
        raise RequestRefused(Rejection.NOT_HTML, f"{request.url} is no web page: it is an archive ({kind})")
    if declares_entities(plain.body):
        sentence = f"{request.url} declares entities of its own, which can stand for gigabytes"
        raise RequestRefused(Rejection.NOT_HTML, sentence)


class RedirectsMiddleware(RedirectMiddleware):
    """Scrapy's redirects by HTTP status: targets stay on the site, are not fetched twice, and circles are named."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        try:
            return _admitted(self.crawler.spider, request, super().process_response(request, response))
        except IgnoreRequest as fault:
            raise _named(fault, request) from fault


class RefreshesMiddleware(MetaRefreshMiddleware):
    """Scrapy's redirects by a meta tag, under the same rules."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        try:
            return _admitted(self.crawler.spider, request, super().process_response(request, response))
        except IgnoreRequest as fault:
            raise _named(fault, request) from fault


def _named(fault: IgnoreRequest, request: Request) -> RequestRefused:
    """Scrapy's own refusal of a redirect has one reason: too many of them."""
    if isinstance(fault, RequestRefused):
        return fault
    return RequestRefused(Rejection.REDIRECT_LOOP, f"{_first(request)} redirects without end")


def _admitted(spider: Any, request: Request, answer: Request | Response) -> Request | Response:
    """The answer itself. Raises RequestRefused for a redirect to where the crawl must not go, or has been."""
    target = request.cb_kwargs.get("target")
    if not isinstance(answer, Request) or (target is None and LOGIN_META not in request.meta):
        return answer
    try:
        spider.guard.check_url(answer.url)
    except UnsafeUrl as fault:
        raise RequestRefused(
            Rejection.UNSAFE_ADDRESS, f"{_first(answer)} redirects to what is refused: {fault}"
        ) from fault
    if not spider.scope.is_on_site(answer.url):
        host = urlsplit(answer.url).netloc
        raise RequestRefused(Rejection.OFF_SITE, f"{_first(answer)} redirects to {host}, which is not part of the site")
    if target is None:
        return answer
    # Once more to the same address is how some sites see whether cookies are kept; twice more is a circle.
    times_been = [canonical(url) for url in answer.meta.get("redirect_urls", [])].count(canonical(answer.url))
    if times_been > 1:
        raise RequestRefused(Rejection.REDIRECT_LOOP, f"{_first(answer)} redirects in a circle")
    is_known = times_been or TIMES_META in answer.meta  # a page that was refused goes the same way again
    if not is_known and not spider.frontier.pass_by(answer.url, target.url):
        raise RequestRefused(None)
    return answer


def _first(request: Request) -> str:
    return str((request.meta.get("redirect_urls") or [request.url])[0])
