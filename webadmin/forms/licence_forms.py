"""Forms for what others may publish, and where we publish ourselves."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from records.models import Licence, OwnDomain
from webadmin.forms.host_fields import clean_host


class OwnDomainForm(forms.ModelForm):
    class Meta:
        model = OwnDomain
        fields = ["rights_holder", "domain"]

    def clean_domain(self) -> str:
        return clean_host(self.cleaned_data["domain"])


class LicenceForm(forms.ModelForm):
    """The licensed work is one of the same rights holder."""

    class Meta:
        model = Licence
        fields = ["rights_holder", "work", "licensee", "domain", "number", "valid_from", "valid_until"]

    def clean_domain(self) -> str:
        return clean_host(self.cleaned_data["domain"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        work = cleaned.get("work")
        holder = cleaned.get("rights_holder") or self.instance.rights_holder_id
        if work is not None and holder and work.rights_holder_id != getattr(holder, "pk", holder):
            self.add_error("work", _("This work belongs to another rights holder."))
        return cleaned
