"""The column of the page in one of three views: the compared text, the raw text, or the screenshots."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from core.pages import Reading
from webadmin.cases.models import Case, CaseMatch
from webadmin.evidence.models import EvidenceBundle
from webadmin.evidence.pages.drawing_texts import list_drawings
from webadmin.review.pages.case_page.comparison import ComparisonColumn
from webadmin.review.pages.case_page.comparison_html import column_html
from webadmin.review.pages.case_page.raw_text import UndoneKind, mark_raw_text

MAX_PICTURES = 20


class View(StrEnum):
    """A view of the page; the value is that of the URL parameter."""

    TEXT = "text"
    CAME = "came"
    PICTURE = "picture"


VIEWS: dict[View, Promise] = {
    View.TEXT: pgettext_lazy("how a page is shown", "Text"),
    View.CAME: pgettext_lazy("how a page is shown", "As received"),
    View.PICTURE: pgettext_lazy("how a page is shown", "Screenshot"),
}
MEANINGS: dict[View, Promise] = {
    View.TEXT: gettext_lazy("The page's text as compared, with all obfuscation removed"),
    View.CAME: gettext_lazy("The page's text as the site sent it: hidden and inserted text is marked"),
    View.PICTURE: gettext_lazy("The page as rendered by a browser for the evidence"),
}


@dataclass(frozen=True, slots=True)
class CaseScreenshot:
    """One screenshot of a bundle of the case. shown: the URL parameter; label: the page of a text of several."""

    bundle: int
    shown: str
    label: str


@dataclass(frozen=True, slots=True)
class PageColumn:
    """The content of the column of the page. html: safe markup of this program.

    note: a sentence above or instead of it; "" for none. is_alone: there are no other views.
    """

    view: View
    html: str = ""
    kinds: Sequence[UndoneKind] = ()
    screenshots: Sequence[CaseScreenshot] = ()
    note: str = ""
    is_alone: bool = False

    @property
    def views(self) -> list[tuple[str, str, str]]:
        """Value, name and explanation of all three views."""
        return [] if self.is_alone else [(str(view), str(name), str(MEANINGS[view])) for view, name in VIEWS.items()]


def requested_view(requested: str) -> View:
    """Return the requested view; the compared text for an unknown one."""
    return View(requested) if requested in set(View) else View.TEXT


def page_column(
    view: View, case: Case, match: CaseMatch, column: ComparisonColumn, reading: Reading | None
) -> PageColumn:
    """Return the column. reading: of the compared version; None if it is no longer stored."""
    if view is View.PICTURE:
        screenshots = list_screenshots(case, match)
        return PageColumn(view, screenshots=screenshots, note="" if screenshots else _no_picture(case, match))
    if view is View.TEXT:
        return PageColumn(view, column_html(column))
    if reading is None:
        return PageColumn(view, note=_("The page as received is no longer in the page store."))
    came = mark_raw_text(reading, column)
    note = "" if came.kinds else _("Nothing was undone: the text was compared as received.")
    return PageColumn(view, came.html, came.kinds, note=note)


def list_screenshots(case: Case, match: CaseMatch) -> list[CaseScreenshot]:
    """Return the screenshots of the newest bundle with some of the compared version."""
    for bundle in _bundles(case, match).order_by("-made_at", "-pk"):
        drawn = [page for page in list_drawings(bundle).drawn if page.has_screenshot]
        if drawn:
            return [
                CaseScreenshot(bundle.pk, f"screenshot{page.file_suffix}", page.label) for page in drawn[:MAX_PICTURES]
            ]
    return []


def _bundles(case: Case, match: CaseMatch) -> QuerySet[EvidenceBundle]:
    kept = EvidenceBundle.objects.filter(case=case, version_id=match.version_id)
    return kept.exclude(state__in=(EvidenceBundle.State.REMOVED, EvidenceBundle.State.MISSING))


def _no_picture(case: Case, match: CaseMatch) -> str:
    if _bundles(case, match).filter(drawing=EvidenceBundle.Drawing.FAILED).exists():
        return _("The page could not be rendered.")
    return _("There is no screenshot of this version of the page yet.")
