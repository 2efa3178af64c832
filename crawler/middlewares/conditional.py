"""The downloader middleware for re-crawls. It makes requests conditional and checks the targets of redirects.

URLs whose text was fetched at another URL are not requested. The middleware is closer to the network than those that
follow redirects, so it receives the site's own responses.
"""

from typing import Any
from urllib.parse import urljoin

from scrapy import Request
from scrapy.http import Response

from core.ids import FinalUrl, RequestedUrl
from core.visits import MovedTo
from crawler.context import CrawlContext, get_context
from crawler.fetching.capture import decode_headers
from crawler.frontier import CrawlTarget
from crawler.politeness.refusals import KnownText
from crawler.recrawl.absences import redirect_target
from crawler.recrawl.recrawl import ABSENT, RECRAWLED

_REDIRECTS = (301, 302, 303, 307, 308)


class ConditionalMiddleware:
    """Adds validators to requests for known pages.

    Recognises redirects to other sites, and those of pages that are missing.
    """

    def __init__(self, context: CrawlContext) -> None:
        self._context, self._recrawl = context, context.recrawl

    @classmethod
    def from_crawler(cls, crawler: Any) -> "ConditionalMiddleware":
        return cls(get_context(crawler))

    def process_request(self, request: Request) -> None:
        """Let the spider receive responses that report a change of a known page: 404, 410, and 304 if requested.

        Raises KnownText if the text of the URL was fetched at another URL.
        """
        target = _requested_page(request)
        repeats = self._context.repeats
        if target is not None and repeats.is_another(target.url, is_page=self._recrawl.visits.has_page(target.url)):
            raise KnownText(target.url)
        is_redirected = bool(request.meta.get("redirect_times"))
        conditions = self._recrawl.visits.conditions(target.url, is_redirected=is_redirected) if target else None
        if conditions is None:
            return
        for name, value in conditions.headers.items():
            request.headers[name] = value
        awaited = {*request.meta.get("handle_httpstatus_list", ()), *conditions.statuses}
        request.meta["handle_httpstatus_list"] = sorted(awaited)

    def process_response(self, request: Request, response: Response) -> Response:
        target = _requested_page(request)
        if target is None or response.status not in _REDIRECTS:
            return response
        headers = decode_headers(response)
        has_page = self._recrawl.visits.has_page(target.url)
        if has_page and self._recrawl.probes.not_found.is_target(response.status, headers, response.url):
            request.meta[ABSENT] = True
            request.meta["handle_httpstatus_list"] = [*request.meta["handle_httpstatus_list"], response.status]
            return response
        is_start = target.url in self._context.plan.start_urls
        location = redirect_target(headers, response.url)
        if location and (has_page or is_start) and not self._context.scope.is_on_site(location):
            self._recrawl.visits.unsaved.note_move(self._detect_move(target.url, response, headers, is_start))
        return response

    def _detect_move(self, url: str, response: Response, headers: dict[str, str], is_start: bool) -> MovedTo:
        location = next(value for name, value in headers.items() if name.lower() == "location")
        to_url = FinalUrl(urljoin(response.url, location))
        return MovedTo(RequestedUrl(url), to_url, response.status, is_start, self._context.clock.now())


def _requested_page(request: Request) -> CrawlTarget | None:
    """Return the target of a request for a page or its first part, or None for any other request."""
    target = request.cb_kwargs.get("target")
    return target if isinstance(target, CrawlTarget) and request.meta.get(RECRAWLED) else None
