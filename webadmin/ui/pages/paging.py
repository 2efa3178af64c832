"""Paginates long lists without counting whole tables."""

from collections.abc import Sequence
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.db.models.sql.where import WhereNode
from django.utils.functional import cached_property


class CappedPaginator(Paginator):
    """A paginator that counts up to MAX_COUNTED. Filters, searches and orders give access to further rows.

    It first reads the keys of a list page from one index, and then the rows with related data by key.
    """

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list  # always a QuerySet in the admin
        return int(rows[:MAX_COUNTED].count())  # With the order, which has an index, not all rows are read.

    def page(self, number: Any) -> Page:
        number = self.validate_number(number)
        first = (number - 1) * self.per_page
        return Page(self.rows(first, first + self.per_page), number, self)

    def rows(self, first: int, end: int) -> Sequence[Any]:
        """Return the rows from index `first` to index `end`, which is excluded."""
        listed: Any = self.object_list
        return in_order(listed, list(listed.values_list("pk", flat=True)[first:end]))


def in_order(rows: "QuerySet[Any]", keys: Sequence[Any]) -> list[Any]:
    """Return the rows with these keys, in the order of the keys, with the related data that `rows` selects.

    The query drops the order and the conditions, because SQLite would scan all rows that meet a condition.
    """
    by_key = rows.order_by()
    by_key.query.where = WhereNode()
    found = {row.pk: row for row in by_key.filter(pk__in=keys)} if keys else {}
    return [found[key] for key in keys if key in found]


# After 200 pages of 50 rows, a user needs a filter. Counting stops here, so that a list of a million rows opens as fast
# as a list of ten thousand.
MAX_COUNTED = 10_000
ONLY_QUERY = "zhuiwen_only_query"  # set on a request that needs the query of a list but not its rows
