"""A request that is larger than any form or file of the desk is refused before a byte of it is read."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from webadmin.ui.pages.wording import said
from webadmin.ui.services.upload_limits import MAX_UPLOAD_BYTES, TOO_LARGE

MAX_REQUEST_BYTES = MAX_UPLOAD_BYTES + 1024 * 1024  # the files, and the fields of the form beside them


class RequestSizeMiddleware:
    """Answers 413 with one sentence. What declares no length has no body under WSGI."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        declared = request.META.get("CONTENT_LENGTH") or ""
        if declared.isdecimal() and int(declared) > MAX_REQUEST_BYTES:
            return HttpResponse(said(TOO_LARGE), status=413, content_type="text/plain; charset=utf-8")
        return self._get_response(request)
