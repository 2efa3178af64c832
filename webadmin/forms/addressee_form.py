"""The form for whom notices go to."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from core.addressees import AddresseeRole
from records.models import Addressee
from webadmin.forms.host_fields import clean_urls
from webadmin.requests.request_values import is_key


class SitesField(forms.ModelMultipleChoiceField):
    """Sites by their keys; what no record could have as its key is not looked up: databases fail at it."""

    def clean(self, value: Any) -> Any:
        stranger = next((each for each in value or () if not is_key(str(each))), None)
        if stranger is not None:
            words = self.error_messages["invalid_pk_value"]
            raise forms.ValidationError(words, code="invalid_pk_value", params={"pk": stranger})
        return super().clean(value)


class AddresseeForm(forms.ModelForm):
    """The sites are of the same rights holder; addresses of pages are such; there is a way to reach the addressee."""

    class Meta:
        model = Addressee
        fields = [
            *("rights_holder", "name", "role", "sites", "legal_name", "postal_address", "postcode", "email", "phone"),
            *("fax", "complaint_page", "form_page", "max_attachments_mb", "asks_for_seal", "answer_days"),
            *("counter_rule", "counter_days", "note"),
        ]

    def clean_complaint_page(self) -> str:
        return _page(self.cleaned_data["complaint_page"])

    def clean_form_page(self) -> str:
        return _page(self.cleaned_data["form_page"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        holder = cleaned.get("rights_holder") or self.instance.rights_holder_id
        key = getattr(holder, "pk", holder)
        if any(site.rights_holder_id != key for site in cleaned.get("sites") or ()):
            self.add_error("sites", _("A site belongs to another rights holder."))
        is_without_form = not cleaned.get("form_page") and "form_page" not in self.errors
        if cleaned.get("role") == AddresseeRole.PLATFORM and is_without_form:
            self.add_error("form_page", _("A platform takes notices by its form: enter the form's page."))
        return cleaned


def _page(typed: str) -> str:
    """Raises ValidationError for what is no address, or several."""
    if not typed.strip():
        return ""
    address = clean_urls(typed)
    if "\n" in address:
        raise forms.ValidationError(_("Enter one address."))
    return address
