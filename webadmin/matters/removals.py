"""Which pages of a matter are removed, as its preview shows it."""

from collections.abc import Sequence
from dataclasses import dataclass

from records.models import Matter, Removal

MAX_REMOVALS = 8


@dataclass(frozen=True, slots=True)
class MatterRemovals:
    """confirmed: how many cases there are of which pages could be removed."""

    count: int
    confirmed: int
    newest: Sequence[Removal]


def removals_of_matter(matter: Matter) -> MatterRemovals:
    """Those that stand, the newest first."""
    rows = Removal.objects.filter(case__matter=matter, ended_at=None).select_related("case").order_by("-since", "-pk")
    return MatterRemovals(rows.count(), matter.confirmed_cases, list(rows[:MAX_REMOVALS]))
