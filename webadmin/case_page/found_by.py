"""Why a case was opened, in one plain sentence."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.shares import percentage
from records.models import Case, CaseMatch
from records.models.phrases import CHANGES
from webadmin.case_page.change_summary import KindCount

MAX_KINDS = 3


def why_found(case: Case, match: CaseMatch, changes: Sequence[KindCount]) -> str:
    """What of the page stands in which text of the work, and what was done to it most."""
    found = _(
        "%(share)s of the page stands in “%(text)s”; the longest run of equal characters (other forms of a character "
        "are equal) has %(run)s."
    ) % {
        "share": percentage(match.page_containment),
        "text": match.chapter_title or case.work,
        "run": f"{match.longest_equal_run_chars:,}",
    }
    if not changes:
        return found
    kinds = [
        ngettext("%(kind)s in %(count)s place", "%(kind)s in %(count)s places", each.count)
        % {"kind": CHANGES[each.kind], "count": f"{each.count:,}"}
        for each in changes[:MAX_KINDS]
    ]
    return _("%(found)s What was changed: %(kinds)s.") % {"found": found, "kinds": _(", ").join(kinds)}
