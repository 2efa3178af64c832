"""Who else may publish, and where the rights holder does."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from webadmin.admin.columns import change_link
from webadmin.admin.filters import LicenceEndedFilter
from webadmin.admin.isolation import HolderAdmin
from webadmin.forms.licences import LicenceForm, OwnDomainForm
from webadmin.models import Licence, OwnDomain


@admin.register(Licence)
class LicenceAdmin(HolderAdmin):
    form = LicenceForm
    list_display = ["licensee", "domain", "work_or_all", "number", "valid_from", "valid_until", "validity"]
    list_filter = ["rights_holder", LicenceEndedFilter]
    list_select_related = ["work", "rights_holder"]
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
class OwnDomainAdmin(HolderAdmin):
    form = OwnDomainForm
    list_display = ["domain", "rights_holder"]
    list_filter = ["rights_holder"]
    list_select_related = ["rights_holder"]
    search_fields = ["domain"]
