"""Pages of long lists without counting the whole table, and what their heads say."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest
from django.utils.functional import cached_property
from unfold.views import ChangeList

# A person who turns 200 pages of 50 wants a filter. Counting stops here, so a list of a million rows opens as fast as
# one of ten thousand.
MAX_COUNTED = 10_000


class CappedPaginator(Paginator):
    """Counts to MAX_COUNTED and no further; rows beyond are reached by filter, search and order."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list  # a QuerySet: the admin pages nothing else
        return int(rows.order_by()[:MAX_COUNTED].count())


class WholeChangeList(ChangeList):
    """A list that offers to show everything only where something is filtered out."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        if not self.query and not self.has_active_filters:
            self.full_result_count = self.result_count
