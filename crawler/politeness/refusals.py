"""Explains why a request failed, with a reason that is counted and a message for the operator."""

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

# Key in the meta of a request for a file that exceeds the number of files per run: that number.
BEYOND_FILES = "beyond_files"


class RequestRefused(IgnoreRequest):
    """Raised instead of making a request.

    reason: None if the URL was already requested, which is not counted
    """

    def __init__(self, reason: Rejection | None, code: str | Message = "fetch.seen", /, **params: object) -> None:
        self.reason, self.message = reason, Message.from_code(code, **params)
        super().__init__(self.message)


class KnownText(IgnoreRequest):
    """Raised instead of making a request for a URL that is equivalent to one that was fetched."""


class Postponed(IgnoreRequest):
    """Raised instead of making a request now. Its URL remains pending."""

    def __init__(self, code: str | Message, /, **params: object) -> None:
        self.message = Message.from_code(code, **params)
        super().__init__(self.message)


def explain(failure: Failure, url: str, timeout_s: float, max_body_bytes: int) -> tuple[Rejection | None, Message]:
    """Return why a request failed: a reason, or None if the failure is not counted, and a message."""
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
    """Return why crawler.spiders.crawl_signals stopped a download. meta: the meta of the request."""
    if BEYOND_FILES in meta:
        return Rejection.TOO_MANY_FILES, Message("page.too-many-files", url=url, most=meta[BEYOND_FILES])
    kind = (fault.response.headers.get("Content-Type") or b"").decode("latin-1") if fault.response else ""
    return Rejection.NOT_HTML, Message("page.content-type", url=url, kind=kind)


def _has_endless_headers(fault: BaseException) -> bool:
    """Return True if the headers exceeded the limit. The reasons are in Twisted's exception, the cause of Scrapy's."""
    reasons = getattr(fault.__cause__, "reasons", ())
    return any(reason.check(HeadersTooLarge) for reason in reasons)
