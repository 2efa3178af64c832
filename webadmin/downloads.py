"""Files handed out as downloads, which no browser shows: they may be anything."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from django.http import FileResponse, HttpResponse, HttpResponseBase
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _

from core.errors import ZhuiwenError
from core.ids import Digest
from records import stores
from webadmin.wording import said


def as_download(name: str, content: bytes) -> HttpResponse:
    response = HttpResponse(content, content_type="application/octet-stream")
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=name)
    response["X-Content-Type-Options"] = "nosniff"
    return response


def kept_download(name: str, digest: str) -> HttpResponse:
    """A file of the evidence store; a sentence where it cannot be had."""
    try:
        content = stores.evidence_store().get(Digest(digest))
    except ZhuiwenError as error:
        return HttpResponse(said(error), status=409, content_type="text/plain; charset=utf-8")
    if content is None:
        gone = _("This file is no longer in the evidence store.")
        return HttpResponse(gone, status=404, content_type="text/plain; charset=utf-8")
    return as_download(name, content)


def exported(name: str, write: Callable[[Path], object]) -> HttpResponseBase:
    """The zip that `write` makes, as the command line has it, written aside and sent from there; or why not."""
    with tempfile.TemporaryDirectory(prefix="zhuiwen-export-") as folder:
        path = Path(folder) / "export.zip"
        try:
            write(path)
        except ZhuiwenError as error:
            return HttpResponse(said(error), status=409, content_type="text/plain; charset=utf-8")
        file = path.open("rb")  # stays readable when the folder goes
    return FileResponse(file, as_attachment=True, filename=name, content_type="application/zip")


def raw_download(digest: str) -> HttpResponse:
    """The bytes that a site sent, as a file that no browser opens as a page; a sentence where they cannot be had."""
    plain = "text/plain; charset=utf-8"
    try:
        body = stores.page_store().raw(Digest(digest))
    except ZhuiwenError as error:
        return HttpResponse(said(error), status=503, content_type=plain)
    if body is None:
        return HttpResponse(_("The raw response is no longer in the page store."), status=404, content_type=plain)
    response = HttpResponse(body, content_type="text/plain")
    response["Content-Disposition"] = f'attachment; filename="response-{digest[:16]}.txt"'
    response["X-Content-Type-Options"] = "nosniff"
    return response
