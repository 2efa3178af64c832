"""The page of a whole book on a site, with a strip and a table of all chapters, and the links to such pages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.core.exceptions import PermissionDenied
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext_lazy

from core.chapters import format_chapter_numbers
from core.hidden_characters import clip_text, spell_hidden
from core.shares import cut_share, format_percentage
from core.states import COPIES
from webadmin.accounts.services import access
from webadmin.cases.models import Case
from webadmin.review.services.whole_book import ChapterCopies, CopyExtent, WholeBook, whole_book
from webadmin.sites.models import Site
from webadmin.ui.pages.columns import MAX_SITE_CHARS, html_list
from webadmin.ui.pages.exports import ExportColumn, csv_response, xlsx_response
from webadmin.ui.pages.page_responses import admin_page, requested_page
from webadmin.ui.pages.requests.request_values import BadValue
from webadmin.ui.pages.wording import duration
from webadmin.works.models import Work


@dataclass(frozen=True, slots=True)
class Selection:
    """A filter of chapters. key: its URL value."""

    key: str
    label: Any  # a string, lazily translated
    has: Callable[[ChapterCopies, set[int]], bool]  # a function of the chapter and the numbers of missing chapters


SELECTIONS = (
    Selection("", _("all chapters"), lambda chapter, gaps: True),
    Selection(
        "full",
        pgettext_lazy("a chapter on a site", "complete or nearly so"),
        lambda chapter, gaps: chapter.extent is CopyExtent.FULL,
    ),
    Selection(
        "part", pgettext_lazy("a chapter on a site", "in part"), lambda chapter, gaps: chapter.extent is CopyExtent.PART
    ),
    Selection("missing", _("missing"), lambda chapter, gaps: chapter.extent is CopyExtent.NONE),
    Selection("gaps", _("missing in between"), lambda chapter, gaps: chapter.number in gaps),
    Selection("early", _("before the official time"), lambda chapter, gaps: chapter.is_early),
    Selection(
        "late",
        _("on or after the official time"),
        lambda chapter, gaps: chapter.lead is not None and chapter.lead <= timedelta(0),
    ),
    Selection("merged", _("multiple per page"), lambda chapter, gaps: chapter.is_merged),
    Selection("spread", _("across multiple pages"), lambda chapter, gaps: chapter.is_spread),
)


def select_chapters(book: WholeBook, key: str) -> list[ChapterCopies]:
    """Return the chapters that a URL value selects. Raises BadValue for an unknown value."""
    selection = next((each for each in SELECTIONS if each.key == key), None)
    if selection is None:
        choices = ", ".join(each.key for each in SELECTIONS if each.key)
        raise BadValue("show", key, _now("it can be one of: %(choices)s.") % {"choices": choices})
    return _matching_chapters(book, selection)


def chips(book: WholeBook, chosen: str) -> list[dict[str, Any]]:
    """Return the available selections: the current one, and all that match a chapter."""
    counted = [(each, len(_matching_chapters(book, each))) for each in SELECTIONS]
    return [
        {"key": each.key, "label": each.label, "count": count, "is_chosen": each.key == chosen}
        for each, count in counted
        if count or each.key in ("", chosen)
    ]


def _matching_chapters(book: WholeBook, selection: Selection) -> list[ChapterCopies]:
    gaps = {chapter.number for chapter in book.gaps}
    return [chapter for chapter in book.chapters if selection.has(chapter, gaps)]


EXTENTS = {
    CopyExtent.FULL: pgettext_lazy("a chapter on a site", "complete or nearly so"),
    CopyExtent.PART: pgettext_lazy("a chapter on a site", "in part"),
    CopyExtent.NONE: _("missing"),
}
PER_PAGE = 100  # chapters on one page of the table; the strip contains all
LONG = 600  # chapters; a longer strip is displayed smaller
MAX_PAGES_SHOWN = 4  # pages listed for a chapter; all others are counted, and listed in the export
MAX_TITLE_CHARS = 40  # characters of a page's title in the table
FILES: dict[str, Callable[..., HttpResponseBase]] = {"csv": csv_response, "xlsx": xlsx_response}


def describe_lead(lead: timedelta | None) -> str:
    """Return a lead in words, or a lag if negative, rounded down to whole units, or "" if it is unknown.

    >>> from django.utils import translation
    >>> with translation.override("en"):
    ...     [describe_lead(timedelta(hours=hours)) for hours in (3.9, 47, -50, 0)]
    ['3 hours early', '47 hours early', '2 days late', 'at the same time']
    """
    if lead is None:
        return ""
    if abs(lead) < timedelta(minutes=1):
        return _now("at the same time")
    words = _now("%(time)s early") if lead > timedelta(0) else _now("%(time)s late")
    return words % {"time": duration(abs(lead))}


def _lead_hours(chapter: ChapterCopies) -> float | None:
    """Return the lead in hours for sorting and calculation, negative for a lag, or None if it is unknown."""
    return None if chapter.lead is None else round(chapter.lead.total_seconds() / 3600, 2)


def _describe_structure(chapter: ChapterCopies) -> str:
    words = [_now("multiple per page")] * chapter.is_merged + [_now("across multiple pages")] * chapter.is_spread
    return "; ".join(words)


COLUMNS = (
    ExportColumn(_("chapter"), lambda chapter: chapter.number),
    ExportColumn(_("title"), lambda chapter: spell_hidden(chapter.title)),
    ExportColumn(_("state"), lambda chapter: EXTENTS[chapter.extent]),
    ExportColumn(_("share of the chapter"), lambda chapter: cut_share(chapter.share)),
    ExportColumn(_("characters taken (each once)"), lambda chapter: chapter.taken_chars),
    ExportColumn(_("officially published"), lambda chapter: chapter.official_at),
    ExportColumn(_("first seen on the site"), lambda chapter: chapter.first_seen),
    ExportColumn(_("publication date stated by the page"), lambda chapter: chapter.stated_publication),
    ExportColumn(_("against the official time"), lambda chapter: describe_lead(chapter.lead)),
    ExportColumn(_("hours before the official time"), _lead_hours),
    ExportColumn(_("merged or spread"), _describe_structure),
    ExportColumn(_("cases"), lambda chapter: ", ".join(str(each.page.case_id) for each in chapter.pages)),
    ExportColumn(_("pages"), lambda chapter: "\n".join(spell_hidden(each.page.url) for each in chapter.pages)),
)


def whole_book_view(request: HttpRequest, work: Work, site: Site) -> HttpResponseBase:
    """Show the chapters of a work on a site, or return the list as a file (?export=csv or xlsx).

    Raises Http404 if work and site have different rights holders or the user may not see them, PermissionDenied for a
    file unless the user is a manager, BadValue for an unknown selection or format.
    """
    if site.rights_holder_id != work.rights_holder_id or not access.may_see(request.user, work):
        raise Http404
    book = whole_book(site.pk, work.pk)
    shown = request.GET.get("show", "")
    chapters = select_chapters(book, shown)
    if "export" in request.GET:
        return _export_response(request, work, site, chapters)
    page = requested_page(request, chapters, PER_PAGE)
    context = {
        "opts": Work._meta,
        "title": _now("Whole book"),
        "work": work,
        "site": site,
        "book": book,
        "lead": describe_lead(book.lead),
        "strip": strip(book),
        "is_long": len(book.chapters) > LONG,
        "per_page": PER_PAGE,
        "chips": chips(book, shown),
        "show": shown,
        "page": page,
        "rows": [chapter_row(chapter) for chapter in page],
        "query": urlencode({"show": shown}) if shown else "",
        "may_export": access.may_manage(request.user, work),
        "is_undated": not any(chapter.official_at for chapter in book.chapters),
    }
    return admin_page(request, "review/whole_book.html", context)


def chapter_row(chapter: ChapterCopies) -> dict[str, Any]:
    shown = chapter.pages[:MAX_PAGES_SHOWN]
    return {
        "chapter": chapter,
        "state": EXTENTS[chapter.extent],
        "lead": describe_lead(chapter.lead),
        "pages": [(each, clip_text(each.page.title, MAX_TITLE_CHARS)) for each in shown],
        "more_pages": len(chapter.pages) - len(shown),
        "companions": _companion_chapters(chapter),
    }


def _companion_chapters(chapter: ChapterCopies) -> str:
    pages = (each.page for each in chapter.pages if each.page.is_merged and chapter.number in each.page.carries)
    return format_chapter_numbers(
        [number for page in list(pages)[:1] for number in page.carries if number != chapter.number]
    )


def strip(book: WholeBook) -> SafeString:
    """Return the strip, with a cell and a tooltip for each chapter. Screen readers use the table instead."""
    return format_html_join("", '<i class="zw-{}{}" title="{}"></i>', (_strip_cell(each) for each in book.chapters))


def _strip_cell(chapter: ChapterCopies) -> tuple[str, str, str]:
    words = [str(chapter.number), format_percentage(chapter.share), describe_lead(chapter.lead)]
    return chapter.extent, " is-early" if chapter.is_early else "", " · ".join(filter(None, words))


def _export_response(
    request: HttpRequest, work: Work, site: Site, chapters: Sequence[ChapterCopies]
) -> HttpResponseBase:
    wanted = request.GET["export"]
    if wanted not in FILES:
        raise BadValue("export", wanted, _now("it can be one of: %(choices)s.") % {"choices": ", ".join(FILES)})
    if not access.may_manage(request.user, work):
        raise PermissionDenied
    return FILES[wanted](f"zhuiwen-book-{work.pk}-site-{site.pk}", COLUMNS, chapters)


MOST = 30  # links displayed; the list of cases contains all


def book_address(work_id: int, site_id: int) -> str:
    return reverse("admin:works_work_book", args=[work_id, site_id])


def books_of_work(work: Work) -> SafeString | str:
    """Return links to the whole book of a work on each site that copied from it."""
    counted = Case.objects.filter(work=work, state__in=COPIES).order_by().values("site_id", "site__name")
    rows = counted.annotate(n=Count("pk")).order_by("-n", "site__name")[:MOST]
    return _book_links([(book_address(work.pk, row["site_id"]), row["site__name"], row["n"]) for row in rows])


def books_of_site(site: Site) -> SafeString | str:
    """Return links to the whole book of each work that the site copied from."""
    counted = Case.objects.filter(site=site, state__in=COPIES).order_by().values("work_id", "work__title")
    rows = counted.annotate(n=Count("pk")).order_by("-n", "work__title")[:MOST]
    return _book_links([(book_address(row["work_id"], site.pk), f"《{row['work__title']}》", row["n"]) for row in rows])


def _book_links(rows: list[tuple[str, str, int]]) -> SafeString | str:
    shown = (
        (
            address,
            clip_text(name, MAX_SITE_CHARS),
            ngettext("%(count)d page", "%(count)d pages", count) % {"count": count},
        )
        for address, name, count in rows
    )
    return html_list('<a class="text-link" href="{}">{}</a> · {}', shown)
