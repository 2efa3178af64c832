"""The page with the text of a chapter."""

from collections.abc import Iterator

from django.core.paginator import Page
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from core.errors import ZhuiwenError
from core.ids import WorkTextId
from webadmin import stores
from webadmin.accounts.services import access
from webadmin.ui.pages.page_responses import admin_page, requested_page
from webadmin.ui.pages.requests.request_values import is_key
from webadmin.ui.pages.wording import message_text
from webadmin.works.models import Chapter, Work

CHUNK_CHARS = 20_000  # on one page; a chapter of a novel has 3,000 characters, a whole work a million


def read_chapter_view(request: HttpRequest, work: Work, number: str) -> HttpResponse:
    """Return the page with the text of the chapter `number`, or with one chunk of a long text.

    Raises Http404 if there is no such chapter or the user may not see the work, and BadValue for an invalid chunk
    number. The page has status 503 if the text cannot be read.
    """
    chapter = work.chapters.filter(number=int(number)).first() if is_key(number) else None
    if chapter is None or not access.may_see(request.user, work):
        raise Http404
    chunk, fault = _requested_chunk(request, chapter)
    context = {
        "opts": Work._meta,
        "title": f"《{work.title}》 {chapter}",
        "subtitle": None,
        "work": work,
        "chapter": chapter,
        "page": chunk,
        "lines": chunk.object_list[0].split("\n") if chunk is not None else [],
        "fault": fault,
        "query": "",
        "previous": work.chapters.filter(number__lt=chapter.number).order_by("-number").first(),
        "following": work.chapters.filter(number__gt=chapter.number).order_by("number").first(),
        "may_manage": access.may_manage(request.user, work),
    }
    return admin_page(request, "works/read_chapter.html", context, status=503 if fault else 200)


def text_chunks(text: str, most: int = CHUNK_CHARS) -> Iterator[str]:
    r"""Yield the text in chunks of at most `most` characters, each cut after a line feed if it contains one.

    >>> list(text_chunks("甲\n乙\n丙丁戊己", 4))
    ['甲\n乙\n', '丙丁戊己']
    """
    start = 0
    while len(text) - start > most:
        cut = text.rfind("\n", start, start + most) + 1
        end = cut if cut > start else start + most
        yield text[start:end]
        start = end
    yield text[start:]


def _requested_chunk(request: HttpRequest, chapter: Chapter) -> "tuple[Page[str] | None, str]":
    """Return the requested chunk and "", or None and the reason if the text cannot be read."""
    try:
        text = stores.work_store().text(WorkTextId(chapter.text_id))
    except ZhuiwenError as error:
        return None, message_text(error)
    if text is None:
        return None, _("The text is not in the store; upload the work again.")
    return requested_page(request, list(text_chunks(text)), 1), ""
