"""A case among others: its place in the list or inbox that it was opened from, and what comes before and behind it."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

FILTERS = "_changelist_filters"  # Django's name for what a list was filtered by
LIST = "admin:cases_case_changelist"


@dataclass(frozen=True, slots=True)
class CaseNeighbours:
    """A case among others. place: from 1 on, 0 where it is not in the list (any more); count: of the list.

    is_cut: the list goes on behind `count`. is_far: the case stands somewhere behind `place`. filters: of the list, as
    they stand in an address.
    """

    filters: str
    place: int
    count: int
    is_cut: bool
    previous: int | None
    following: int | None
    is_far: bool = False
    parameter: str = FILTERS  # of the address of a case, that names the list
    home: str = ""  # the address of a list that is not that of the cases

    @property
    def address(self) -> str:
        """Of the list itself."""
        return self.home or (f"{reverse(LIST)}?{self.filters}" if self.filters else reverse(LIST))

    def case_address(self, case: int) -> str:
        """Of a case as it is opened from this list."""
        return f"{reverse('admin:cases_case_change', args=[case])}?{urlencode({self.parameter: self.filters})}"

    @property
    def previous_address(self) -> str:
        return self.case_address(self.previous) if self.previous else ""

    @property
    def following_address(self) -> str:
        return self.case_address(self.following) if self.following else ""
