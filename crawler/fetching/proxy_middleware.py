"""Scrapy's downloader middleware that sends each request by one of the site's proxies, under one of its names.

Nothing is asked without a proxy where the site has some: an address that is to stay unknown stays so. A proxy resolves
names itself, out of reach of crawler.fetching.resolver; names and literal addresses are judged before all the same.
So is the proxy: a private one is an exception for one host and one port.
"""

import asyncio
import base64
from typing import Any

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import TunnelError
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
)
from scrapy.http import Response

from core.errors import UnsafeUrl
from core.hosts import Host, host_key
from core.politeness import Proxy
from core.states import Rejection
from crawler.fetching.addresses import AddressGuard
from crawler.fetching.names import names_of
from crawler.fetching.resolver import ALLOWED_SETTING
from crawler.politeness.keeper import Keeper
from crawler.politeness.refusals import Postponed, RequestRefused

PROXY_META, USER_AGENT_META = "zhuiwen_proxy", "zhuiwen_user_agent"
COUNTED_META = "zhuiwen_in_flight"
_WAIT_STEP_S = 0.2
_AUTHORIZATION = "Proxy-Authorization"
WANTS_LOGIN = 407
_OF_THE_PROXY = frozenset({WANTS_LOGIN, 502, 504})  # statuses that a proxy gives for itself
_FAULTS = (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    TunnelError,
)


class ProxyMiddleware:
    """The last before the download: also counts what is in flight and what came, for the budgets."""

    def __init__(self, crawler: Any) -> None:
        self._crawler = crawler
        self._guard = AddressGuard(crawler.settings.getlist(ALLOWED_SETTING))
        self._names = names_of(crawler.settings)
        self._sticky = ""  # the proxy of a session, which sites tie to an address
        self._user_agent = ""

    @classmethod
    def from_crawler(cls, crawler: Any) -> "ProxyMiddleware":
        return cls(crawler)

    @property
    def _keeper(self) -> Keeper:
        keeper = self._crawler.get_extension(Keeper)
        assert isinstance(keeper, Keeper)
        return keeper

    async def process_request(self, request: Request) -> None:
        """Raises Postponed where the crawl ends before the request may be made."""
        keeper = self._keeper
        if not keeper.has_budget():
            raise Postponed("the budget is used up")
        if not request.meta.get(COUNTED_META):
            request.meta[COUNTED_META] = True
            keeper.in_flight += 1
        request.headers.pop(_AUTHORIZATION, None)
        request.meta.pop("proxy", None)
        while keeper.proxies.members and not await self._through_proxy(request):
            keeper.hold_for_proxies()
            await asyncio.sleep(_WAIT_STEP_S)
            if keeper.is_ending or self._crawler.engine._slot.closing:
                raise Postponed("every proxy of the site rests after failures")
        self._under_name(request)

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """The response; the request once more where the proxy wanted a login, so that another one is asked."""
        keeper = self._keeper
        keeper.spent(len(response.body))  # before its place is free for another
        self._landed(request)
        proxy = request.meta.get(PROXY_META, "")
        if proxy and response.status in _OF_THE_PROXY:
            keeper.proxies.failed(proxy, keeper.now(), is_final=response.status == WANTS_LOGIN)
            if response.status == WANTS_LOGIN:
                return request.replace(dont_filter=True)
        elif proxy:
            keeper.proxies.succeeded(proxy)
        user_agent = request.meta.get(USER_AGENT_META, "")
        if user_agent and response.status < 400:
            keeper.user_agents.succeeded(user_agent)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        if self._landed(request):
            self._keeper.failed()
        proxy = request.meta.get(PROXY_META, "")
        if proxy and isinstance(exception, _FAULTS):
            is_refused = isinstance(exception, TunnelError) and "407" in str(exception)
            self._keeper.proxies.failed(proxy, self._keeper.now(), is_final=is_refused)
            if proxy == self._sticky:
                self._sticky = ""

    def _landed(self, request: Request) -> bool:
        """Whether the request had been made."""
        is_counted = bool(request.meta.pop(COUNTED_META, False))
        self._keeper.in_flight -= is_counted
        return is_counted

    async def _through_proxy(self, request: Request) -> bool:
        """Whether a proxy was found that may be used."""
        keeper = self._keeper
        now = keeper.now()
        previous = request.meta.get(PROXY_META, "")
        has_session = bool(keeper.politeness.login.steps or keeper.politeness.login.cookies)
        picked = keeper.proxies.pick(now, {previous} if previous != self._sticky else ())
        if has_session and self._sticky:
            same = next((entry for entry in keeper.proxies.awake(now) if entry[0] == self._sticky), None)
            picked = same or picked
        if picked is None:
            return False
        name, proxy = picked
        request.meta[PROXY_META] = name
        try:
            address = await self._address_of(proxy)
        except UnsafeUrl as fault:
            sentence = f"the proxy {proxy.place} is not used: {fault.reason}"
            keeper.end("no_proxy", sentence)
            raise Postponed(sentence) from fault
        if proxy.scheme == "https" and request.url.startswith("https:"):
            reason = f"the proxy {proxy.place} is spoken to by https, through which no page is fetched by https"
            raise RequestRefused(Rejection.NO_ANSWER, f"{request.url} is not fetched: {reason}; set it to http")
        self._sticky = name if has_session else ""
        # Where a tunnel begins is looked up without its port, which the resolver needs for its judgement.
        place = address if request.url.startswith("https:") else proxy.place
        request.meta["proxy"] = f"{proxy.scheme}://{place}"
        if proxy.user:
            request.headers[_AUTHORIZATION] = _basic(proxy)
        return True

    async def _address_of(self, proxy: Proxy) -> str:
        """Address and port at which the proxy may be spoken to. Raises UnsafeUrl; CannotResolveHostError."""
        url = f"{proxy.scheme}://{proxy.place}/"
        self._guard.check_url(url)
        host, port = host_key(url)
        try:
            addresses = await asyncio.to_thread(self._names.addresses, host, port)
        except (OSError, UnicodeError) as error:
            raise CannotResolveHostError(f"the proxy {proxy.place} is not known") from error
        return str(Host(self._guard.allowed(url, host, port, addresses)[0], port))

    def _under_name(self, request: Request) -> None:
        """The same user agent until the site refuses it: a browser does not change its name from page to page."""
        pool = self._keeper.user_agents
        if not pool.members:
            return
        awake = [name for name, _ in pool.awake(self._keeper.now())]
        if self._user_agent not in awake:
            self._user_agent = awake[0] if awake else pool.members[0][0]
        request.meta[USER_AGENT_META] = self._user_agent
        request.headers["User-Agent"] = self._user_agent


class CookiesSetMiddleware:
    """Brings the cookies that the operator set, once for each host of the site; then they are the site's to change."""

    def __init__(self, crawler: Any) -> None:
        self._spider = crawler.spider
        self._given: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Any) -> "CookiesSetMiddleware":
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        cookies = self._spider.plan.politeness.login.cookies
        host = request.url.split("/", 3)[2]
        if cookies and host not in self._given and self._spider.scope.is_on_site(request.url):
            self._given.add(host)
            request.cookies = dict(cookies)


def _basic(proxy: Proxy) -> bytes:
    return b"Basic " + base64.b64encode(f"{proxy.user}:{proxy.password}".encode())
