"""Loads pages that scripts generate in Chromium, through scrapy-playwright, under the same rules as other pages.

Every request of a page goes through `browser_proxy`, which checks the address that it connects to. Images, videos
and fonts are not loaded. The browser is restarted after a number of pages, minutes or bytes, and when it hangs or
crashes.
"""

import asyncio
import os
import time
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import psutil
from playwright._impl._errors import TargetClosedError  # not public; scrapy-playwright imports it from here, too
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page
from playwright.async_api import Request as PageRequest
from playwright.async_api import TimeoutError as PlaywrightTimeout
from scrapy import Request
from scrapy.downloadermiddlewares.cookies import CookiesMiddleware
from scrapy.exceptions import DownloadTimeoutError
from scrapy.http import Response
from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler
from scrapy_playwright.page import PageMethod

from core.circumstances import BrowserProfile
from core.errors import UnsafeUrl
from core.hosts import host_key
from core.politeness import Proxy
from core.states import Rejection
from crawler.browsing.browser_proxy import REFUSED_HEADER, BrowserProxy, ConnectedAddress
from crawler.browsing.chromium import AGE_SETTING, MEMORY_SETTING, PAGES_SETTING
from crawler.browsing.page_capture import PageCapture
from crawler.fetching.addresses import AddressGuard
from crawler.fetching.capture import CAPTURE, CapturingHandler
from crawler.fetching.names import make_resolver
from crawler.fetching.proxies import PROXY_META
from crawler.fetching.resolver import ALLOWED_SETTING
from crawler.politeness.extension import get_politeness
from crawler.politeness.refusals import RequestRefused

MAX_BREAKDOWNS = 2  # crashes of the browser while one page loads; every page that was loading is loaded again
CLOSE_S = 5.0  # the time limit for the browser to exit; Chromium takes 0.1 s
_LOOK_S = 0.02
QUIET_S = 3.0  # the time in which a loaded page may fetch more before it is read
TEXT_KINDS = frozenset({"document", "stylesheet", "script", "xhr", "fetch"})


