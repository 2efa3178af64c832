"""Refuses harmful bodies: decompression bombs, too many layers of compression, archives, and entity declarations."""

from scrapy import Request
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from core.states import Rejection
from crawler.fetching.bodies import MAX_CODINGS, READ_ARCHIVES, archive_kind, declares_entities, swells
from crawler.frontier import asks_for_page
from crawler.politeness.refusals import RequestRefused


class CompressionMiddleware(HttpCompressionMiddleware):
    """Scrapy's decompression, which also refuses decompression bombs, archives and too many layers of compression."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        codings = b",".join(response.headers.getlist("Content-Encoding")).count(b",") + 1
        if codings > MAX_CODINGS:
            raise RequestRefused(Rejection.TOO_LARGE, "fetch.compressed", url=request.url, count=codings)
        try:
            plain = super().process_response(request, response)
        except IgnoreRequest as fault:
            raise RequestRefused(Rejection.TOO_LARGE, "fetch.grows", url=request.url) from fault
        if isinstance(plain, Response):
            _require_plain(request, len(response.body), plain)
        return plain


def _require_plain(request: Request, size: int, plain: Response) -> None:
    """Raise RequestRefused if a body must not be opened. size: the number of its bytes as received."""
    if swells(size, len(plain.body)):
        ratio = len(plain.body) // max(size, 1)
        raise RequestRefused(Rejection.TOO_LARGE, "fetch.swells", url=request.url, ratio=ratio)
    is_page = asks_for_page(request)
    kind = archive_kind(plain.body, may_be_gzip=not is_page)
    if kind and not (is_page and kind in READ_ARCHIVES):
        raise RequestRefused(Rejection.NOT_HTML, "page.archive", url=request.url, kind=kind)
    if declares_entities(plain.body):
        raise RequestRefused(Rejection.NOT_HTML, "page.entities", url=request.url)
