"""A mixin with the behaviour that the lists and record pages of all models share."""

from functools import cache
from typing import Any

from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.utils import unquote
from django.contrib.admin.views.main import ChangeList
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest
from django.utils.html import escape
from django.utils.safestring import mark_safe
from django.utils.translation import get_language, override
from unfold.admin import ModelAdmin, checkbox
from unfold.decorators import display

from webadmin.accounts.pages.filters import isolated_filter
from webadmin.accounts.pages.lookups import DeclaredChangeList
from webadmin.accounts.pages.searching import search, written_ways
from webadmin.ui.pages.paging import CappedPaginator
from webadmin.ui.pages.requests.request_values import check_search

_KEY = "key-of-the-row"


class AdminLists:
    """A mixin for model admins that accept only declared look-ups in URLs, and reject invalid values with a message."""

    model: type[Model]

    @display(description=ModelAdmin.action_checkbox.short_description)
    def action_checkbox(self, obj: Model) -> str:
        """Return Unfold's checkbox for the row.

        Its template is not rendered for each row, because that takes half of a list's time.
        """
        before, behind = _checkbox(get_language() or "")
        return mark_safe(f"{before}{escape(obj.pk)}{behind}")  # noqa: S308 - the widget's HTML and an escaped key

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return DeclaredChangeList

    def get_list_filter(self, request: HttpRequest) -> list[Any]:
        return [isolated_filter(self.model, entry) for entry in super().get_list_filter(request)]  # type: ignore[misc]

    def get_search_results(self, request: HttpRequest, queryset: QuerySet, search_term: str) -> tuple[QuerySet, bool]:
        """Return the rows that contain the search term in any spelling, and whether rows may repeat."""
        check_search(search_term)
        ways = written_ways(search_term)
        if search_term.strip() and issubclass(self.paginator, CappedPaginator):  # type: ignore[attr-defined]
            found, may_repeat = self.search_long_list(request, queryset, search_term), False
        else:
            found, may_repeat = super().get_search_results(request, queryset, ways[0])  # type: ignore[misc]
            for words in ways[1:]:
                found |= super().get_search_results(request, queryset, words)[0]  # type: ignore[misc]
        return found, may_repeat

    def search_long_list(self, request: HttpRequest, queryset: QuerySet, search_term: str) -> QuerySet:
        """Return the rows that contain the words, and store the number of searched rows in the request."""
        found = search(queryset, self.search_fields, search_term, request.user)  # type: ignore[attr-defined]
        request.zhuiwen_searched_entry_count = found.searched_entry_count  # type: ignore[attr-defined]
        return found.rows

    def searched_entry_count(self, request: HttpRequest) -> int:
        """Return the number of rows that this request's search was limited to, or 0 if it covered all rows."""
        return int(getattr(request, "zhuiwen_searched_entry_count", 0))

    def get_record_or_404(self, request: HttpRequest, object_id: str) -> Any:
        """Return the record with the quoted key from a URL. Raises Http404 if it is missing or hidden from the user."""
        record = self.get_object(request, unquote(object_id))  # type: ignore[attr-defined]
        if record is None:
            raise Http404
        return record


@cache
def _checkbox(language: str) -> tuple[str, str]:
    """Return the HTML of a row's checkbox before and after the row's key."""
    with override(language or None):
        before, behind = checkbox.render(ACTION_CHECKBOX_NAME, _KEY).split(_KEY)
    return before, behind
