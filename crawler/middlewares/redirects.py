"""Follows redirects by status and by meta tag. Targets must be on the site and are fetched once; loops are reported."""

from urllib.parse import urlsplit

from scrapy import Request
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware, RedirectMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from core.errors import UnsafeUrl
from core.states import Rejection
from crawler.context import CrawlContext, get_context
from crawler.middlewares.refusal_handling import TIMES_META
from crawler.politeness.refusals import RequestRefused
from crawler.politeness.sessions import LOGIN_META
from crawler.urls import canonical


class RedirectsMiddleware(RedirectMiddleware):
    """Scrapy's redirects by HTTP status, with the rules of `_check_redirect`."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        try:
            return _check_redirect(get_context(self.crawler), request, super().process_response(request, response))
        except IgnoreRequest as fault:
            raise _convert_refusal(fault, request) from fault


class RefreshesMiddleware(MetaRefreshMiddleware):
    """Scrapy's redirects by a meta tag, with the rules of `_check_redirect`."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        try:
            return _check_redirect(get_context(self.crawler), request, super().process_response(request, response))
        except IgnoreRequest as fault:
            raise _convert_refusal(fault, request) from fault


def _convert_refusal(fault: IgnoreRequest, request: Request) -> RequestRefused:
    """Convert an exception of Scrapy's redirects to RequestRefused.

    Scrapy's only reason is that there were too many.
    """
    if isinstance(fault, RequestRefused):
        return fault
    return RequestRefused(Rejection.REDIRECT_LOOP, "fetch.endless-redirects", url=_first_url(request))


def _check_redirect(context: CrawlContext, request: Request, answer: Request | Response) -> Request | Response:
    """Return the request or response.

    Raises RequestRefused if a redirect leads to a forbidden address, off the site, in a circle, or to a known URL.
    """
    target = request.cb_kwargs.get("target")
    if not isinstance(answer, Request) or (target is None and LOGIN_META not in request.meta):
        return answer
    try:
        context.guard.check_url(answer.url)
    except UnsafeUrl as fault:
        raise RequestRefused(
            Rejection.UNSAFE_ADDRESS, "fetch.unsafe-redirect", url=_first_url(answer), fault=fault
        ) from fault
    if not context.scope.is_on_site(answer.url):
        host = urlsplit(answer.url).netloc
        raise RequestRefused(Rejection.OFF_SITE, "fetch.off-site-redirect", url=_first_url(answer), host=host)
    if target is None:
        return answer
    # Some sites redirect once to the same URL to test whether cookies are stored; twice is a loop.
    times_been = [canonical(url) for url in answer.meta.get("redirect_urls", [])].count(canonical(answer.url))
    if times_been > 1:
        raise RequestRefused(Rejection.REDIRECT_LOOP, "fetch.redirect-circle", url=_first_url(answer))
    # A page that is requested again after a refusal is redirected to the same URLs.
    is_known = times_been or TIMES_META in answer.meta
    if not is_known and not context.frontier.claim(answer.url):
        raise RequestRefused(None)
    return answer


def _first_url(request: Request) -> str:
    return str((request.meta.get("redirect_urls") or [request.url])[0])
