"""Change lists that accept only the parameters of their filters, search, order and paging in URLs.

Other parameters and values are rejected with a message that names them.
"""

import re
from typing import Any

from django.contrib import messages
from django.contrib.admin.filters import (
    BooleanFieldListFilter,
    ChoicesFieldListFilter,
    EmptyFieldListFilter,
    ListFilter,
    RelatedFieldListFilter,
    SimpleListFilter,
)
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ALL_VAR, ORDER_VAR, PAGE_VAR, SEARCH_VAR
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from unfold.views import ChangeList

from core.days import FIRST_DAY, LAST_DAY
from webadmin.accounts.pages.filters import DayRangeFilter, HolderAutocompleteFilter, usable_day
from webadmin.accounts.services.access import visible
from webadmin.ui.pages.paging import ONLY_QUERY, CappedPaginator
from webadmin.ui.pages.requests.request_values import BadValue, check_search, is_page_number

MAX_TEXT_CHARS = 500  # characters of a value without a check of its own
_ORDER = re.compile(r"(-?[0-9]{1,2})(\.-?[0-9]{1,2})*")
_IS_NULL = ("True", "False")


class DeclaredChangeList(ChangeList):
    """A change list whose URL may only contain look-ups that its admin declares."""

    def __init__(self, request: HttpRequest, model: type[Model], *args: Any, **kwargs: Any) -> None:
        _check_own_parameters(request)
        for key in request.POST.getlist(ACTION_CHECKBOX_NAME):
            parse_key(model, ACTION_CHECKBOX_NAME, key)
        super().__init__(request, model, *args, **kwargs)

    def get_filters_params(self, params: Any = None) -> dict[str, Any]:
        """Return the parameters with a value; filters send empty parameters for "all"."""
        given = super().get_filters_params(params)
        return {name: values for name, values in given.items() if any(values)}

    def get_filters(self, request: HttpRequest) -> Any:
        """Return the filters. Raises BadValue for an unknown parameter or a value that its filter cannot use."""
        for name, values in self.get_filters_params().items():
            if len(values) > 1:
                raise BadValue(name, ", ".join(values), _("it may appear in the address only once."))
            if not self.model_admin.lookup_allowed(name, values[0], request):
                raise _no_filter(name, values[0])
        found = super().get_filters(request)
        specs, remaining = found[0], found[2]
        for name in remaining:
            raise _no_filter(name, request.GET[name])
        for spec in specs:
            for name in spec.expected_parameters():
                if request.GET.get(name):
                    check_value(spec, name, request.GET[name])
        return found

    def get_ordering_field(self, field_name: Any) -> Any:
        """Return the field to order by for a column, or None if the list cannot be ordered by this column."""
        return super().get_ordering_field(field_name) if field_name in self.sortable_by else None

    def get_ordering(self, request: HttpRequest, queryset: QuerySet) -> Any:
        order = request.GET.get(ORDER_VAR, "")
        terms = order.split(".") if order else []
        if order and (not _ORDER.fullmatch(order) or len(terms) > len(self.list_display)):
            raise BadValue(ORDER_VAR, order, _("enter the numbers of columns, such as 1.-3."))
        if not order:
            period = next((spec.field_path for spec in self.filter_specs if _is_period(spec)), "")
            if period:  # A list filtered by period is ordered by time, which uses the same index.
                return [f"-{period}", "-pk"]
        found = super().get_ordering(request, queryset)
        if found in (["pk"], ["-pk"]):  # The URL orders by columns that the list does not offer (any longer).
            return self._get_deterministic_ordering(self._get_default_ordering())
        return found

    def _get_deterministic_ordering(self, ordering: Any) -> Any:
        """Return the ordering with the key in the direction of the first column, so that one index serves both."""
        found = super()._get_deterministic_ordering(ordering)
        is_rising = isinstance(found[0], str) and not found[0].startswith("-")
        return [*found[:-1], "pk"] if found[-1] == "-pk" and is_rising else found

    def get_results(self, request: HttpRequest) -> None:
        """Read the rows of the requested page. Raises BadValue if there is no such page.

        The link to all rows appears only if a filter is active.
        """
        if getattr(request, ONLY_QUERY, False):
            return
        try:
            super().get_results(request)
        except IncorrectLookupParameters as error:
            raise BadValue(PAGE_VAR, str(self.page_num), _("this page of the list does not exist.")) from error
        shown: Any = vars(self)["result_list"]
        if isinstance(self.paginator, CappedPaginator) and isinstance(shown, QuerySet):
            self.result_list = self.paginator.rows(0, self.result_count)  # all rows on one page, also read by key
        if not self.query and not self.has_active_filters:
            self.full_result_count = self.result_count
        searched_entry_count = self.model_admin.searched_entry_count(request)
        if self.query and searched_entry_count:
            words = _("Only the first %(count)s entries of this list were searched. Narrow it down with filters.")
            messages.info(request, words % {"count": f"{searched_entry_count:,}"})


