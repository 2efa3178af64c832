"""Pages that are shells for scripts: each is asked for once more, in the browser; where there is none, it is said."""

from collections.abc import Callable

from scrapy import Request
from scrapy.http import Response

from core.politeness import BrowserMode
from core.wording import Message
from crawler.browsing.availability import missing_browser
from crawler.browsing.on_demand import BROWSER_META
from crawler.context import CrawlContext
from crawler.end_reasons import NEEDS_BROWSER
from crawler.middlewares.browser_requests import BrowserMiddleware
from crawler.readers.pages import WholePage


class Shells:
    """For one crawl. browser: what sends its requests to the browser, once it is open; None where there is none."""

    def __init__(self, context: CrawlContext, browser: Callable[[], BrowserMiddleware | None]) -> None:
        self._context, self._browser = context, browser
        self._is_told = False

    def request_in_browser(self, response: Response, page: WholePage) -> Request | None:
        """The request for a shell in the browser; None for any other page, and where there is no browser."""
        if BROWSER_META in response.meta:
            return None
        browser = self._browser()
        if browser is None:
            if page.is_shell:
                self._tell(response.url)
            return None
        is_shell = page.is_shell and response.status == 200
        browser.note_read(is_shell=is_shell)
        if not is_shell or response.request is None:
            return None
        self._context.stats.counts.fetched -= 1  # it is still to be fetched
        return browser.in_browser(response.request)

    def _tell(self, url: str) -> None:
        """Say once in a crawl that pages are left out, and what is to be installed."""
        settings, mode = self._context.settings, self._context.plan.politeness.browser
        missing = missing_browser(settings) if mode is not BrowserMode.NEVER else None
        if missing is not None and not self._is_told:
            self._is_told = True
            self._context.stats.add_first(Message(NEEDS_BROWSER, url=url, missing=missing))
