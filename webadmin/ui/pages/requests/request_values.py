"""Checks every request and all of its values before a view reads them."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from django.core.exceptions import BadRequest
from django.db.models import Manager, Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from core.hidden_characters import clip_text
from webadmin.ui.pages.wording import message_text
from webadmin.ui.services.upload_limits import MAX_REQUEST_BYTES, TOO_LARGE

R = TypeVar("R", bound=Model)
PAGE_OF_LINES = "-page"  # the suffix of the parameter for the page number of a form's inline rows (django-unfold)
MAX_PAGE_DIGITS = 6
MAX_KEY = 2**63 - 1  # the largest 64-bit signed integer
LINES = "-TOTAL_FORMS"  # the suffix of the field with the number of a form's inline rows
MAX_LINES = 200  # rows of an inline; with four fields each, near Django's limit of 1,000 fields; 2,000 took minutes
MAX_SEARCH_CHARS = 500  # the length of the longest stored title
# The database searches each field of each row for each word: 20 words in 100,000 pages take 0.5 s (SQLite, 2026-11).
MAX_SEARCH_WORDS = 20


class RequestSizeMiddleware:
    """Rejects requests larger than any form with status 413, before the body is read.

    A request without a declared length has no body under WSGI.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        declared = request.META.get("CONTENT_LENGTH") or ""
        if declared.isdecimal() and int(declared) > MAX_REQUEST_BYTES:
            return HttpResponse(message_text(TOO_LARGE), status=413, content_type="text/plain; charset=utf-8")
        return self._get_response(request)


class RequestValuesMiddleware:
    """Rejects values that a database cannot store, invalid page numbers, and forms with too many inline rows."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_view(self, request: HttpRequest, view: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Raise BadValue for a bad value in the query, form or path. Django calls it after URL resolution."""
        for name, value in _request_strings(request, kwargs):
            if "\0" in value or "\0" in name:
                raise BadValue(name, value, _("the character U+0000 cannot be stored."))
            if name.endswith(PAGE_OF_LINES) and not is_page_number(value):
                raise BadValue(name, value, _("enter the number of a page."))
            if name.endswith(LINES) and not (is_page_number(value) and int(value) <= MAX_LINES):
                raise BadValue(name, value, _("a form has %(most)d lines at most.") % {"most": MAX_LINES})


def check_search(term: str, name: str = "q") -> None:
    """Raise BadValue for a search term that would take the database too long. name: the URL parameter."""
    if len(term) > MAX_SEARCH_CHARS:
        raise BadValue(name, term, _("search for at most %(most)d characters.") % {"most": MAX_SEARCH_CHARS})
    if len(term.split()) > MAX_SEARCH_WORDS:
        raise BadValue(name, term, _("search for at most %(most)d words.") % {"most": MAX_SEARCH_WORDS})


def is_key(text: str) -> bool:
    """Return True if a text could be the key of a record."""
    return text.isascii() and text.isdecimal() and len(text) <= 19 and int(text) <= MAX_KEY


def record_of_key(rows: "Manager[R] | QuerySet[R]", key: str) -> R | None:
    """Return the record with a key from a URL or form, or None if there is none."""
    return rows.filter(pk=int(key)).first() if is_key(key) else None


def require_record(rows: "Manager[R] | QuerySet[R]", key: str) -> R:
    """Return the record with a key from a URL or form. Raises Http404 if there is none."""
    record = record_of_key(rows, key)
    if record is None:
        raise Http404
    return record


def is_page_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= MAX_PAGE_DIGITS


def _request_strings(request: HttpRequest, kwargs: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield from ((name, value) for name, value in kwargs.items() if isinstance(value, str))
    for source in (request.GET, request.POST):
        for name, values in source.lists():
            yield from ((name, str(value)) for value in values)


MAX_SHOWN_CHARS = 60


class BadValue(BadRequest):
    """A URL or form contains a bad value. sentence: the error and the allowed values, translated."""

    def __init__(self, name: str, value: str, wanted: str) -> None:
        self.name = name
        shown = {"name": clip_text(name, MAX_SHOWN_CHARS), "value": clip_text(value, MAX_SHOWN_CHARS), "wanted": wanted}
        self.sentence = _("“%(name)s” cannot be “%(value)s”: %(wanted)s") % shown
        super().__init__(f"{name}: a value that cannot be used")
