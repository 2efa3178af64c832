"""Pages of long lists without counting the whole table, and what their heads say."""

from collections.abc import Sequence
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.db.models.sql.where import WhereNode
from django.http import HttpRequest
from django.utils.functional import cached_property
from unfold.views import ChangeList


class CappedPaginator(Paginator):
    """Counts to MAX_COUNTED and no further; rows beyond are reached by filter, search and order.

    The keys of a page are asked for first, which one index answers; the rows with all that they show are read by key.
    """

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list  # a QuerySet: the admin pages nothing else
        return int(rows[:MAX_COUNTED].count())  # in its order, which has an index; without it all rows may be read

    def page(self, number: Any) -> Page:
        number = self.validate_number(number)
        first = (number - 1) * self.per_page
        return Page(self.rows(first, first + self.per_page), number, self)

    def rows(self, first: int, end: int) -> Sequence[Any]:
        """Those from `first` on and before `end`."""
        listed: Any = self.object_list
        return in_order(listed, list(listed.values_list("pk", flat=True)[first:end]))


def in_order(rows: "QuerySet[Any]", keys: Sequence[Any]) -> list[Any]:
    """Return the rows of these keys, which `rows` has, with what it reads besides.

    Neither its order nor its conditions are asked for again: SQLite would go along all rows that meet one of them.
    """
    by_key = rows.order_by()
    by_key.query.where = WhereNode()
    found = {row.pk: row for row in by_key.filter(pk__in=keys)} if keys else {}
    return [found[key] for key in keys if key in found]


class WholeChangeList(ChangeList):
    """A list that offers to show everything only where something is filtered out."""

    def get_results(self, request: HttpRequest) -> None:
        if getattr(request, ONLY_QUERY, False):
            return
        super().get_results(request)
        shown: Any = vars(self)["result_list"]
        if isinstance(self.paginator, CappedPaginator) and isinstance(shown, QuerySet):
            self.result_list = self.paginator.rows(0, self.result_count)  # all on one page, where Django asks at once
        if not self.query and not self.has_active_filters:
            self.full_result_count = self.result_count


# A person who turns 200 pages of 50 wants a filter. Counting stops here, so a list of a million rows opens as fast as
# one of ten thousand.
MAX_COUNTED = 10_000
ONLY_QUERY = "zhuiwen_only_query"  # set on a request that asks a list for what it would show, and shows nothing
