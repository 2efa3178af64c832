"""Chooses the pages that are loaded in the browser: all, or those that are an empty shell without their scripts.

Reading a page determines whether it is such a shell (crawler.readers.pages). The spider then requests it again.
"""

from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http import Response

from core.errors import UnsafeUrl
from core.politeness import BrowserMode
from core.states import Rejection
from crawler.browsing.on_demand import BROWSER_META
from crawler.context import get_context
from crawler.frontier import asks_for_page
from crawler.politeness.extension import PolitenessExtension
from crawler.politeness.refusals import RequestRefused
from crawler.urls import is_book, script_route

SHELLS_THAT_DECIDE = 3  # consecutive shells after which all pages of the site are loaded in the browser at once


class BrowserMiddleware:
    """Marks the requests that the browser loads, and checks the final URLs of their pages."""

    def __init__(self, crawler: Any) -> None:
        self._crawler, self._context = crawler, get_context(crawler)
        self._mode = self._context.plan.politeness.browser
        self._shells = 0

    @classmethod
    def from_crawler(cls, crawler: Any) -> "BrowserMiddleware":
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        if not asks_for_page(request) or is_book(request.url):
            return
        if self._mode is BrowserMode.ALWAYS or self._shells >= SHELLS_THAT_DECIDE or script_route(request.url):
            self._mark_request(request)

    def process_response(self, request: Request, response: Response) -> Response:
        if BROWSER_META in request.meta:
            self._require_here(request, response)
        return response

    def note_read(self, *, is_shell: bool) -> None:
        """Count the consecutive shells for scripts among the pages that were loaded without the browser."""
        self._shells = self._shells + 1 if is_shell else 0

    def in_browser(self, request: Request) -> Request:
        """Return a copy of a request that the browser will load."""
        again = request.replace(dont_filter=True)
        self._mark_request(again)
        return again

    def _mark_request(self, request: Request) -> None:
        politeness = self._crawler.get_extension(PolitenessExtension)
        request.meta[BROWSER_META] = True
        # A context retains the cookies with which it started, so each login gets a new context.
        request.meta["playwright_context"] = f"session-{politeness.logins}" if politeness else "default"

    def _require_here(self, request: Request, response: Response) -> None:
        """Raise RequestRefused if scripts or redirects led to another site or to an address that is not allowed."""
        try:
            self._context.guard.check_url(response.url)
        except UnsafeUrl as fault:
            raise RequestRefused(Rejection.UNSAFE_ADDRESS, "fetch.leads-to", url=request.url, fault=fault) from fault
        if not self._context.scope.is_on_site(response.url):
            host = urlsplit(response.url).netloc
            raise RequestRefused(Rejection.OFF_SITE, "fetch.leads-off-site", url=request.url, host=host)
