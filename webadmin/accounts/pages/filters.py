"""List filters limited to the user's rights holders, and filters by day, choice and state."""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import Any, ClassVar, cast

from django.contrib.admin import EmptyFieldListFilter, FieldListFilter
from django.contrib.admin.utils import get_fields_from_path
from django.core.exceptions import FieldDoesNotExist
from django.db.models import DateField, Field, Model, Q, QuerySet, Value
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import (
    AutocompleteSelectFilter,
    ChoicesDropdownFilter,
    DropdownFilter,
    RangeDateFilter,
    RelatedDropdownFilter,
)
from unfold.contrib.filters.forms import DropdownForm
from unfold.widgets import UnfoldAdminSelectWidget

from core.days import is_usable
from core.states import MIN_CONFIDENCE_TO_TRUST
from webadmin.accounts.services.access import visible
from webadmin.ui.models.phrases import OBFUSCATIONS


class _Select(UnfoldAdminSelectWidget):
    template_name = "ui/select.html"


class _ManyChoicesForm(DropdownForm):
    widget = _Select(attrs=DropdownForm.widget.attrs)


class HolderRelatedFilter(RelatedDropdownFilter):
    """A dropdown filter on related records, limited to the user's rights holders."""

    form_class = _ManyChoicesForm

    def field_choices(self, field: Field, request: HttpRequest, model_admin: Any) -> list[tuple[Any, str]]:
        related = visible(cast("Any", field.related_model)._default_manager.all(), request.user)
        return [(record.pk, str(record)) for record in related]

    def has_output(self) -> bool:
        """Return True if there is more than one choice."""
        return len(self.lookup_choices) > 1


class HolderAutocompleteFilter(AutocompleteSelectFilter):
    """A filter like HolderRelatedFilter for thousands of records, which are looked up while the user types."""

    def choices(self, changelist: Any) -> Iterator[dict[str, Any]]:
        for choice in super().choices(changelist):
            field = choice["form"].fields[self.lookup_kwarg]
            field.queryset = visible(field.queryset.all(), self.request.user)
            yield choice


class AnyChoiceFilter(ChoicesDropdownFilter):
    """A filter on one choice, or on several choices in a link such as `state__in=open,confirmed`."""

    @property
    def several_parameter(self) -> str:
        return f"{self.field_path}__in"

    def expected_parameters(self) -> list[str | None]:
        return [*super().expected_parameters(), self.several_parameter]

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        """Return the rows that have one of the choices.

        Several choices are compared through Coalesce, so that the database uses the index for the list's order.
        """
        several = self.used_parameters.get(self.several_parameter)
        if not several:  # Django's method: unfold's handles one choice only
            return cast("QuerySet", FieldListFilter.queryset(self, request, queryset))
        choices = several if isinstance(several, list) else str(several).split(",")
        choices = [each for some in choices for each in (some if isinstance(some, list) else [some])]
        return queryset.alias(any_choice=Coalesce(self.field_path, Value(""))).filter(any_choice__in=choices)


class DayRangeFilter(RangeDateFilter):
    """A filter on an inclusive range of days in the user's time zone, or on the last "24h" or "7d" in a link."""

    WITHIN: ClassVar = {"24h": timedelta(hours=24), "7d": timedelta(days=7)}

    @property
    def within_parameter(self) -> str:
        return f"{self.field_path}_within"

    def expected_parameters(self) -> list[str | None]:
        return [*super().expected_parameters(), self.within_parameter]

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        first, last = self._parameter_day("_from"), self._parameter_day("_to")
        if first is not None:
            queryset = queryset.filter(**{f"{self.parameter_name}__gte": start_of_day(first)})
        if last is not None:
            queryset = queryset.filter(**{f"{self.parameter_name}__lt": start_of_day(last + timedelta(days=1))})
        within = self.WITHIN.get(self._parameter_value(self.within_parameter))
        if within is not None:
            since = timezone.now() - within
            queryset = queryset.filter(**{f"{self.parameter_name}__gte": since})
        return queryset

    def _parameter_day(self, suffix: str) -> date | None:
        return usable_day(self._parameter_value(f"{self.parameter_name}{suffix}"))

    def _parameter_value(self, name: str) -> str:
        """Return the value of a parameter, which the base class stores as a list or a string."""
        value = self.used_parameters.get(name, "")
        return str(value[0] if isinstance(value, list) else value)


class ObfuscationFilter(DropdownFilter):
    """A filter on the kinds of obfuscation."""

    title = _("alteration")
    parameter_name = "obfuscation"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("none", _("unaltered")), *((str(kind), phrase) for kind, phrase in OBFUSCATIONS.items())]

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        if self.value() == "none":
            return queryset.filter(obfuscation_kinds="")
        if self.value() in {str(kind) for kind in OBFUSCATIONS}:
            return queryset.filter(obfuscation_kinds__contains=f" {self.value()} ")
        return queryset


class PresenceFilter(EmptyFieldListFilter):
    """A filter on whether a time is set, with a condition that a partial index can serve."""

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        asked = self.used_parameters.get(self.lookup_kwarg)
        value = asked[0] if isinstance(asked, list) else asked
        return queryset if value is None else queryset.filter(**{f"{self.field_path}__isnull": str(value) == "1"})


class TrustFilter(DropdownFilter):
    """A filter on the confidence of the main-text extraction."""

    title = _("extraction")
    parameter_name = "extraction"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("doubtful", _("doubtful extraction")), ("sure", _("reliable extraction"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        if self.value() == "doubtful":
            # A literal, not a parameter: SQLite cannot choose a partial index for a parameter.
            return queryset.filter(confidence__lt=RawSQL(str(MIN_CONFIDENCE_TO_TRUST), ()))  # noqa: S611 - our number
        return queryset.filter(confidence__gte=MIN_CONFIDENCE_TO_TRUST) if self.value() == "sure" else queryset


class LicenceEndedFilter(DropdownFilter):
    """A filter on whether a licence has ended. A licence without a last day has not."""

    title = _("validity")
    parameter_name = "validity"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("valid", _("valid today")), ("ended", _("ended"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        has_ended = Q(valid_until__lt=timezone.localdate())
        if self.value() == "valid":
            return queryset.exclude(has_ended)
        return queryset.filter(has_ended) if self.value() == "ended" else queryset


def isolated_filter(model: type[Model], entry: Any) -> Any:
    """Return the list filter for an entry of `list_filter`.

    Filters on relations offer only records of the user's rights holders, and filters on times offer days. Other entries
    are returned unchanged.
    """
    name = entry[0] if isinstance(entry, (list, tuple)) else entry
    if not isinstance(name, str):
        return entry
    try:
        field = get_fields_from_path(model, name)[-1]
    except FieldDoesNotExist:
        return entry
    chosen = entry[1] if isinstance(entry, (list, tuple)) else None
    if field.is_relation:
        is_isolated = chosen is not None and issubclass(chosen, (HolderRelatedFilter, HolderAutocompleteFilter))
        return entry if is_isolated else (name, HolderRelatedFilter)
    if chosen is None and isinstance(field, DateField):
        return (name, DayRangeFilter)
    return (name, ChoicesDropdownFilter) if chosen is None and field.flatchoices else entry


def usable_day(text: str) -> date | None:
    """Return the date in `text`, or None if it is invalid or not between FIRST_DAY and LAST_DAY."""
    try:
        day = parse_date(text)
    except ValueError:
        return None
    return day if day is not None and is_usable(day) else None


def start_of_day(day: date) -> datetime:
    """Return the start of `day` in the user's time zone."""
    return timezone.make_aware(datetime.combine(day, time.min))
