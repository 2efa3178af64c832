"""Pages that scripts make, loaded in Chromium through scrapy-playwright, under the same rules as all others.

Every request of a page goes through `browser_proxy`, which judges the address it connects to; pictures, films and
fonts are not loaded; the browser is started anew after so many pages or so much memory.
"""

import asyncio
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

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

from core.errors import UnsafeUrl
from core.politeness import Proxy
from core.states import Rejection
from crawler.browsing.browser_proxy import REFUSED_HEADER, BrowserProxy, Reached
from crawler.browsing.page_capture import PageCapture
from crawler.fetching.addresses import AddressGuard
from crawler.fetching.capture import CAPTURE
from crawler.fetching.header_limit import BoundedHandler
from crawler.fetching.names import NAME_SERVERS_SETTING, Names
from crawler.fetching.proxy_middleware import PROXY_META
from crawler.fetching.resolver import ALLOWED_SETTING
from crawler.politeness.keeper import Keeper
from crawler.politeness.refusals import RequestRefused

# Chosen, not measured: to start Chromium takes 1 s (2026-11), and pages that leak lose some MB each.
MAX_PAGES, MAX_MEMORY_BYTES = 200, 1_500_000_000
PAGES_SETTING, MEMORY_SETTING = "ZHUIWEN_BROWSER_PAGES", "ZHUIWEN_BROWSER_BYTES"
QUIET_S = 3.0  # how long a page that has loaded may go on fetching before it is read
TEXT_KINDS = frozenset({"document", "stylesheet", "script", "xhr", "fetch"})
ARGUMENTS = [
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-sync",
    "--no-first-run",
    "--no-pings",
    # Media connections would go past the proxy.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--js-flags=--max-old-space-size=512",
]


