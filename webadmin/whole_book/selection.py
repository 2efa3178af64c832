"""Which chapters of a whole book are shown: all, or those that one thing is true of."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from records.works.whole_book import ChapterCopied, Extent, WholeBook
from webadmin.requests.bad_values import BadValue


@dataclass(frozen=True, slots=True)
class Selection:
    """A filter of chapters under the word that an address has for it."""

    key: str
    label: Any  # a string, lazily translated
    has: Callable[[ChapterCopied, set[int]], bool]  # the chapter, and the numbers of those that are gaps


SELECTIONS = (
    Selection("", _("all chapters"), lambda chapter, gaps: True),
    Selection(
        "full",
        pgettext_lazy("a chapter on a site", "whole or nearly"),
        lambda chapter, gaps: chapter.extent is Extent.FULL,
    ),
    Selection(
        "part", pgettext_lazy("a chapter on a site", "in part"), lambda chapter, gaps: chapter.extent is Extent.PART
    ),
    Selection("missing", _("missing"), lambda chapter, gaps: chapter.extent is Extent.NONE),
    Selection("gaps", _("missing in between"), lambda chapter, gaps: chapter.number in gaps),
    Selection("early", _("before the official time"), lambda chapter, gaps: chapter.is_early),
    Selection(
        "late", _("not before it"), lambda chapter, gaps: chapter.lead is not None and chapter.lead <= timedelta(0)
    ),
    Selection("merged", _("several on a page"), lambda chapter, gaps: chapter.is_merged),
    Selection("spread", _("over several pages"), lambda chapter, gaps: chapter.is_spread),
)


@dataclass(frozen=True, slots=True)
class Chip:
    """A selection as it is offered."""

    key: str
    label: Any
    count: int
    is_chosen: bool


def selected(book: WholeBook, key: str) -> list[ChapterCopied]:
    """The chapters that a word of an address selects. Raises BadValue for one that there is not."""
    selection = next((each for each in SELECTIONS if each.key == key), None)
    if selection is None:
        choices = ", ".join(each.key for each in SELECTIONS if each.key)
        raise BadValue("show", key, _now("it can be one of: %(choices)s.") % {"choices": choices})
    return _of(book, selection)


def chips(book: WholeBook, chosen: str) -> list[Chip]:
    """What can be selected: what no chapter has is not offered, unless it is what is shown."""
    counted = [(each, len(_of(book, each))) for each in SELECTIONS]
    return [
        Chip(each.key, each.label, count, each.key == chosen)
        for each, count in counted
        if count or each.key in ("", chosen)
    ]


def _of(book: WholeBook, selection: Selection) -> list[ChapterCopied]:
    gaps = {chapter.number for chapter in book.gaps}
    return [chapter for chapter in book.chapters if selection.has(chapter, gaps)]
