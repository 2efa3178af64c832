"""Fetches the resources of pages through the crawl's downloader.

So the crawl's pace, proxies, robots.txt and resolver apply. The thread of the reading process submits requests, and the
reactor fetches them. The thread waits at most MAX_WAIT_S.
"""

from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTime
from typing import Any

from scrapy import Request
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro

from core.settings import CrawlSettings
from crawler.fetching.addresses import AddressGuard
from crawler.fetching.reactor import running_reactor
from crawler.fetching.resources import MAX_BYTES, ResourceKind, SiteResources

TIMEOUT_S = 10.0  # per resource; a page can be read without the resource
MAX_WAIT_S = 60.0  # including the pauses that the site's crawl delay requires
PRIORITY = 40  # before pages, because a page waits for the resource
_ACCEPTED = {
    ResourceKind.STYLE: "text/css,*/*;q=0.1",
    ResourceKind.FONT: "font/woff2,font/woff,font/ttf,*/*;q=0.1",
    ResourceKind.PICTURE: "image/png,image/gif,image/jpeg,image/webp,*/*;q=0.1",
    ResourceKind.DATA: "application/json,text/html;q=0.9,*/*;q=0.1",
}


def downloaded_resources(crawler: Any, settings: CrawlSettings, count_bytes: Callable[[int], None]) -> SiteResources:
    """Return the resources for the site of a running crawler. count_bytes: called with the size of each response."""

    def fetch(url: str, kind: ResourceKind) -> bytes | None:
        reactor = running_reactor()
        answer: Future[bytes | None] = Future()
        reactor.callFromThread(_request_resource, crawler, url, kind, answer, count_bytes)
        try:
            return answer.result(timeout=MAX_WAIT_S)
        except NotInTime:
            return None

    return SiteResources(fetch, AddressGuard(settings.allow_private_hosts))


def _request_resource(
    crawler: Any, url: str, kind: ResourceKind, answer: "Future[bytes | None]", count_bytes: Callable[[int], None]
) -> None:
    request = Request(
        url,
        headers={"Accept": _ACCEPTED[kind]},
        priority=PRIORITY,
        dont_filter=True,
        meta={
            "download_timeout": TIMEOUT_S,
            "download_maxsize": MAX_BYTES[kind],
            "dont_retry": True,
            "dont_redirect": True,
        },
    )
    try:
        downloaded = deferred_from_coro(crawler.engine.download_async(request))
    except Exception:  # the engine is closing, and no thread waits for the response
        answer.set_result(None)
        return

    def deliver(response: Response) -> None:
        count_bytes(len(response.body))
        answer.set_result(_resource_body(response, kind))

    downloaded.addCallbacks(deliver, lambda failure: answer.set_result(None))


def _resource_body(response: Response, kind: ResourceKind) -> bytes | None:
    is_there = response.status == 200 and len(response.body) <= MAX_BYTES[kind]
    return bytes(response.body) if is_there else None
