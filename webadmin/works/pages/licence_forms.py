"""Forms for licences, own domains, own accounts and other names of authors."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from core.chapters import Chapters
from core.errors import BadInput
from core.rights import account_key, is_on_domain, is_whole_site
from webadmin.ui.pages.host_fields import clean_host, clean_urls
from webadmin.ui.pages.wording import message_text
from webadmin.works.models import AuthorAlias, Licence, OwnAccount, OwnDomain
from webadmin.works.models.rights import MAX_ADDRESS_CHARS
from webadmin.works.pages.sent_files import validate_document
from webadmin.works.services.licences import normalize_page_url


class OwnDomainForm(forms.ModelForm):
    class Meta:
        model = OwnDomain
        fields = ["rights_holder", "domain"]

    def clean_domain(self) -> str:
        return clean_host(self.cleaned_data["domain"])


class LicenceForm(forms.ModelForm):
    """A form for licences, which checks that the work belongs to the rights holder and contains the chapters."""

    proof = forms.FileField(
        label=_("Add a proof"),
        required=False,
        max_length=255,
        help_text=_(
            "The contract or other proof: PDF, PNG, JPEG or Word (DOCX), up to 20 MB. The file is "
            "stored unchanged with its hash; no file is replaced."
        ),
    )

    class Meta:
        model = Licence
        fields = [
            *("rights_holder", "work", "chapters", "licensee", "domain", "address", "number", "valid_from"),
            "valid_until",
        ]

    def clean_domain(self) -> str:
        return clean_host(self.cleaned_data["domain"])

    def clean_address(self) -> str:
        typed = self.cleaned_data["address"].strip()
        address = normalize_page_url(clean_urls(typed)) if typed else ""
        if address and is_whole_site(address):
            raise forms.ValidationError(_("This is a whole site: leave the URL of the page empty."))
        if len(address) > MAX_ADDRESS_CHARS:  # Percent-encoding lengthens URLs in other scripts.
            raise forms.ValidationError(_("This URL is too long."))
        return address

    def clean_chapters(self) -> str:
        try:
            return str(Chapters.parse(self.cleaned_data["chapters"]))
        except BadInput as error:
            raise forms.ValidationError(message_text(error)) from error

    def clean_proof(self) -> Any:
        file = self.cleaned_data.get("proof")
        return validate_document(file) if file else None

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        work = cleaned.get("work")
        holder = cleaned.get("rights_holder") or self.instance.rights_holder_id
        if work is not None and holder and work.rights_holder_id != getattr(holder, "pk", holder):
            self.add_error("work", _("This work belongs to another rights holder."))
        elif cleaned.get("chapters"):
            self._check_chapters(work, cleaned["chapters"])
        address, domain = cleaned.get("address"), cleaned.get("domain")
        if address and domain and not is_on_domain(address, domain):
            self.add_error("address", _("This page is not on the domain of the licence."))
        return cleaned

    def _check_chapters(self, work: Any, chapters: str) -> None:
        if work is None:
            self.add_error("chapters", _("Chapters are those of one work: choose the work."))
            return
        try:
            Chapters.parse(chapters).require_existing(list(work.chapters.values_list("number", flat=True)))
        except BadInput as error:
            self.add_error("chapters", message_text(error))


class OwnAccountForm(forms.ModelForm):
    """A form for an account, identified by its page's URL or by its name on a domain."""

    class Meta:
        model = OwnAccount
        fields = ["rights_holder", "platform", "address", "domain", "name"]

    def clean_address(self) -> str:
        typed = self.cleaned_data["address"].strip()
        address = clean_urls(typed) if typed else ""
        if address and is_whole_site(address.partition("#")[0]):
            raise forms.ValidationError(
                _("This URL is a whole site: add it to the own domains, or enter the page of the account.")
            )
        return address

    def clean_domain(self) -> str:
        typed = self.cleaned_data["domain"].strip()
        return clean_host(typed) if typed else ""

    def clean_name(self) -> str:
        typed = self.cleaned_data["name"].strip()
        if typed and not account_key(typed):
            raise forms.ValidationError(_("Enter the name as the platform shows it."))
        return typed.lstrip("@＠").strip()


class AuthorAliasForm(forms.ModelForm):
    """A form for an author's name and another name of the same person."""

    class Meta:
        model = AuthorAlias
        fields = ["rights_holder", "author", "alias"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        names = [account_key(cleaned[name]) for name in ("author", "alias") if cleaned.get(name)]
        if len(names) == 2 and names[0] == names[1]:
            self.add_error("alias", _("This is the same name."))
        return cleaned
