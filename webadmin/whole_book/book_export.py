"""The chapters of a whole book as a file."""

from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from core.hidden_characters import spelled
from core.shares import cut_share
from records.works.whole_book import ChapterCopied, Extent
from webadmin.exports import Column
from webadmin.whole_book.leads import lead_in_words

EXTENTS = {
    Extent.FULL: pgettext_lazy("a chapter on a site", "whole or nearly"),
    Extent.PART: pgettext_lazy("a chapter on a site", "in part"),
    Extent.NONE: _("missing"),
}


def _hours(chapter: ChapterCopied) -> float | None:
    """The lead as a number, to sort and reckon by; negative for a lag."""
    return None if chapter.lead is None else round(chapter.lead.total_seconds() / 3600, 2)


def _structure(chapter: ChapterCopied) -> str:
    words = [_now("several on a page")] * chapter.is_merged + [_now("over several pages")] * chapter.is_spread
    return "; ".join(words)


COLUMNS = (
    Column(_("chapter"), lambda chapter: chapter.number),
    Column(_("title"), lambda chapter: spelled(chapter.title)),
    Column(_("state"), lambda chapter: EXTENTS[chapter.extent]),
    Column(_("share of the chapter"), lambda chapter: cut_share(chapter.share)),
    Column(_("characters taken (each once)"), lambda chapter: chapter.taken_chars),
    Column(_("officially published"), lambda chapter: chapter.official_at),
    Column(_("first seen on the site"), lambda chapter: chapter.first_seen_at),
    Column(_("published, as the page states"), lambda chapter: chapter.stated_at),
    Column(_("against the official time"), lambda chapter: lead_in_words(chapter.lead)),
    Column(_("hours before the official time"), _hours),
    Column(_("merged or spread"), _structure),
    Column(_("cases"), lambda chapter: ", ".join(str(each.page.case_id) for each in chapter.pages)),
    Column(_("pages"), lambda chapter: "\n".join(spelled(each.page.url) for each in chapter.pages)),
)
