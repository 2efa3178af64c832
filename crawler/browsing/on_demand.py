"""The crawler's download handler. It imports and starts a browser for the first page that needs one."""

import asyncio
from typing import Any

from scrapy import Request
from scrapy.http import Response

from crawler.fetching.capture import CapturingHandler

BROWSER_META = "playwright"  # in the meta of a request that is loaded in the browser


class OnDemandBrowser(CapturingHandler):
    """Imports the browser at the first request for it, because most crawls need none.

    For the setting DOWNLOAD_HANDLERS.
    """

    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        self._of = crawler
        self._opening = asyncio.Lock()
        self._browser: Any = None

    async def download_request(self, request: Request) -> Response:
        if not request.meta.get(BROWSER_META):
            return await super().download_request(request)
        async with self._opening:
            if self._browser is None:
                # Until here, the optional dependency may be missing.
                from crawler.browsing.browser import BrowserHandler

                browser = BrowserHandler(self._of)
                await browser.begin()
                self._browser = browser
        response = await self._browser.download_request(request)
        assert isinstance(response, Response)
        return response

    async def close(self) -> None:
        await super().close()
        if self._browser is not None:
            await self._browser.close()
