"""Explains why a request failed, with a countable reason and a message for the operator."""

from typing import Any

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadTimeoutError,
    IgnoreRequest,
    StopDownload,
)
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from core.states import Rejection
from core.wording import Message
from crawler.fetching.wire import HeadersTooLarge

BEYOND_FILES = "beyond_files"  # key in a request's meta: the maximum number of files of a run, if this file exceeds it


class RequestRefused(IgnoreRequest):
    """Raised instead of making a request. If `reason` is None, the URL was already requested, which is not counted."""

    def __init__(self, reason: Rejection | None, code: str | Message = "fetch.seen", /, **params: object) -> None:
        self.reason, self.message = reason, Message.from_code(code, **params)
        super().__init__(self.message)


class KnownText(IgnoreRequest):
    """Raised for a request that is not made because its URL is equivalent to one that was fetched."""


class Postponed(IgnoreRequest):
    """Raised for a request that is not made now; its URL stays pending."""

    def __init__(self, code: str | Message, /, **params: object) -> None:
        self.message = Message.from_code(code, **params)
        super().__init__(self.message)


def explain(failure: Failure, url: str, timeout_s: float, max_body_bytes: int) -> tuple[Rejection | None, Message]:
    """Return why a request to `url` failed: a reason, or None if it is not counted, and a message."""
    fault = failure.value
    if isinstance(fault, RequestRefused):
        return fault.reason, fault.message
    if isinstance(fault, HttpError):
        return Rejection.HTTP_ERROR, Message("fetch.status", url=url, status=fault.response.status)
    if isinstance(fault, DownloadCancelledError):
        return Rejection.TOO_LARGE, Message("fetch.too-large", url=url, bytes=max_body_bytes)
    if isinstance(fault, StopDownload):
        return _explain_stop(fault, failure.request.meta, url)  # type: ignore[attr-defined]
    if isinstance(fault, DownloadTimeoutError):
        return Rejection.NO_ANSWER, Message("fetch.slow", url=url, seconds=timeout_s)
    if fault is not None and _has_endless_headers(fault):
        return Rejection.TOO_LARGE, Message("fetch.endless-headers", url=url)
    if isinstance(fault, DownloadConnectionRefusedError):
        return Rejection.NO_ANSWER, Message("fetch.connection-refused", url=url)
    if isinstance(fault, CannotResolveHostError):
        return Rejection.NO_ANSWER, Message("fetch.unknown-host", url=url)
    if isinstance(fault, IgnoreRequest):
        return Rejection.HTTP_ERROR, Message("core.not-fetched", url=url, reason=fault)
    return Rejection.NO_ANSWER, Message("fetch.broken-off", url=url, kind=type(fault).__name__)


def _explain_stop(fault: StopDownload, meta: dict[str, Any], url: str) -> tuple[Rejection, Message]:
    """Return why crawler.spiders.crawl_signals stopped a download."""
    if BEYOND_FILES in meta:
        return Rejection.TOO_MANY_FILES, Message("page.too-many-files", url=url, most=meta[BEYOND_FILES])
    kind = (fault.response.headers.get("Content-Type") or b"").decode("latin-1") if fault.response else ""
    return Rejection.NOT_HTML, Message("page.content-type", url=url, kind=kind)


def _has_endless_headers(fault: BaseException) -> bool:
    """Return True if headers exceeded the limit. Twisted's exception, the cause of Scrapy's, has the reasons."""
    reasons = getattr(fault.__cause__, "reasons", ())
    return any(reason.check(HeadersTooLarge) for reason in reasons)
