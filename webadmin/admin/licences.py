"""Who else may publish, and where the rights holder does."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from records.models import Licence, OwnDomain, RightsHolder, RightsRecord
from webadmin.admin.columns import change_link
from webadmin.admin.filters import LicenceEndedFilter
from webadmin.admin.isolation import HolderAdmin, signed_in_user
from webadmin.forms.licence_forms import LicenceForm, OwnDomainForm


class EnteredAdmin(HolderAdmin):
    """Rights know who entered, changed or withdrew them; what that means for stored findings is said at once."""

    readonly_fields = ["entered_by", "entered_at"]

    def get_fieldsets(self, request: HttpRequest, obj: Model | None = None) -> Any:
        """Ask for what a person enters; who did and when is shown of what stands."""
        fieldsets = [*super().get_fieldsets(request, obj)]
        return fieldsets if obj is None else [*fieldsets, (_("Entered"), {"fields": [("entered_by", "entered_at")]})]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        obj.entered_by = signed_in_user(request)
        with announce_rulings(request, obj.rights_holder_id):
            super().save_model(request, obj, form, change)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        self._withdraw(request, [obj])

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet) -> None:
        self._withdraw(request, list(queryset))

    def _withdraw(self, request: HttpRequest, rights: Sequence[Any]) -> None:
        for right in rights:
            right.entered_by = signed_in_user(request)
            with announce_rulings(request, right.rights_holder_id):
                right.delete()


@contextmanager
def announce_rulings(request: HttpRequest, holder: int) -> Iterator[None]:
    """Tell the user what a change of rights did to cases: those set aside, and those that came back."""
    newest = RightsRecord.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    yield
    if RightsHolder.objects.filter(pk=holder, unruled_since__isnull=False).exists():
        messages.info(request, _now("The findings are many; they are ruled by the new rights in the next minutes."))
        return
    records = RightsRecord.objects.filter(pk__gt=newest, case__rights_holder=holder, cause=RightsRecord.Cause.RIGHTS)
    allowed, not_allowed = records.exclude(allowed_as="").count(), records.filter(allowed_as="").count()
    if allowed or not_allowed:
        words = _now("Cases whose page is now allowed: %(allowed)d; no longer allowed: %(not_allowed)d.")
        messages.info(request, words % {"allowed": allowed, "not_allowed": not_allowed})


@admin.register(Licence)
class LicenceAdmin(EnteredAdmin):
    form = LicenceForm
    list_display = [
        *("licensee", "domain", "work_or_all", "number", "valid_from", "valid_until", "validity"),
        "entered_by",
    ]
    list_filter = ["rights_holder", LicenceEndedFilter]
    list_select_related = ["work", "rights_holder", "entered_by"]
    search_fields = ["licensee", "domain", "number", "work__title"]
    fieldsets = [
        (None, {"fields": ["rights_holder", "licensee", "number"]}),
        (_("What and where"), {"fields": ["work", "domain"]}),
        (_("When"), {"fields": [("valid_from", "valid_until")]}),
    ]

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Offer no way to add a work from here: works come in as files, on a page of their own."""
        formfield = super().formfield_for_dbfield(db_field, request, **kwargs)
        if formfield is not None and db_field.name == "work":
            formfield.widget.can_add_related = False
        return formfield

    @display(description=_("work"), ordering="work__title")
    def work_or_all(self, licence: Licence) -> object:
        return change_link(licence.work) if licence.work else _("all works")

    @display(
        description=_("today"), label={"valid": "success", "later": "info", "ended": "default"}, ordering="valid_until"
    )
    def validity(self, licence: Licence) -> tuple[str, object]:
        today = timezone.localdate()
        if licence.valid_until is not None and licence.valid_until < today:
            return "ended", _("ended")
        return ("later", _("not yet valid")) if licence.valid_from > today else ("valid", _("valid"))


@admin.register(OwnDomain)
class OwnDomainAdmin(EnteredAdmin):
    form = OwnDomainForm
    list_display = ["domain", "rights_holder", "entered_by", "entered_at"]
    fieldsets = [(None, {"fields": ["rights_holder", "domain"]})]
    list_filter = ["rights_holder"]
    list_select_related = ["rights_holder", "entered_by"]
    search_fields = ["domain"]