def _is_period(spec: ListFilter) -> bool:
    return isinstance(spec, DayRangeFilter) and any(spec.used_parameters.values())


def _check_own_parameters(request: HttpRequest) -> None:
    page = request.GET.get(PAGE_VAR, "1")
    if not is_page_number(page) or int(page) == 0:
        raise BadValue(PAGE_VAR, page, _("enter the number of a page."))
    check_search(request.GET.get(SEARCH_VAR, ""))
    if len(request.GET.get(ALL_VAR, "")) > 1:
        raise BadValue(ALL_VAR, request.GET[ALL_VAR], _("it cannot be combined with others."))


def _no_filter(name: str, value: str) -> BadValue:
    return BadValue(name, value, _("this list has no such filter."))


def check_value(spec: ListFilter, name: str, value: str) -> None:
    """Raise BadValue if the filter `spec` cannot use the value of the parameter `name`.

    For other kinds of filters, only values over MAX_TEXT_CHARS are rejected.
    """
    if name == getattr(spec, "lookup_kwarg_isnull", None):
        _require_choice(name, value, _IS_NULL)
    elif isinstance(spec, SimpleListFilter):
        _require_choice(name, value, [str(choice) for choice, _label in spec.lookup_choices])
    elif isinstance(spec, ChoicesFieldListFilter):
        for choice in value.split(",") if name == getattr(spec, "several_parameter", None) else [value]:
            _require_choice(name, choice, [str(key) for key, _label in spec.field.flatchoices])
    elif isinstance(spec, BooleanFieldListFilter):
        _require_choice(name, value, _IS_NULL if name == spec.lookup_kwarg2 else ("0", "1"))
    elif isinstance(spec, EmptyFieldListFilter):
        _require_choice(name, value, ("0", "1"))
    elif isinstance(spec, RelatedFieldListFilter):
        _check_record(spec, name, value)
    elif isinstance(spec, DayRangeFilter):
        _check_day(spec, name, value)
    elif len(value) > MAX_TEXT_CHARS:
        raise BadValue(name, value, _("enter at most %(most)d characters.") % {"most": MAX_TEXT_CHARS})


def _check_record(spec: RelatedFieldListFilter, name: str, value: str) -> None:
    """Raise BadValue if `value` is not the key of an offered record. Other rights holders' records count as missing."""
    if isinstance(spec, HolderAutocompleteFilter):
        model: type[Model] = spec.field.remote_field.model
        offered = visible(model._default_manager.all(), spec.request.user)
        is_offered = offered.filter(pk=parse_key(model, name, value)).exists()
    else:
        is_offered = value in {str(key) for key, _label in spec.lookup_choices}
    if not is_offered:
        raise BadValue(name, value, _("there is no such record."))


def _check_day(spec: DayRangeFilter, name: str, value: str) -> None:
    if name == spec.within_parameter:
        _require_choice(name, value, tuple(spec.WITHIN))
    elif usable_day(value) is None:
        wanted = _("enter a date such as 2026-11-30, from %(first)s to %(last)s.")
        raise BadValue(name, value, wanted % {"first": FIRST_DAY, "last": LAST_DAY})


def parse_key(model: type[Model], name: str, value: str) -> Any:
    """Return the key of a record of `model`. Raises BadValue if `value`, the parameter `name`, cannot be a key."""
    try:
        return model._meta.pk.clean(value, None)
    except ValidationError:
        raise BadValue(name, value, _("there is no such record.")) from None  # its cause quotes the value


def _require_choice(name: str, value: str, choices: Any) -> None:
    if value not in choices:
        raise BadValue(name, value, _("it can be one of: %(choices)s.") % {"choices": ", ".join(choices)})
