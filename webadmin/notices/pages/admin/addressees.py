"""The admin of addressees. Managers enter them, starting from contacts read on a site."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AutocompleteSelectMultiple
from django.db.models import ManyToManyField, Model, Prefetch, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from core.addressees import AddresseeRole
from core.contacts import ContactKind
from core.hidden_characters import clip_text
from webadmin.accounts.pages.isolation import HolderAdmin
from webadmin.accounts.services.access import manageable, visible
from webadmin.notices.models import Addressee
from webadmin.notices.pages.site_sections import track_record_line
from webadmin.notices.services.addressees import ContactOwner, contact_owner, propose_addressee
from webadmin.sites.models import ContactRead, Site
from webadmin.ui.models.phrases import PAPERS
from webadmin.ui.pages.columns import NOTHING, draw_once, moment_column, text_column
from webadmin.ui.pages.host_fields import clean_urls
from webadmin.ui.pages.requests.request_values import is_key, record_of_key


class SitesField(forms.ModelMultipleChoiceField):
    """A field for sites by key.

    A value that cannot be a key is rejected before the query, which would raise an error.
    """

    def clean(self, value: Any) -> Any:
        stranger = next((each for each in value or () if not is_key(str(each))), None)
        if stranger is not None:
            words = self.error_messages["invalid_pk_value"]
            raise forms.ValidationError(words, code="invalid_pk_value", params={"pk": stranger})
        return super().clean(value)


class AddresseeForm(forms.ModelForm):
    """A form that checks that the sites belong to the rights holder, URLs are valid and platforms have a form page."""

    class Meta:
        model = Addressee
        fields = [
            *("rights_holder", "name", "role", "sites", "legal_name", "postal_address", "postcode", "email", "phone"),
            *("fax", "complaint_page", "form_page", "max_attachments_mb", "asks_for_seal", "answer_days"),
            *("counter_rule", "counter_days", "note"),
        ]

    def clean_complaint_page(self) -> str:
        return _clean_page(self.cleaned_data["complaint_page"])

    def clean_form_page(self) -> str:
        return _clean_page(self.cleaned_data["form_page"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        holder = cleaned.get("rights_holder") or self.instance.rights_holder_id
        key = getattr(holder, "pk", holder)
        if any(site.rights_holder_id != key for site in cleaned.get("sites") or ()):
            self.add_error("sites", _("A site belongs to another rights holder."))
        is_without_form = not cleaned.get("form_page") and "form_page" not in self.errors
        if cleaned.get("role") == AddresseeRole.PLATFORM and is_without_form:
            self.add_error("form_page", _("A platform accepts notices through its form: enter the URL of the form."))
        return cleaned


def _clean_page(typed: str) -> str:
    """Return the entered URL of a page, or "" if none was entered.

    Raises ValidationError if the text is not a single URL.
    """
    if not typed.strip():
        return ""
    address = clean_urls(typed)
    if "\n" in address:
        raise forms.ValidationError(_("Enter one address."))
    return address


MAX_SITES_SHOWN = 3
_WAYS = ("email", "complaint_page", "form_page")
# The form field for each kind of contact.
_FIELDS = {
    ContactKind.EMAIL: "email",
    ContactKind.HOST_ABUSE: "email",
    ContactKind.REGISTRAR_ABUSE: "email",
    ContactKind.COMPLAINT_PAGE: "complaint_page",
    ContactKind.CONTACT_PAGE: "complaint_page",
    ContactKind.FORM: "form_page",
    ContactKind.HOST: "name",
    ContactKind.REGISTRAR: "name",
}


class _ChosenSites(AutocompleteSelectMultiple):
    """An autocomplete widget that drops values that cannot be keys before it queries the database."""

    def optgroups(self, name: str, value: Any, attr: Any = None) -> Any:
        return super().optgroups(name, [each for each in value if is_key(str(each))], attr)


@admin.register(Addressee)
class AddresseeAdmin(HolderAdmin):
    form = AddresseeForm
    list_display = ["shown_name", "role", "paper_name", "contact_channel", "site_names", "rights_holder", "entered"]
    list_filter = ["rights_holder", "role"]
    list_select_related = ["rights_holder", "entered_by"]
    search_fields = ["name", "legal_name", "email", "sites__name"]
    search_help_text = _("Name, e-mail address or site")
    autocomplete_fields = ["sites"]

    class Media:
        js = ("ui/search_names.js",)

    readonly_fields = ["entered_by", "entered_at", "paper_name", "track_record"]
    fieldsets = [
        (None, {"fields": ["rights_holder", "name", "role", "sites"]}),
        (_("Way of contact"), {"fields": ["email", "complaint_page", "form_page", ("phone", "fax")]}),
        (_("Letterhead"), {"fields": ["legal_name", ("postal_address", "postcode")]}),
        (_("Demands"), {"fields": [("max_attachments_mb", "asks_for_seal"), "answer_days", "note"]}),
        (_("After a counter-statement"), {"fields": ["counter_rule", "counter_days"]}),
    ]

    def get_fieldsets(self, request: HttpRequest, obj: Model | None = None) -> Any:
        """Add the kind of notice, the track record and the user who entered it, if the addressee is saved."""
        fieldsets = [*super().get_fieldsets(request, obj)]
        shown = (_("Entered"), {"fields": ["paper_name", "track_record", ("entered_by", "entered_at")]})
        return fieldsets if obj is None else [*fieldsets, shown]

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        """Prefetch the names of the sites for all rows."""
        return super().get_queryset(request).prefetch_related(Prefetch("sites", Site.objects.only("name")))

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Return initial values from contacts read on a site.

        Query parameters: `site`, the key of the site; `of`, the owner of the contacts; `contact`, the key of one
        contact.
        """
        return _initial_values(request)

    def formfield_for_manytomany(self, db_field: ManyToManyField, request: HttpRequest, **kwargs: Any) -> Any:
        """Offer the sites that the user manages, without a button to add a site."""
        kwargs["queryset"] = manageable(Site.objects.all(), request.user)
        kwargs["form_class"] = SitesField
        kwargs["widget"] = _ChosenSites(db_field, self.admin_site)
        field = super().formfield_for_manytomany(db_field, request, **kwargs)
        if field is not None and hasattr(field.widget, "can_add_related"):
            field.widget.can_add_related = False
        return field

    shown_name = text_column("name", _("name"), is_ordered=True)

    @display(description=_("receives"))
    def paper_name(self, addressee: Addressee) -> object:
        return PAPERS[addressee.paper] if addressee.role else NOTHING

    @draw_once
    @display(description=_("notices"))
    def track_record(self, addressee: Addressee) -> object:
        return track_record_line(addressee)

    @display(description=_("reached by"))
    def contact_channel(self, addressee: Addressee) -> str:
        of = addressee
        ways = (of.email, of.form_page, of.complaint_page, of.phone, of.postal_address, NOTHING)
        return clip_text(next(way for way in ways if way))

    @display(description=_("sites"))
    def site_names(self, addressee: Addressee) -> str:
        names = [site.name for site in addressee.sites.all()]
        more = "…" if len(names) > MAX_SITES_SHOWN else ""
        return ", ".join(clip_text(name, 30) for name in names[:MAX_SITES_SHOWN]) + more or NOTHING

    entered = moment_column("entered_at", _("entered"), is_ordered=True)


def _initial_values(request: HttpRequest) -> dict[str, Any]:
    """Return the initial values of the form for these query parameters, or {} without a site."""
    key, owner_code = request.GET.get("site", ""), request.GET.get("of", "")
    site = record_of_key(manageable(Site.objects.all(), request.user), key)
    if site is None:
        return {}
    rows = visible(ContactRead.objects.filter(site=site), request.user).order_by("-read_at", "pk")
    contact = record_of_key(rows, request.GET.get("contact", ""))
    owner = ContactOwner(owner_code) if owner_code in set(ContactOwner) else None
    if contact:
        owner = contact_owner(ContactKind(contact.kind))
    read = propose_addressee(site, owner, rows) if owner else None
    initial: dict[str, Any] = {"rights_holder": site.rights_holder_id, "sites": [site.pk], "name": site.name}
    if read is not None:
        initial |= {"name": read.name, "role": read.role or ""} | {name: getattr(read, name) for name in _WAYS}
    return initial | (
        {_FIELDS[ContactKind(contact.kind)]: contact.value} if contact and contact.kind in _FIELDS else {}
    )