class BrowserHandler(ScrapyPlaywrightDownloadHandler, CapturingHandler):
    """Loads marked requests in a browser, and all others without one. For the setting DOWNLOAD_HANDLERS."""

    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        settings = crawler.settings
        self._guard = AddressGuard(settings.getlist(ALLOWED_SETTING))
        self._names = make_resolver(settings)
        self._timeout_s = settings.getfloat("DOWNLOAD_TIMEOUT")
        self._max_bytes = settings.getint("DOWNLOAD_MAXSIZE")
        self._max_pages = settings.getint(PAGES_SETTING)
        self._max_memory = settings.getint(MEMORY_SETTING)
        self._max_age_s = settings.getfloat(AGE_SETTING)
        self._launches, self._launched_at_s, self._launched_at = 0, 0.0, datetime.now(UTC)
        self._pages_of_launch = 0  # the number of pages that this browser has loaded completely
        self._ending, self._opening = asyncio.Lock(), asyncio.Lock()
        self._proxy: BrowserProxy | None = None
        self._upstream: Proxy | None = None
        self._pages = self._loading = 0
        self._turn = asyncio.Condition()
        self._is_recycling = False
        self.config.restart_disconnected_browser = True
        self.config.target_closed_max_retries = 0  # `_load_with_retries` retries instead
        self.abort_request = self._is_unwanted

    async def begin(self) -> None:
        """Start the handler. Scrapy's engine would do so, but the engine has started before the handler is created."""
        await self._launch()

    async def _maybe_launch_browser(self) -> None:
        async with self._opening:  # pages load concurrently: each needs the proxy, and a launch must be counted once
            await self._open_proxy()
            is_new = not hasattr(self, "browser")
            await super()._maybe_launch_browser()
            if is_new:
                self._launches += 1
                self._launched_at_s, self._launched_at = time.monotonic(), datetime.now(UTC)
                self._pages_of_launch = 0

    async def _open_proxy(self) -> None:
        if "proxy" in self.config.launch_options:
            return
        self._proxy = BrowserProxy(self._guard, self._names, self._timeout_s, lambda: self._upstream)
        address = await self._proxy.start()
        login = {"username": self._proxy.user, "password": self._proxy.password}
        # <-loopback>: requests to this machine also go through the proxy
        self.config.launch_options["proxy"] = {"server": address, "bypass": "<-loopback>", **login}

    async def _browser_disconnected_callback(self) -> None:
        if hasattr(self, "browser") and not self.browser.is_connected():  # an earlier browser may report its end late
            with suppress(PlaywrightError):
                await super()._browser_disconnected_callback()

    async def _close(self) -> None:
        await self._end_launch(self._launches)
        with suppress(PlaywrightError, TimeoutError):
            await asyncio.wait_for(super()._close(), CLOSE_S)
        kill_browsers(os.getpid())
        if self._proxy is not None:
            await self._proxy.close()

    async def _download_request(self, request: Request, spider: Any = None) -> Response:
        async with self._turn:
            await self._turn.wait_for(lambda: not self._is_recycling)
            self._loading += 1
            self._pages += 1
        try:
            return await self._load_within_bounds(request, spider)
        finally:
            async with self._turn:
                self._loading -= 1
                self._turn.notify_all()
            await self._recycle_if_due()

    async def _load_within_bounds(self, request: Request, spider: Any) -> Response:
        """Load the page through its site's proxy.

        Raises RequestRefused (also if it is too large) or DownloadTimeoutError.
        """
        self._upstream = self._chosen_proxy(request)
        request.headers.pop("Proxy-Authorization", None)
        request.meta["playwright_context_kwargs"] = self._context_options(request)
        response, capture = await self._load_with_retries(request, spider)
        refused = response.headers.get(REFUSED_HEADER)
        if refused:
            why = self._proxy_refusal(response.url)
            reason = why.reason if why is not None else refused.decode("latin-1")
            raise RequestRefused(Rejection.UNSAFE_ADDRESS, "core.not-fetched", url=request.url, reason=reason)
        if len(response.body) > self._max_bytes:
            raise RequestRefused(
                Rejection.TOO_LARGE, "fetch.too-large-in-browser", url=request.url, bytes=self._max_bytes
            )
        request.meta[CAPTURE] = capture
        return response

    async def _load_with_retries(self, request: Request, spider: Any) -> tuple[Response, Any]:
        """Return the page and its capture.

        Load the page again if the browser crashed, even if another page was the cause.
        """
        for tries_left in range(MAX_BREAKDOWNS, -1, -1):
            launch, taking = self._launches, PageCapture(self._find_connection, self._max_bytes, self._browser_profile)
            try:
                await self._maybe_launch_browser()
                launch = self._launches
                return await self._try_load(request, spider, taking)
            except PlaywrightTimeout as fault:
                raise DownloadTimeoutError(f"{request.url} does not load") from fault
            except TimeoutError as fault:  # the browser did not end the load within the timeout
                await self._end_launch(launch)
                raise DownloadTimeoutError(f"{request.url} does not load") from fault
            except PlaywrightError as fault:
                is_gone = not (hasattr(self, "browser") and self.browser.is_connected()) or launch != self._launches
                has_broken_down = is_gone or taking.has_crashed or _is_crash(fault)
                if not tries_left or not has_broken_down:
                    raise self._load_fault(request, fault, taking.failed_url) from fault
                if not (hasattr(self, "browser") and self.browser.is_connected()):
                    await self._end_launch(launch)
        raise AssertionError("the last try returns or raises")

    async def _try_load(self, request: Request, spider: Any, taking: PageCapture) -> tuple[Response, Any]:
        request.meta["playwright_page_init_callback"] = taking.begin
        request.meta["playwright_page_methods"] = [PageMethod(_wait_for_scripts), PageMethod(taking.take)]
        request.meta["playwright_page_goto_kwargs"] = {"timeout": self._timeout_s * 1000}
        loading = super()._download_request(request, spider)
        return await asyncio.wait_for(loading, self._timeout_s + QUIET_S), taking.capture

    def _browser_profile(self) -> BrowserProfile:
        """Return the running browser's profile: when it was launched, and how many pages it had loaded before."""
        before, self._pages_of_launch = self._pages_of_launch, self._pages_of_launch + 1
        return BrowserProfile(self._launched_at, before)

    def _find_connection(self, host: str, port: int) -> ConnectedAddress | None:
        return self._proxy.reached.get((host, port)) if self._proxy is not None else None

    def _chosen_proxy(self, request: Request) -> Proxy | None:
        name = request.meta.get(PROXY_META, "")
        members = get_politeness(self._crawler).proxies.members
        return next((proxy for place, proxy in members if place == name), None)

    def _context_options(self, request: Request) -> dict[str, Any]:
        agent = (request.headers.get("User-Agent") or b"").decode("latin-1")
        return {
            "accept_downloads": False,
            "service_workers": "block",
            "user_agent": agent or None,
            "locale": "zh-CN",
            "storage_state": {"cookies": self._context_cookies(), "origins": []},
        }

    def _context_cookies(self) -> list[dict[str, Any]]:
        """Return the crawl's cookies for a new context, each limited to its own host."""
        middlewares = self._crawler.engine.downloader.middleware.middlewares
        kept = next((each for each in middlewares if isinstance(each, CookiesMiddleware)), None)
        if kept is None or None not in kept.jars:
            return []
        return [
            {
                "name": cookie.name,
                "value": cookie.value or "",
                "domain": cookie.domain.removesuffix(".local") if "." in cookie.domain[:-6] else cookie.domain,
                "path": cookie.path,
                "expires": cookie.expires or -1,
                "httpOnly": False,
                "secure": bool(cookie.secure),
                "sameSite": "Lax",
            }
            for cookie in kept.jars[None].jar
        ]

    def _load_fault(self, request: Request, fault: PlaywrightError, failed_url: str) -> Exception:
        """Return the exception for a failed load. failed_url: URL of the page or redirect target that failed."""
        why = self._proxy_refusal(failed_url)
        if why is not None:
            return RequestRefused(Rejection.UNSAFE_ADDRESS, "fetch.leads-elsewhere", url=request.url, fault=why)
        reason = str(fault).splitlines()[0].partition(" at ")[0][:120]
        return RequestRefused(Rejection.NO_ANSWER, "fetch.not-loaded", url=request.url, kind=reason)

    def _proxy_refusal(self, url: str) -> UnsafeUrl | None:
        """Return why the browser's proxy refused the host of a URL, or None if the proxy did not refuse it."""
        with suppress(ValueError):
            return self._proxy.refused.get(host_key(url)) if self._proxy else None
        return None

    async def _is_unwanted(self, request: PageRequest) -> bool:
        """Return True if a request must not be sent, because it is not for text or its URL is not allowed."""
        if request.resource_type not in TEXT_KINDS:
            return True
        try:
            self._guard.check_url(request.url)
        except UnsafeUrl:
            return not request.url.startswith(("data:", "blob:"))
        return False

    async def _recycle_if_due(self) -> None:
        is_old = time.monotonic() - self._launched_at_s > self._max_age_s
        is_due = self._pages >= self._max_pages or is_old or memory_bytes(os.getpid()) > self._max_memory
        if not is_due or self._is_recycling or not hasattr(self, "browser"):
            return
        self._is_recycling = True
        async with self._turn:
            await self._turn.wait_for(lambda: self._loading == 0)
        await self._end_launch(self._launches)
        async with self._turn:
            self._pages, self._is_recycling = 0, False
            self._turn.notify_all()

    async def _end_launch(self, launch: int) -> None:
        """Close or kill the browser with this launch number. The next page starts a new browser."""
        async with self._ending:
            if launch != self._launches or not hasattr(self, "browser"):
                return
            with suppress(PlaywrightError, TimeoutError):
                await asyncio.wait_for(self.browser.close(), CLOSE_S)
            if not await self._is_gone():
                kill_browsers(os.getpid())
                await self._is_gone()
            if hasattr(self, "browser"):
                self.context_wrappers.clear()
                del self.browser

    async def _is_gone(self) -> bool:
        """Wait until the browser has reported its end, at most CLOSE_S; return False if it has not."""
        deadline_s = time.monotonic() + CLOSE_S
        while hasattr(self, "browser") and time.monotonic() < deadline_s:
            await asyncio.sleep(_LOOK_S)
        return not hasattr(self, "browser")


