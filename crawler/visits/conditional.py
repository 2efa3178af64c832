"""The downloader middleware of re-visits: asks whether a page has changed, and sees where redirects lead.

It stands between the network and the middlewares that follow redirects: what it sees is what the site answered.
"""

from typing import Any
from urllib.parse import urljoin

from scrapy import Request
from scrapy.http import Response

from core.ids import FinalUrl, RequestedUrl
from core.visits import MovedTo
from crawler.fetching.response_headers import headers_of
from crawler.visits.absences import leads_to

NOT_MODIFIED = 304
REVISIT = "zhuiwen_revisit"  # in the meta of a request for the page that its target names, whole or for the first part
ABSENT = "zhuiwen_absent"  # in the meta of a request that was led to where the site leads for addresses that never were
_NOT_THERE = (404, 410)
_REDIRECTS = (301, 302, 303, 307, 308)


class ConditionalMiddleware:
    """Adds validators to requests for known pages; notes redirects off the site; recognises those of lost pages."""

    def __init__(self, crawler: Any) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Any) -> "ConditionalMiddleware":
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Let answers that are news of a known page come to the spider: 404, 410, and 304 where it was asked for."""
        revisiting, target = self._revisiting_and_target(request)
        visit = revisiting.visits.of(target.url) if revisiting else None
        if visit is None:
            return
        validators = {} if request.meta.get("redirect_times") else revisiting.visits.validators(target.url)
        for name, value in validators.items():
            request.headers[name] = value
        awaited = set(request.meta.get("handle_httpstatus_list", ()))
        awaited |= set(_NOT_THERE) if visit.page_id else set()
        awaited |= {NOT_MODIFIED} if validators else set()
        request.meta["handle_httpstatus_list"] = sorted(awaited)

    def process_response(self, request: Request, response: Response) -> Response:
        revisiting, target = self._revisiting_and_target(request)
        if revisiting is None or response.status not in _REDIRECTS:
            return response
        headers = headers_of(response)
        visit = revisiting.visits.of(target.url)
        has_page = visit is not None and bool(visit.page_id)
        if has_page and revisiting.not_found.is_target(response.status, headers, response.url):
            request.meta[ABSENT] = True
            request.meta["handle_httpstatus_list"] = [*request.meta["handle_httpstatus_list"], response.status]
            return response
        spider = self._crawler.spider
        is_start = target.url in spider.plan.start_urls
        location = leads_to(headers, response.url)
        if location and (has_page or is_start) and not spider.scope.is_on_site(location):
            self._note_move(revisiting, target.url, response, headers, is_start)
        return response

    def _note_move(
        self, revisiting: Any, url: str, response: Response, headers: dict[str, str], is_start: bool
    ) -> None:
        location = next(value for name, value in headers.items() if name.lower() == "location")
        to_url = FinalUrl(urljoin(response.url, location))
        at = self._crawler.spider.now()
        revisiting.visits.moved(MovedTo(RequestedUrl(url), to_url, response.status, is_start, at))

    def _revisiting_and_target(self, request: Request) -> tuple[Any, Any]:
        target = request.cb_kwargs.get("target")
        revisiting = getattr(self._crawler.spider, "revisiting", None)
        return (revisiting, target) if revisiting is not None and request.meta.get(REVISIT) else (None, None)
