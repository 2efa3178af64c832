"""What was seen when a case's page was looked at for a removal, as the page of the case shows it."""

from collections.abc import Sequence
from dataclasses import dataclass

from records.models import Case, Removal, RemovalLook

MAX_LOOKS, MAX_REMOVALS = 6, 5


@dataclass(frozen=True, slots=True)
class RemovalShown:
    """One time that the page was said to be removed. is_proved: its file can be handed out."""

    removal: Removal
    looks: Sequence[RemovalLook]

    @property
    def is_proved(self) -> bool:
        return bool(self.looks) and all(look.bundle_id is not None for look in self.looks)


@dataclass(frozen=True, slots=True)
class RemovalsShown:
    """The section of a case. newest: looks that prove nothing yet, or saw nothing."""

    removals: Sequence[RemovalShown]
    newest: Sequence[RemovalLook]

    @property
    def standing(self) -> Removal | None:
        return next((each.removal for each in self.removals if each.removal.ended_at is None), None)

    def __bool__(self) -> bool:
        return bool(self.removals or self.newest)


def removals_of(case: Case) -> RemovalsShown:
    """What there is of a case, the newest first."""
    rows = case.removals.prefetch_related("looks").order_by("-since", "-pk")[:MAX_REMOVALS]
    newest = case.looks.filter(removal=None).order_by("-at", "-pk")[:MAX_LOOKS]
    return RemovalsShown([RemovalShown(row, list(row.looks.all())) for row in rows], list(newest))