def _is_crash(fault: PlaywrightError) -> bool:
    """Return True if a call failed because the process of the page ended.

    Such a call may fail before the page reports its crash.
    """
    return isinstance(fault, TargetClosedError) or "Target crashed" in str(fault)


async def own_headers(*, playwright_request: PageRequest, scrapy_request_data: Any, **_: Any) -> dict[str, str]:
    """Return the browser's own headers. The crawler's contain cookies that frames of other sites must not receive."""
    return await playwright_request.all_headers()


async def _wait_for_scripts(page: Page) -> None:
    """Wait until the page fetches nothing more, at most QUIET_S, so that scripts can fetch what they display."""
    with suppress(PlaywrightTimeout):
        await page.wait_for_load_state("networkidle", timeout=QUIET_S * 1000)


def memory_bytes(process: int) -> int:
    """Return the memory of all browsers started by a process, in bytes."""
    return sum(_browsers_below(process).values())


def kill_browsers(process: int) -> None:
    """Kill every browser started by a process, even if the browser hangs or is stopped."""
    for browser in _browsers_below(process):
        with suppress(psutil.Error):
            browser.kill()


def _browsers_below(process: int) -> dict[psutil.Process, int]:
    """Return the browser processes started by a process, each with its memory in bytes."""
    found = {}
    for child in psutil.Process(process).children(recursive=True):
        with suppress(psutil.Error):  # the process has ended
            if any(part in child.name() for part in ("chrom", "headless")):
                found[child] = child.memory_info().rss
    return found
