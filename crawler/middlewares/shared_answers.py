"""Scrapy's downloader middleware that shares responses between sites on one host: one fetch, read by each site's rules.

A host is crawled for one site at a time (webadmin.sites.services.runs), so the second of two crawls finds the
responses of the first. robots.txt, the site's own hosts and its permitted URLs are checked before. A shared response
uses no budget and waits for no delay. Refused requests and requests for files are always sent.
"""

import asyncio
from contextlib import suppress
from typing import Any

from scrapy import Request
from scrapy.exceptions import NotConfigured
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes

from core.errors import ZhuiwenError
from core.host_answers import HostAnswer
from core.ids import digest
from crawler.browsing.on_demand import BROWSER_META
from crawler.context import CrawlContext, get_context
from crawler.fetching.capture import EARLIER, note_earlier_fetch, own_capture
from crawler.frontier import asks_for_page
from crawler.middlewares.refusal_handling import TIMES_META
from crawler.opening import is_attachment, is_page_type
from crawler.recrawl.site_visits import NOT_MODIFIED

# Statuses that a second crawl would also get; others are temporary faults and refusals.
_SHARED_STATUSES = frozenset({200, 301, 302, 303, 304, 307, 308, 404, 410})
_VALIDATORS = ("If-None-Match", "If-Modified-Since")


class SharedAnswersMiddleware:
    """Reuses responses that were fetched for another site on the host, and keeps those that this crawl fetches."""

    def __init__(self, context: CrawlContext) -> None:
        if context.plan.answers_since is None or context.answers is None:
            raise NotConfigured
        self._context, self._answers, self._since = context, context.answers, context.plan.answers_since

    @classmethod
    def from_crawler(cls, crawler: Any) -> "SharedAnswersMiddleware":
        return cls(get_context(crawler))

    async def process_request(self, request: Request) -> Response | None:
        request.meta.pop(EARLIER, None)
        if not _is_shared(request) or request.meta.get("retry_times") or request.meta.get(TIMES_META):
            return None
        answer = await self._newest_answer(request)
        if answer is None or answer.site_id == self._context.plan.site_id:
            return None
        note_earlier_fetch(request, answer)
        self._context.stats.counts.requested += asks_for_page(request)
        headers = Headers()
        for name, value in answer.headers:
            headers.appendlist(name, value.encode("latin-1"))
        kind = responsetypes.from_args(headers=headers, url=answer.url, body=answer.body)
        return kind(answer.url, status=answer.status, headers=headers, body=answer.body, request=request)

    async def process_response(self, request: Request, response: Response) -> Response:
        capture = own_capture(request, self._context.machine)
        if (
            EARLIER in request.meta
            or capture is None
            or not _is_shared(request)
            or not _may_be_given(request, response)
        ):
            return response
        answer = HostAnswer(
            key=_response_keys(request)[0] if response.status == NOT_MODIFIED else _response_keys(request)[-1],
            site_id=self._context.plan.site_id,
            fetched_at=self._context.clock.now(),
            url=response.url,
            status=response.status,
            headers=tuple(
                (name.decode("latin-1"), value.decode("latin-1"))
                for name, values in response.headers.items()
                for value in values
                if name.lower() != b"set-cookie"
            ),
            body=response.body,
            capture=capture,
        )
        with suppress(ZhuiwenError):  # the other crawl then fetches it again
            await asyncio.to_thread(self._answers.put, answer)
        return response

    async def _newest_answer(self, request: Request) -> HostAnswer | None:
        now = self._context.clock.now()
        try:
            return await asyncio.to_thread(self._answers.newest, _response_keys(request), self._since, now)
        except ZhuiwenError:
            return None


def _is_shared(request: Request) -> bool:
    return request.method == "GET" and not request.body


def _may_be_given(request: Request, response: Response) -> bool:
    """Return True if another crawl may use this response. Files are excluded: each crawl counts their downloads."""
    if response.status not in _SHARED_STATUSES:
        return False
    if response.status != 200 or not asks_for_page(request):
        return True
    kind, disposition = (
        (response.headers.get(name) or b"").decode("latin-1") for name in ("Content-Type", "Content-Disposition")
    )
    return is_page_type(kind) and not is_attachment(disposition)


def _response_keys(request: Request) -> list[str]:
    """Return the keys of the responses to a request: a 304 to its validators, if it has any, then a whole response."""
    way = "browser" if request.meta.get(BROWSER_META) else "plain"
    validators = [(request.headers.get(name) or b"").decode("latin-1") for name in _VALIDATORS]
    whole = digest(f"{way}\n{request.url}".encode())
    return [digest("\n".join((whole, *validators)).encode()), whole] if any(validators) else [whole]
