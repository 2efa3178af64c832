"""The content security policy of the admin: pages load and run only the admin's own files, and no inline scripts."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from django.http import HttpRequest, HttpResponseBase

# A second line of defence, because crawled text is escaped already.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
# For Unfold's lists and forms: Alpine evaluates attributes as scripts, and the colours are inline styles.
LIBRARY_POLICY = CONTENT_SECURITY_POLICY.replace("script-src 'self'", "script-src 'self' 'unsafe-eval'").replace(
    "style-src 'self'", "style-src 'self' 'unsafe-inline'"
)
FILE_POLICY = "sandbox; default-src 'none'"
Response = TypeVar("Response", bound=HttpResponseBase)


class AnswerHeadersMiddleware:
    """Sets a content security policy on each response that has none, and forbids caching."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        is_page = response.headers.get("Content-Type", "").startswith("text/html")
        response.headers.setdefault("Content-Security-Policy", LIBRARY_POLICY if is_page else FILE_POLICY)
        response.headers.setdefault("Cache-Control", "no-store, private")
        return response


def set_policy(response: Response, *, frames: bool = False) -> Response:
    """Set the policy on a response and return it. frames: whether it contains another admin page in a frame."""
    response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY + ("; frame-src 'self'" if frames else "")
    return response


def add_content_policy(view: Callable[..., Response]) -> Callable[..., Response]:
    """Decorate a view so that its responses have the content security policy of the admin."""

    @wraps(view)
    def answer(*args: Any, **options: Any) -> Response:
        return set_policy(view(*args, **options))

    return answer
