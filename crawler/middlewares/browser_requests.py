"""Which pages are loaded in the browser: all, or those whose plain answer is a shell for scripts."""

import re
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http import Response

from core.errors import UnsafeUrl
from core.politeness import BrowserMode
from core.states import Rejection
from crawler.characters.repertoire import count_han
from crawler.context import context_of
from crawler.frontier import PAGE
from crawler.markup import parse
from crawler.opening import decode_page
from crawler.politeness.extension import PolitenessExtension
from crawler.politeness.refusals import RequestRefused
from crawler.urls import is_book

BROWSER_META = "playwright"
# A shell of a script application has a title and a notice that scripts are off; a list has links, a text has text.
MAX_HAN_OF_SHELL, MAX_LINKS_OF_SHELL, MAX_SHELL_BYTES = 60, 3, 200_000
SHELLS_THAT_DECIDE = 3  # in a row: then the site is one of scripts, and its pages are not asked for twice
_SCRIPT = re.compile(rb"<script\b", re.IGNORECASE)


class BrowserMiddleware:
    """Sends pages to the browser, and looks at where they ended up."""

    def __init__(self, crawler: Any) -> None:
        self._crawler, self._context = crawler, context_of(crawler)
        self._mode = self._context.plan.politeness.browser
        self._shells = 0

    @classmethod
    def from_crawler(cls, crawler: Any) -> "BrowserMiddleware":
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        target = request.cb_kwargs.get("target")
        if target is None or target.kind != PAGE or is_book(request.url):
            return
        if self._mode is BrowserMode.ALWAYS or self._shells >= SHELLS_THAT_DECIDE:
            self._mark(request)

    def process_response(self, request: Request, response: Response) -> Request | Response:
        target = request.cb_kwargs.get("target")
        if target is None or target.kind != PAGE:
            return response
        if BROWSER_META in request.meta:
            self._require_here(request, response)
            return response
        if not is_shell(response):
            self._shells = 0
            return response
        self._shells += 1
        again = request.replace(dont_filter=True)
        self._mark(again)
        return again

    def _mark(self, request: Request) -> None:
        politeness = self._crawler.get_extension(PolitenessExtension)
        request.meta[BROWSER_META] = True
        # A context has the cookies of its beginning; a new login gets a new one.
        request.meta["playwright_context"] = f"session-{politeness.logins}" if politeness else "default"

    def _require_here(self, request: Request, response: Response) -> None:
        """Raises RequestRefused where scripts or redirects led away."""
        try:
            self._context.guard.check_url(response.url)
        except UnsafeUrl as fault:
            raise RequestRefused(Rejection.UNSAFE_ADDRESS, "fetch.leads-to", url=request.url, fault=fault) from fault
        if not self._context.scope.is_on_site(response.url):
            host = urlsplit(response.url).netloc
            raise RequestRefused(Rejection.OFF_SITE, "fetch.leads-off-site", url=request.url, host=host)


def is_shell(response: Response) -> bool:
    """Whether a page has scripts and neither text nor links of its own."""
    body = response.body
    if response.status != 200 or len(body) > MAX_SHELL_BYTES or not _SCRIPT.search(body):
        return False
    content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
    decoded = decode_page(body, content_type, response.url)
    tree = parse(getattr(decoded, "text", "") or body.decode("utf-8", "replace"))
    if tree is None or len(tree.xpath("//a[@href]")) > MAX_LINKS_OF_SHELL:
        return False
    text = "".join(tree.xpath("//body//text()[not(ancestor::script or ancestor::style or ancestor::noscript)]"))
    return count_han(text) <= MAX_HAN_OF_SHELL
