"""The admin of licences, own domains, own accounts and other names of authors."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from core.errors import ZhuiwenError
from core.hidden_characters import clip_text, spell_hidden
from webadmin.accounts.pages.filters import LicenceEndedFilter
from webadmin.accounts.pages.isolation import HolderAdmin, signed_in_user
from webadmin.accounts.services.holders import lock_rights
from webadmin.ui.pages.columns import NOTHING, change_link, html_list, moment
from webadmin.ui.pages.downloads import kept_download
from webadmin.ui.pages.requests.request_values import require_record
from webadmin.ui.pages.wording import message_text
from webadmin.works.models import AuthorAlias, Licence, LicenceProof, OwnAccount, OwnDomain
from webadmin.works.pages.licence_forms import AuthorAliasForm, LicenceForm, OwnAccountForm, OwnDomainForm
from webadmin.works.pages.rulings import announce_rulings
from webadmin.works.services.licences import equal_licence
from webadmin.works.services.proofs import add_proof


class EnteredAdmin(HolderAdmin):
    """A base class for rights, which records the user who changed them and announces the effects on stored findings."""

    readonly_fields = ["entered_by", "entered_at"]

    def get_fieldsets(self, request: HttpRequest, obj: Model | None = None) -> Any:
        """Return the fieldsets; a saved right also has the user who entered it and the time."""
        fieldsets = [*super().get_fieldsets(request, obj)]
        return fieldsets if obj is None else [*fieldsets, (_("Entered"), {"fields": [("entered_by", "entered_at")]})]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        with announce_rulings(request, obj.rights_holder_id):
            super().save_model(request, obj, form, change)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        self._delete_rights(request, [obj])

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet) -> None:
        self._delete_rights(request, list(queryset))

    def _delete_rights(self, request: HttpRequest, rights: Sequence[Any]) -> None:
        for right in rights:
            right.entered_by = signed_in_user(request)
            with announce_rulings(request, right.rights_holder_id):
                right.delete()


def _proof_file(request: HttpRequest, licence: Licence) -> HttpResponse:
    """Return the proof with the key in the parameter "file" as a download, so that browsers do not execute it."""
    row = require_record(licence.proofs.all(), request.GET.get("file", ""))
    return kept_download(row.name, row.digest)


@admin.register(Licence)
class LicenceAdmin(EnteredAdmin):
    record_pages = [("proof", "proof", _proof_file)]
    form = LicenceForm
    list_display = [
        *("licensee", "place", "work_or_all", "chapters_or_all", "number", "valid_from", "valid_until", "validity"),
        "entered_by",
    ]
    list_filter = ["rights_holder", LicenceEndedFilter]
    list_select_related = ["work", "rights_holder", "entered_by"]
    search_fields = ["licensee", "domain", "address", "number", "work__title"]
    fieldsets = [
        (None, {"fields": ["rights_holder", "licensee", "number"]}),
        (_("What and where"), {"fields": [("work", "chapters"), "domain", "address"]}),
        (_("When"), {"fields": [("valid_from", "valid_until")]}),
        (_("Proof"), {"fields": ["proof"]}),
    ]

    def get_fieldsets(self, request: HttpRequest, obj: Model | None = None) -> Any:
        """Return the fieldsets; a saved licence also has the list of its proofs."""
        fieldsets = [*super().get_fieldsets(request, obj)]
        if obj is None:
            return fieldsets
        may_add = self.has_change_permission(request, obj)
        shown = (_("Proof"), {"fields": ["proofs", *(["proof"] if may_add else [])]})
        rest = [each for each in fieldsets if "proof" not in each[1]["fields"]]
        return [*rest, shown]

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> list[str]:
        return [*super().get_readonly_fields(request, obj), "proofs"]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Save the licence and its proof. If the proof cannot be stored, only the licence is saved, with a message.

        A form that is sent twice creates only one licence.
        """
        lock_rights(obj.rights_holder_id)
        twin = None if change else equal_licence(obj)
        if twin is not None:
            obj.__dict__.update(twin.__dict__)
        else:
            super().save_model(request, obj, form, change)
        file = form.cleaned_data.get("proof")
        if file is None:
            return
        try:
            add_proof(obj, file.name or "", file.read(), signed_in_user(request))
        except ZhuiwenError as error:
            words = _now("The licence was saved, but its proof could not be stored: %(error)s")
            messages.error(request, words % {"error": message_text(error)})

    @display(description=_("proofs"))
    def proofs(self, licence: Licence) -> object:
        label, address = _now("SHA-256"), reverse("admin:works_licence_proof", args=[licence.pk])
        rows = [
            (f"{address}?file={each.pk}", spell_hidden(each.name), _proof_facts(each), label, each.digest)
            for each in licence.proofs.select_related("added_by")
        ]
        return html_list('<a class="text-link" href="{}">{}</a> · {}<br>{} <code class="break-all">{}</code>', rows)

    @display(description=_("domain or page"), ordering="domain")
    def place(self, licence: Licence) -> str:
        return clip_text(licence.address, 80) if licence.address else licence.domain

    @display(description=_("chapters"))
    def chapters_or_all(self, licence: Licence) -> object:
        return clip_text(licence.chapters, 30) or _("all chapters")

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Return the form field. The field for works has no button to add one, because works are uploaded."""
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


@admin.register(OwnAccount)
class OwnAccountAdmin(EnteredAdmin):
    form = OwnAccountForm
    list_display = ["platform", "account", "rights_holder", "entered_by", "entered_at"]
    fieldsets = [
        (None, {"fields": ["rights_holder", "platform"]}),
        (_("Identified by the URL of its page"), {"fields": ["address"]}),
        (_("or by its name on a domain"), {"fields": [("domain", "name")]}),
    ]
    list_filter = ["rights_holder"]
    list_select_related = ["rights_holder", "entered_by"]
    search_fields = ["platform", "address", "domain", "name"]

    @display(description=_("account"))
    def account(self, account: OwnAccount) -> str:
        return clip_text(account.address or f"@{account.name} · {account.domain}", 80)


@admin.register(AuthorAlias)
class AuthorAliasAdmin(HolderAdmin):
    """The admin of the other names of authors, under which searches by author find their works."""

    form = AuthorAliasForm
    list_display = ["author", "alias", "rights_holder"]
    fieldsets = [(None, {"fields": ["rights_holder", ("author", "alias")]})]
    list_filter = ["rights_holder"]
    list_select_related = ["rights_holder"]
    search_fields = ["author", "alias"]


def _proof_facts(proof: LicenceProof) -> str:
    by = proof.added_by.get_username() if proof.added_by else NOTHING
    return f"{filesizeformat(proof.size)} · {by} · {moment(proof.added_at)}"
