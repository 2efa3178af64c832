"""Records how each page was fetched: a Scrapy download handler, and functions that read its records.

This module captures requests over Scrapy's own connections; crawler.browsing.page_capture captures pages that a browser
loads. For any other response, `make_capture` returns None.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import count
from typing import Any

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.http import Response

from core.captures import Capture, CapturedResource, NameAnswer, WireExchange
from core.circumstances import Machine
from core.hosts import host_key
from core.ids import digest
from crawler.fetching.reactor import running_reactor
from crawler.fetching.resolver import GuardedResolver
from crawler.fetching.routes import RouteFinder
from crawler.fetching.wire import TICKET, ExchangeRecord, RecordingFactory
from crawler.fetching.withheld_secrets import without_secrets

# Converts the headers of a response to plain text.


def decode_headers(response: Response) -> dict[str, str]:
    """Return the header values by name. The values of repeated headers are joined by commas."""
    return {name.decode("latin-1"): b", ".join(values).decode("latin-1") for name, values in response.headers.items()}


EXCHANGES = "zhuiwen_exchanges"  # key in the meta of a request; Scrapy copies the meta from redirect to redirect
CAPTURE = "zhuiwen_capture"  # key in the meta of a request that a browser loaded
# The body of an HTTP redirect is one sentence; a page that redirects by a meta tag has 3 to 60 kB.
MAX_HOP_BODY_BYTES = 64 * 1024


class CapturingHandler(HTTP11DownloadHandler):
    """Scrapy's download handler for http and https, which also records each exchange."""

    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        self._records: dict[bytes, ExchangeRecord] = {}
        self._tickets = count(1)
        self._route_finder = RouteFinder()
        factory: Any = partial(RecordingFactory, self._records, crawler.settings.getfloat("DOWNLOAD_TIMEOUT"))
        self._pool._factory = factory

    async def download_request(self, request: Request) -> Response:
        ticket = b"%d" % next(self._tickets)
        record = self._records[ticket] = ExchangeRecord()
        request.headers[TICKET] = ticket
        try:
            response = await super().download_request(request)
        finally:
            del self._records[ticket]
            del request.headers[TICKET]
        exchange = _wire_exchange(request, response, record, self._route_finder)
        # After an error and a retry, only the last attempt counts, so that the chain has one entry per redirect.
        hops = request.meta.get(EXCHANGES, ())[: request.meta.get("redirect_times", 0)]
        request.meta[EXCHANGES] = (*hops, exchange)
        return response


def make_capture(
    response: Response, resources: Sequence[CapturedResource] = (), machine: Machine | None = None
) -> Capture | None:
    """Return how a response was fetched, including its redirects, or None if nothing was recorded.

    resources: the resources fetched to read the page, which are stored with it. machine: this machine.
    """
    meta = response.meta if response.request is not None else {}
    capture: Capture | None = meta.get(CAPTURE)
    if capture is None and meta.get(EXCHANGES):
        *hops, own = meta[EXCHANGES]
        capture = Capture((*hops, replace(own, body=b"")))
    if capture is None:
        return None
    known = {each.url for each in capture.resources}
    more = tuple(each for each in resources if each.url not in known)
    return replace(capture, resources=(*capture.resources, *more), machine=machine)


def _wire_exchange(
    request: Request, response: Response, record: ExchangeRecord, route_finder: RouteFinder
) -> WireExchange:
    ended, proxy = datetime.now(UTC), str(request.meta.get("proxy") or "")
    is_through_proxy = bool(proxy)
    address, port = ("", 0) if is_through_proxy else record.server
    return WireExchange(
        url=response.url,
        status=response.status,
        request_head=without_secrets(record.request_head),
        response_head=without_secrets(record.response_head),
        connected_at=record.connected_at,
        sent_at=record.sent_at or ended,
        answered_at=record.answered_at or ended,
        ended_at=ended,
        server_address=address,
        server_port=port,
        body_digest=digest(response.body),
        body_bytes=len(response.body),
        body=response.body[:MAX_HOP_BODY_BYTES],
        is_through_proxy=is_through_proxy,
        name_answer=None if is_through_proxy else _name_answer(response.url),
        tls=record.tls,
        way=route_finder.find_route(host_key(response.url)[0], record.own_address, record.server[0], proxy),
    )


def _name_answer(url: str) -> NameAnswer | None:
    """Return the guarded resolver's last answer for a URL's host.

    A reused connection used this or an earlier answer.
    """
    reactor = running_reactor()
    resolver = reactor.nameResolver
    return resolver.last_answer(host_key(url)[0]) if isinstance(resolver, GuardedResolver) else None
