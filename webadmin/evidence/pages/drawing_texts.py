"""Describes the renderings in a bundle: the rendered pages, and the reasons why other pages were not rendered."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from webadmin.evidence.models import EvidenceBundle

# The reasons by the value of bundles.records.Undrawn.
REASONS: Mapping[str, str] = {
    "page_limit": gettext_noop("at most %(limit)s pages of one text are captured as screenshots"),
    "time_limit": gettext_noop("the following pages are rendered for at most %(limit)s s"),
    "size_limit": gettext_noop("screenshots and PDFs of the following pages take at most %(limit)s MiB"),
    "browser_failed": gettext_noop("the browser could not render it"),
}


@dataclass(frozen=True, slots=True)
class DrawnPage:
    """A rendered page of the text."""

    number: int
    has_screenshot: bool
    has_pdf: bool

    @property
    def file_suffix(self) -> str:
        """The suffix of the page's files in the bundle: "" for the first page, "-N" for page N."""
        return "" if self.number == 1 else f"-{self.number}"

    @property
    def label(self) -> str:
        return _("page %(first)d") % {"first": self.number}


@dataclass(frozen=True, slots=True)
class NotDrawn:
    """Consecutive pages that were not rendered for the same reason."""

    first: int
    last: int
    reason: str


@dataclass(frozen=True, slots=True)
class BundleDrawings:
    """The renderings in a bundle. total: the number of pages of the text."""

    drawn: tuple[DrawnPage, ...]
    missing: tuple[NotDrawn, ...]
    total: int

    def __bool__(self) -> bool:
        return bool(self.drawn)


def list_drawings(bundle: EvidenceBundle) -> BundleDrawings:
    """Return the renderings in a bundle.

    A record has none; a bundle without `drawn_pages` has those of the first page.
    """
    if bundle.kind != EvidenceBundle.Kind.DRAWN:
        return BundleDrawings((), (), 0)
    pages: list[dict[str, Any]] = bundle.drawn_pages or [{"page": 1, "screenshot": True, "pdf": True}]
    drawn = tuple(DrawnPage(each["page"], each["screenshot"], each["pdf"]) for each in pages if not each.get("why"))
    return BundleDrawings(drawn, tuple(_not_drawn_groups(pages)), len(pages))


def describe_drawings(bundle: EvidenceBundle) -> list[str]:
    """Return sentences that describe the renderings in a bundle, or [] if there are none."""
    shown = list_drawings(bundle)
    if not shown:
        return []
    said = [_("screenshots of %(drawn)d of %(total)d pages") % {"drawn": len(shown.drawn), "total": shown.total}]
    for each in shown.missing:
        place = {"first": each.first, "last": each.last}
        pages = _("pages %(first)d to %(last)d") % place if each.last > each.first else _("page %(first)d") % place
        said.append(_("%(pages)s: no screenshot, %(reason)s") % {"pages": pages, "reason": each.reason})
    return said


def _not_drawn_groups(pages: list[dict[str, Any]]) -> Iterator[NotDrawn]:
    for (why, limit), group in groupby(pages, lambda each: (each.get("why", ""), each.get("limit", 0))):
        if why:
            numbers = [each["page"] for each in group]
            reason = _(REASONS[why]) % {"limit": limit} if why in REASONS else why
            yield NotDrawn(numbers[0], numbers[-1], reason)
