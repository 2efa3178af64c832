"""Why a request came to nothing, as a reason that can be counted and a sentence for the operator."""

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


class RequestRefused(IgnoreRequest):
    """A request that is not made; `reason` None means that it was made before, which is no news."""

    def __init__(self, reason: Rejection | None, sentence: str = "") -> None:
        self.reason, self.sentence = reason, sentence
        super().__init__(sentence or "fetched before")


class Postponed(IgnoreRequest):
    """A request that is not made now: the address stays to be done."""


def explain(failure: Failure, url: str, timeout_s: float, max_body_bytes: int) -> tuple[Rejection | None, str]:
    """The reason (None: nothing to count) and the sentence for a request to `url` that failed."""
    fault = failure.value
    if isinstance(fault, RequestRefused):
        return fault.reason, fault.sentence
    if isinstance(fault, HttpError):
        return Rejection.HTTP_ERROR, f"{url} answers with HTTP status {fault.response.status}"
    if isinstance(fault, DownloadCancelledError):
        return (
            Rejection.TOO_LARGE,
            f"{url} is larger than {max_body_bytes} bytes; raise ZHUIWEN_MAX_BODY_BYTES to read it",
        )
    if isinstance(fault, StopDownload):
        kind = (fault.response.headers.get("Content-Type") or b"").decode("latin-1") if fault.response else ""
        return Rejection.NOT_HTML, f"{url} is no web page: its content type is {kind}"
    if isinstance(fault, DownloadTimeoutError):
        return Rejection.NO_ANSWER, f"{url} does not answer within {timeout_s:g} seconds"
    if "HeadersTooLarge" in str(fault):
        return Rejection.TOO_LARGE, f"{url} sends headers without end"
    if isinstance(fault, DownloadConnectionRefusedError):
        return Rejection.NO_ANSWER, f"{url} does not answer: the connection is refused; is the address right?"
    if isinstance(fault, CannotResolveHostError):
        return Rejection.NO_ANSWER, f"{url} does not answer: its host name is not known; is the address right?"
    if isinstance(fault, IgnoreRequest):
        return Rejection.HTTP_ERROR, f"{url} is not fetched: {fault}"
    return Rejection.NO_ANSWER, f"{url} breaks off its answer ({type(fault).__name__})"