class BrowserHandler(ScrapyPlaywrightDownloadHandler, BoundedHandler):
    """For DOWNLOAD_HANDLERS: what is marked for the browser is loaded there, all else as in any crawl."""

    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        settings = crawler.settings
        self._guard = AddressGuard(settings.getlist(ALLOWED_SETTING))
        self._names = Names(settings.getlist(NAME_SERVERS_SETTING))
        self._timeout_s = settings.getfloat("DOWNLOAD_TIMEOUT")
        self._max_bytes = settings.getint("DOWNLOAD_MAXSIZE")
        self._max_pages = settings.getint(PAGES_SETTING)
        self._max_memory = settings.getint(MEMORY_SETTING)
        self._proxy: BrowserProxy | None = None
        self._upstream: Proxy | None = None
        self._pages = self._loading = 0
        self._turn = asyncio.Condition()
        self._is_recycling = False
        self.config.restart_disconnected_browser = True
        self.abort_request = self._is_unwanted

    async def _maybe_launch_browser(self) -> None:
        if self._proxy is None:
            self._proxy = BrowserProxy(self._guard, self._names, self._timeout_s, lambda: self._upstream)
            address = await self._proxy.start()
            login = {"username": self._proxy.user, "password": self._proxy.password}
            # <-loopback>: addresses of this machine, too, go through the proxy
            self.config.launch_options["proxy"] = {"server": address, "bypass": "<-loopback>", **login}
        await super()._maybe_launch_browser()

    async def _close(self) -> None:
        await super()._close()
        if self._proxy is not None:
            await self._proxy.close()

    async def _download_request(self, request: Request, spider: Any = None) -> Response:
        async with self._turn:
            await self._turn.wait_for(lambda: not self._is_recycling)
            self._loading += 1
            self._pages += 1
        try:
            return await self._bounded(request, spider)
        finally:
            async with self._turn:
                self._loading -= 1
                self._turn.notify_all()
            await self._recycle_if_due()

    async def _bounded(self, request: Request, spider: Any) -> Response:
        """The page. Raises RequestRefused or DownloadTimeoutError for what it is not."""
        self._upstream = self._proxy_of(request)
        request.headers.pop("Proxy-Authorization", None)
        request.meta["playwright_context_kwargs"] = self._context(request)
        taking = PageCapture(self._reached, self._max_bytes)
        request.meta["playwright_page_init_callback"] = taking.begin
        request.meta["playwright_page_methods"] = [PageMethod(_settle), PageMethod(taking.take)]
        request.meta["playwright_page_goto_kwargs"] = {"timeout": self._timeout_s * 1000}
        try:
            response = await asyncio.wait_for(super()._download_request(request, spider), self._timeout_s + QUIET_S)
        except (TimeoutError, PlaywrightTimeout) as fault:
            raise DownloadTimeoutError(f"{request.url} does not load") from fault
        except PlaywrightError as fault:
            raise self._refusal(request, fault) from fault
        refused = response.headers.get(REFUSED_HEADER)
        if refused:
            raise RequestRefused(Rejection.UNSAFE_ADDRESS, f"{request.url} is not fetched: {refused.decode('latin-1')}")
        if len(response.body) > self._max_bytes:
            sentence = f"{request.url} grows larger than {self._max_bytes} bytes in the browser"
            raise RequestRefused(Rejection.TOO_LARGE, sentence)
        request.meta[CAPTURE] = taking.capture
        return response

    def _reached(self, host: str, port: int) -> Reached | None:
        return self._proxy.reached.get((host, port)) if self._proxy is not None else None

    def _proxy_of(self, request: Request) -> Proxy | None:
        keeper = self._crawler.get_extension(Keeper)
        assert isinstance(keeper, Keeper)
        name = request.meta.get(PROXY_META, "")
        return next((proxy for place, proxy in keeper.proxies.members if place == name), None)

    def _context(self, request: Request) -> dict[str, Any]:
        agent = (request.headers.get("User-Agent") or b"").decode("latin-1")
        return {
            "accept_downloads": False,
            "service_workers": "block",
            "user_agent": agent or None,
            "locale": "zh-CN",
            "storage_state": {"cookies": self._cookies(), "origins": []},
        }

    def _cookies(self) -> list[dict[str, Any]]:
        """The session that the crawl has, for a new context; each cookie for its own host alone."""
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

    def _refusal(self, request: Request, fault: PlaywrightError) -> Exception:
        refused = self._proxy.refused if self._proxy else []
        if refused and any(sign in str(fault) for sign in ("ERR_TUNNEL", "ERR_ABORTED", "ERR_HTTP_RESPONSE")):
            return RequestRefused(Rejection.UNSAFE_ADDRESS, f"{request.url} leads elsewhere: {refused[-1]}")
        reason = str(fault).splitlines()[0].partition(" at ")[0][:120]
        return RequestRefused(Rejection.NO_ANSWER, f"{request.url} does not load in the browser: {reason}")

    async def _is_unwanted(self, request: PageRequest) -> bool:
        """Whether a request of a page is not made: what holds no text, and what no crawl may ask for."""
        if request.resource_type not in TEXT_KINDS:
            return True
        try:
            self._guard.check_url(request.url)
        except UnsafeUrl:
            return not request.url.startswith(("data:", "blob:"))
        return False

    async def _recycle_if_due(self) -> None:
        is_due = self._pages >= self._max_pages or memory_bytes(os.getpid()) > self._max_memory
        if not is_due or self._is_recycling or not hasattr(self, "browser"):
            return
        self._is_recycling = True
        async with self._turn:
            await self._turn.wait_for(lambda: self._loading == 0)
        with suppress(PlaywrightError):
            await self.browser.close()
        while hasattr(self, "browser"):  # its end is told by an event
            await asyncio.sleep(0.01)
        async with self._turn:
            self._pages, self._is_recycling = 0, False
            self._turn.notify_all()


async def own_headers(*, playwright_request: PageRequest, scrapy_request_data: Any, **_: Any) -> dict[str, str]:
    """The browser's own headers: those of the crawl hold cookies, which frames of other sites must not see."""
    return await playwright_request.all_headers()


async def _settle(page: Page) -> None:
    """Give scripts a while to fetch what they show."""
    with suppress(PlaywrightTimeout):
        await page.wait_for_load_state("networkidle", timeout=QUIET_S * 1000)


def memory_bytes(process: int) -> int:
    """What the browsers below a process hold; 0 where the system does not say (no /proc)."""
    parents, sizes = {}, {}
    page_bytes = os.sysconf("SC_PAGE_SIZE")
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            name, _, rest = (folder / "stat").read_text(errors="replace").rpartition(")")
            fields = rest.split()
            parents[int(folder.name)] = int(fields[1])
            is_browser = "chrom" in name or "headless" in name
            sizes[int(folder.name)] = int(fields[21]) * page_bytes if is_browser else 0
    below, grown = {process}, True
    while grown:
        more = {child for child, parent in parents.items() if parent in below} - below
        below, grown = below | more, bool(more)
    return sum(sizes.get(each, 0) for each in below)
