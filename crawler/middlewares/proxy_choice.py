"""The downloader middleware that sends each request through one of the site's proxies, with one of its user agents.

If the site has proxies, no request is made without one, so that the site does not learn the operator's own address. A
proxy resolves names itself, without crawler.fetching.resolver, so names and literal addresses are checked before. The
proxy is checked, too: a private one is allowed only as an exception for one host and one port.
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
from core.wording import Message
from crawler.context import CrawlContext, get_context
from crawler.fetching.addresses import AddressGuard
from crawler.fetching.names import make_resolver
from crawler.fetching.proxies import PROXY_META, USER_AGENT_META
from crawler.fetching.resolver import ALLOWED_SETTING
from crawler.politeness.extension import get_politeness
from crawler.politeness.refusals import Postponed, RequestRefused
from crawler.stats import NO_PROXY

COUNTED_META = "zhuiwen_in_flight"
_WAIT_STEP_S = 0.2
_AUTHORIZATION = "Proxy-Authorization"
WANTS_LOGIN = 407
_OF_THE_PROXY = frozenset({WANTS_LOGIN, 502, 504})  # status codes of responses by the proxy itself
_FAULTS = (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    TunnelError,
)


class ProxyMiddleware:
    """Chooses the proxy and user agent of a request.

    As the last middleware, it also counts requests and responses for the budgets.
    """

    def __init__(self, crawler: Any) -> None:
        self._crawler = crawler
        self._guard = AddressGuard(crawler.settings.getlist(ALLOWED_SETTING))
        self._names = make_resolver(crawler.settings)
        self._sticky = ""  # the proxy of the session; sites tie sessions to an address
        self._user_agent = ""

    @classmethod
    def from_crawler(cls, crawler: Any) -> "ProxyMiddleware":
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Choose the proxy of a request. Raises Postponed if the crawl ends before the request may be made."""
        politeness = get_politeness(self._crawler)
        if not politeness.has_budget():
            raise Postponed("crawl.budget-used-up")
        if not request.meta.get(COUNTED_META):
            request.meta[COUNTED_META] = True
            politeness.in_flight += 1
        request.headers.pop(_AUTHORIZATION, None)
        request.meta.pop("proxy", None)
        while politeness.proxies.members and not await self._set_proxy(request):
            politeness.hold_for_proxies()
            await asyncio.sleep(_WAIT_STEP_S)
            if politeness.is_ending or self._crawler.engine._slot.closing:
                raise Postponed("crawl.proxies-rest")
        self._set_user_agent(request)

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """Return the response, or the request again, for another proxy, if this proxy required a login."""
        politeness = get_politeness(self._crawler)
        politeness.note_fetch(response.url, len(response.body))  # counted before the next request may start
        self._note_landing(request)
        proxy = request.meta.get(PROXY_META, "")
        if proxy and response.status in _OF_THE_PROXY:
            politeness.proxies.note_failure(proxy, politeness.now(), is_final=response.status == WANTS_LOGIN)
            if response.status == WANTS_LOGIN:
                return request.replace(dont_filter=True)
        elif proxy:
            politeness.proxies.note_success(proxy)
        user_agent = request.meta.get(USER_AGENT_META, "")
        if user_agent and response.status < 400:
            politeness.user_agents.note_success(user_agent)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        self._note_landing(request)
        politeness, proxy = get_politeness(self._crawler), request.meta.get(PROXY_META, "")
        if proxy and isinstance(exception, _FAULTS):
            # If a proxy opens no tunnel, Scrapy reports its status only as text.
            wants_login = isinstance(exception, TunnelError) and f"'status': {WANTS_LOGIN}" in str(exception)
            politeness.proxies.note_failure(proxy, politeness.now(), is_final=wants_login)
            if proxy == self._sticky:
                self._sticky = ""

    def _note_landing(self, request: Request) -> None:
        """Record that a request is no longer in flight. A request that was not counted is ignored."""
        get_politeness(self._crawler).in_flight -= bool(request.meta.pop(COUNTED_META, False))

    async def _set_proxy(self, request: Request) -> bool:
        """Set the proxy of a request. Return False if all are paused or none may be used."""
        politeness = get_politeness(self._crawler)
        now = politeness.now()
        previous = request.meta.get(PROXY_META, "")
        has_session = bool(politeness.rules.login.steps or politeness.rules.login.cookies)
        picked = politeness.proxies.pick(now, {previous} if previous != self._sticky else ())
        if has_session and self._sticky:
            same = next((entry for entry in politeness.proxies.active_members(now) if entry[0] == self._sticky), None)
            picked = same or picked
        if picked is None:
            return False
        name, proxy = picked
        request.meta[PROXY_META] = name
        try:
            address = await self._resolve_address(proxy)
        except UnsafeUrl as fault:
            unused = Message("crawl.unsafe-proxy", place=proxy.place, reason=fault.reason)
            politeness.end(NO_PROXY, unused)
            raise Postponed(unused) from fault
        if proxy.scheme == "https" and request.url.startswith("https:"):
            raise RequestRefused(Rejection.NO_ANSWER, "fetch.https-proxy", url=request.url, place=proxy.place)
        self._sticky = name if has_session else ""
        # Scrapy looks up the first hop of a tunnel without its port, which the resolver needs for its check.
        place = address if request.url.startswith("https:") else proxy.place
        request.meta["proxy"] = f"{proxy.scheme}://{place}"
        if proxy.user:
            request.headers[_AUTHORIZATION] = _basic_credentials(proxy)
        return True

    async def _resolve_address(self, proxy: Proxy) -> str:
        """Return the address and port of a proxy.

        Raises UnsafeUrl if it is not allowed, CannotResolveHostError if unknown.
        """
        url = f"{proxy.scheme}://{proxy.place}/"
        self._guard.check_url(url)
        host, port = host_key(url)
        try:
            addresses = await asyncio.to_thread(self._names.addresses, host, port)
        except (OSError, UnicodeError) as error:
            raise CannotResolveHostError(f"the proxy {proxy.place} is not known") from error
        return str(Host(self._guard.allowed_addresses(url, host, port, addresses)[0], port))

    def _set_user_agent(self, request: Request) -> None:
        """Set the same user agent until the site refuses it. A browser does not change its name between pages."""
        politeness = get_politeness(self._crawler)
        pool = politeness.user_agents
        if not pool.members:
            return
        awake = [name for name, _ in pool.active_members(politeness.now())]
        if self._user_agent not in awake:
            self._user_agent = awake[0] if awake else pool.members[0][0]
        request.meta[USER_AGENT_META] = self._user_agent
        request.headers["User-Agent"] = self._user_agent


class CookiesSetMiddleware:
    """Adds the operator's cookies to the first request for each host of the site.

    The site may change them afterwards.
    """

    def __init__(self, context: CrawlContext) -> None:
        self._cookies, self._scope = context.plan.politeness.login.cookies, context.scope
        self._given: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Any) -> "CookiesSetMiddleware":
        return cls(get_context(crawler))

    def process_request(self, request: Request) -> None:
        host = request.url.split("/", 3)[2]
        if self._cookies and host not in self._given and self._scope.is_on_site(request.url):
            self._given.add(host)
            request.cookies = dict(self._cookies)


def _basic_credentials(proxy: Proxy) -> bytes:
    return b"Basic " + base64.b64encode(f"{proxy.user}:{proxy.password}".encode())
