"""Why a case was opened, in one plain sentence."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.shares import percentage
from records.models import Case, CaseMatch
from records.models.phrases import CHANGES, name_of_obfuscation
from webadmin.case_page.change_summary import KindCount


def why_found(case: Case, match: CaseMatch, changes: Sequence[KindCount], undone: Sequence[Mapping[str, Any]]) -> str:
    """Say what of the page stands in which text of the work, and what became of it: all that the comparison marks."""
    found = _(
        "%(share)s of the page stands in “%(text)s”; the longest run of equal characters (other forms of a character "
        "are equal) has %(run)s."
    ) % {
        "share": percentage(match.page_containment),
        "text": match.chapter_title or case.work,
        "run": f"{match.longest_equal_run_chars:,}",
    }
    counts = [
        *((name_of_obfuscation(each["kind"]), each["count"]) for each in undone),
        *((str(CHANGES[each.kind]), each.count) for each in changes),
    ]
    if not counts:
        return found
    kinds = [
        ngettext("%(kind)s in %(count)s place", "%(kind)s in %(count)s places", count)
        % {"kind": kind, "count": f"{count:,}"}
        for kind, count in counts
    ]
    return _("%(found)s Changes, and what was undone to read it: %(kinds)s.") % {
        "found": found,
        "kinds": _(", ").join(kinds),
    }
