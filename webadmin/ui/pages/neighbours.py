"""The neighbours of a case in the list or inbox from which it was opened."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

FILTERS = "_changelist_filters"  # Django's name for the parameter with a list's filters
LIST = "admin:cases_case_changelist"


@dataclass(frozen=True, slots=True)
class CaseNeighbours:
    """The position of a case in a list. place: counted from 1, or 0 if the case is not in the list.

    count: the length of the list. is_cut: whether the list continues after `count`. is_far: whether the case is
    somewhere after `place`. previous, following: the keys of its neighbours, or None. filters: the list's filters as a
    query string.
    """

    filters: str
    place: int
    count: int
    is_cut: bool
    previous: int | None
    following: int | None
    is_far: bool = False
    parameter: str = FILTERS  # the query parameter that contains `filters` in a case's URL
    home: str = ""  # the URL of the list, if it is not the list of cases

    @property
    def address(self) -> str:
        """The URL of the list."""
        return self.home or (f"{reverse(LIST)}?{self.filters}" if self.filters else reverse(LIST))

    def case_url(self, case: int) -> str:
        """Return the URL of a case opened from this list."""
        return f"{reverse('admin:cases_case_change', args=[case])}?{urlencode({self.parameter: self.filters})}"

    @property
    def previous_address(self) -> str:
        return self.case_url(self.previous) if self.previous else ""

    @property
    def following_address(self) -> str:
        return self.case_url(self.following) if self.following else ""
