"""Counts the changes in the passages, for the legend and summary of a comparison."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.matches import ChangeKind
from core.obfuscations import Obfuscation
from core.pages import Reading
from core.shares import format_percentage
from webadmin.cases.models import Case, CaseMatch
from webadmin.cases.services.findings import frozen_obfuscations
from webadmin.review.pages.case_page.comparison import ChangeLink
from webadmin.ui.models.phrases import CHANGES, name_of_obfuscation

MAX_EXAMPLES = 4  # examples that fit on one line with the name
# The kind of change by which a comparison marks an obfuscation. Other obfuscations are not marked.
_MARKED_AS = {
    Obfuscation.HOMOPHONE: ChangeKind.HOMOPHONE,
    Obfuscation.SHAPE: ChangeKind.SHAPE,
    Obfuscation.REPLACED: ChangeKind.REPLACED,
    Obfuscation.SCRIPT_CONVERTED: ChangeKind.SCRIPT,
    Obfuscation.PINYIN_REPLACED: ChangeKind.PINYIN,
    Obfuscation.TEXT_INSERTED: ChangeKind.INSERTED,
    Obfuscation.TEXT_DELETED: ChangeKind.DELETED,
    Obfuscation.SHUFFLED: ChangeKind.MOVED,
    Obfuscation.REARRANGED: ChangeKind.MOVED,
    **dict.fromkeys(
        (
            Obfuscation.ZERO_WIDTH,
            Obfuscation.SPACES,
            Obfuscation.PINYIN_INSERTED,
            Obfuscation.STREWN,
            Obfuscation.PRIVATE_USE,
        ),
        ChangeKind.NOISE,
    ),
}


@dataclass(frozen=True, slots=True)
class ChangeExample:
    """A pair of corresponding texts with its count."""

    work: str
    page: str
    count: int


@dataclass(frozen=True, slots=True)
class KindCount:
    """The changes of one kind. Moved pieces have no examples, because both sides have the same words."""

    kind: ChangeKind
    count: int
    examples: tuple[ChangeExample, ...]
    more: int  # number of distinct pairs that are left out


def unmarked_obfuscations(
    case: Case, match: CaseMatch, reading: Reading | None, changes: Sequence[KindCount]
) -> list[Mapping[str, Any]]:
    """Return the match's obfuscations that no change marks, because reading undid them or they affect whole pages.

    reading: of the match's version, or None if it is no longer stored; then the obfuscations stored with the case are
    used.
    """
    marked = {item.kind for item in changes}
    of_match = [each for each in match.obfuscations if _MARKED_AS.get(each["kind"]) not in marked]
    if reading is not None:
        return [*frozen_obfuscations(reading.obfuscations), *of_match]
    compared = {each["kind"] for each in match.obfuscations}
    of_case = case.obfuscations if match.version_id == case.version_id else []
    return [*(each for each in of_case if each["kind"] not in compared and each["kind"] not in _MARKED_AS), *of_match]


def count_changes(links: Iterable[ChangeLink]) -> list[KindCount]:
    """Count the changes by kind, the most frequent kind first, with the most frequent pairs of each."""
    pairs: dict[ChangeKind, Counter[tuple[str, str]]] = {}
    for link in links:
        pairs.setdefault(link.kind, Counter())[link.work, link.page] += 1
    counted = [_count_kind(kind, of_kind) for kind, of_kind in pairs.items()]
    return sorted(counted, key=lambda item: (-item.count, item.kind))


def _count_kind(kind: ChangeKind, pairs: Counter[tuple[str, str]]) -> KindCount:
    if kind is ChangeKind.MOVED:
        return KindCount(kind, pairs.total(), (), 0)
    examples = tuple(ChangeExample(work, page, count) for (work, page), count in pairs.most_common(MAX_EXAMPLES))
    return KindCount(kind, pairs.total(), examples, max(0, len(pairs) - MAX_EXAMPLES))


def explain_match(
    case: Case, match: CaseMatch, changes: Sequence[KindCount], undone: Sequence[Mapping[str, Any]]
) -> str:
    """Summarize a comparison in a sentence: the share of the page that is in the work, and the kinds of changes.

    undone: the obfuscations that no change marks (`unmarked_obfuscations`).
    """
    found = _(
        "%(share)s of the page appears in “%(text)s”; the longest identical run has %(run)s "
        "characters (variant forms count as identical)."
    ) % {
        "share": format_percentage(match.page_containment),
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
    return _("%(found)s Alterations found: %(kinds)s.") % {
        "found": found,
        "kinds": _(", ").join(kinds),
    }
