"""What a page of the desk may load and run: its own files, and nothing that stands in the page itself."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from django.http import HttpResponseBase

# Crawled text is escaped; this stands behind it.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
Response = TypeVar("Response", bound=HttpResponseBase)


def with_policy(response: Response, *, frames: bool = False) -> Response:
    """Give a response the policy. frames: the page shows another of our pages in a frame."""
    response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY + ("; frame-src 'self'" if frames else "")
    return response


def has_policy(view: Callable[..., Response]) -> Callable[..., Response]:
    """Decorate a view whose answers are all under the policy."""

    @wraps(view)
    def answer(*args: Any, **options: Any) -> Response:
        return with_policy(view(*args, **options))

    return answer
