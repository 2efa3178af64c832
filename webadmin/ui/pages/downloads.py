"""Responses that download files. Browsers must not display the files, because they may contain anything."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from django.http import FileResponse, HttpResponse, HttpResponseBase
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _

from core.errors import ZhuiwenError
from core.ids import Digest
from webadmin import stores
from webadmin.ui.pages.wording import message_text


def as_file(
    name: str, content: bytes, kind: str = "application/octet-stream", *, is_shown: bool = False
) -> HttpResponse:
    """Return a file that browsers do not treat as a page.

    kind: the media type. is_shown: the product made the file, so that browsers may display it.
    """
    response = HttpResponse(content, content_type=kind)
    response["Content-Disposition"] = content_disposition_header(not is_shown, name) or "attachment"
    response["X-Content-Type-Options"] = "nosniff"
    return response


def refusal(sentence: str, status: int) -> HttpResponse:
    """Return a plain-text response that explains why there is no file."""
    return HttpResponse(sentence, status=status, content_type="text/plain; charset=utf-8")


def kept_download(name: str, digest: str) -> HttpResponse:
    """Return a file from the evidence store, or an error response if it is unavailable."""
    try:
        content = stores.evidence_store().get(Digest(digest))
    except ZhuiwenError as error:
        return refusal(message_text(error), 409)
    if content is None:
        return refusal(_("This file is no longer in the evidence store."), 404)
    return as_file(name, content)


def zip_response(name: str, write: Callable[[Path], object]) -> HttpResponseBase:
    """Return the ZIP file that `write` writes, or its error as a response."""
    try:
        return spooled_download(name, write)
    except ZhuiwenError as error:
        return refusal(message_text(error), 409)


def spooled_download(name: str, write: Callable[[Path], object], folder: Path | None = None) -> FileResponse:
    """Return the ZIP file that `write` writes. folder: for the temporary file, by default the system's."""
    with tempfile.TemporaryDirectory(prefix="zhuiwen-export-", dir=folder) as inside:
        path = Path(inside) / "export.zip"
        write(path)
        file = path.open("rb")  # The open file stays readable after the folder is removed.
    return FileResponse(file, as_attachment=True, filename=name, content_type="application/zip")


def raw_download(digest: str) -> HttpResponse:
    """Return a raw response as a file that browsers do not open as a page, or an error response if it is gone."""
    try:
        body = stores.page_store().raw(Digest(digest))
    except ZhuiwenError as error:
        return refusal(message_text(error), 503)
    if body is None:
        return refusal(_("The raw response is no longer in the page store."), 404)
    return as_file(f"response-{digest[:16]}.txt", body, "text/plain")
