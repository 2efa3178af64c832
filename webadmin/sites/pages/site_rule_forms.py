"""Forms for the crawl rules of a site. They never show stored secrets; an empty field leaves a secret unchanged."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminPasswordWidget, UnfoldAdminTextareaWidget

from core.errors import BadConfiguration
from core.hosts import parse_host
from core.wording import Message
from crawler.politeness.login_steps import parse_steps
from crawler.politeness.windows import CrawlWindows
from webadmin.sites.models import SiteBanRule, SiteProxy, SiteRules
from webadmin.sites.services import encrypted_secrets as sealed
from webadmin.sites.services import politeness
from webadmin.ui.pages.host_fields import rule_errors
from webadmin.ui.pages.wording import message_text

_KEPT = _("Stored encrypted. Leave empty to keep the current value; enter a single minus sign to delete it.")
FORGET = "-"


class SiteRulesForm(forms.ModelForm):
    login_values = forms.CharField(
        label=_("secret values of the login"),
        required=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 2, "autocomplete": "off"}),
        help_text=_("One per line: name = value."),
    )
    cookies = forms.CharField(
        label=_("cookies"),
        required=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 2, "autocomplete": "off"}),
        help_text=_("One per line: name = value."),
    )

    class Meta:
        model = SiteRules
        fields = "__all__"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, kept in (("login_values", self.instance.sealed_values), ("cookies", self.instance.sealed_cookies)):
            if kept:
                self.fields[name].help_text = _KEPT
        self.fields["login_steps"].widget.attrs["rows"] = 5
        self.fields["user_agents"].widget.attrs["rows"] = 2
        self.fields["login_steps"].help_text = _(
            "One step per line: open https://…, fill NAME = {user}, submit, check SELECTOR. {user} is a secret value."
        )

    def clean_windows(self) -> str:
        return str(_validate(lambda: CrawlWindows(self.cleaned_data["windows"], "UTC"), self.cleaned_data["windows"]))

    def clean_zone(self) -> str:
        zone = str(self.cleaned_data["zone"]).strip()
        return str(_validate(lambda: CrawlWindows("", zone or "UTC"), zone))

    def clean_login_values(self) -> str:
        return self._clean_pairs("login_values")

    def clean_cookies(self) -> str:
        return self._clean_pairs("cookies")

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        steps = cleaned.get("login_steps", "")
        if steps and "login_values" in cleaned:
            try:
                parsed = parse_steps(steps, dict(self._values_to_store(cleaned["login_values"])))
                if "login_steps" in self.changed_data:
                    errors = rule_errors(selectors=[step.what for step in parsed if step.takes_selector])
                    for error in errors.values():
                        self.add_error("login_steps", error)
            except BadConfiguration as fault:
                self.add_error("login_steps", [message_text(each) for each in fault.faults])
            except sealed.KeyLost as fault:
                self.add_error("login_steps", message_text(fault))
        return cleaned

    def save(self, commit: bool = True) -> Any:
        self.instance.sealed_values = _seal_secret(self.cleaned_data["login_values"], self.instance.sealed_values)
        self.instance.sealed_cookies = _seal_secret(self.cleaned_data["cookies"], self.instance.sealed_cookies)
        return super().save(commit)

    def _values_to_store(self, given: str) -> tuple[tuple[str, str], ...]:
        """Return the secret values after saving: the entered ones, or the stored ones if `given` is "".

        FORGET gives none.
        """
        if given == FORGET:
            return ()
        return politeness.parse_pairs(given or sealed.unseal(self.instance.sealed_values))

    def _clean_pairs(self, name: str) -> str:
        given = str(self.cleaned_data[name]).strip()
        return given if given == FORGET else str(_validate(lambda: politeness.parse_pairs(given), given))


class SiteBanRuleForm(forms.ModelForm):
    class Meta:
        model = SiteBanRule
        fields = ["name", "statuses", "words", "selector", "redirect", "max_chars", "action"]
        widgets = {"words": UnfoldAdminTextareaWidget(attrs={"rows": 2})}

    def clean(self) -> dict[str, Any]:
        from crawler.politeness.bans import rule_faults  # Imported here, because it loads fingerprint.

        cleaned: dict[str, Any] = super().clean() or {}
        if self.errors or self.cleaned_data.get("DELETE"):
            return cleaned
        values = {name: cleaned[name] for name in self.Meta.fields}
        try:
            faults: Sequence[Message] = rule_faults(politeness.convert_ban_rule(SiteBanRule(**values)))
        except BadConfiguration as fault:
            faults = fault.faults
        if faults:
            raise ValidationError([message_text(fault) for fault in faults])
        return cleaned


class SiteBanRuleFormSet(forms.BaseInlineFormSet):
    """The refusal rules of a site, whose patterns and selectors are tested together in one process."""

    def clean(self) -> None:
        super().clean()
        changed = [each for each in self.forms if each.has_changed() and not each.errors and not self._is_deleted(each)]
        patterns = [each.cleaned_data["redirect"] for each in changed if each.cleaned_data["redirect"]]
        selectors = [each.cleaned_data["selector"] for each in changed if each.cleaned_data["selector"]]
        errors = rule_errors(patterns, selectors)
        for each in changed:
            for name in ("redirect", "selector"):
                if each.cleaned_data[name] in errors:
                    each.add_error(name, errors[each.cleaned_data[name]])

    def _is_deleted(self, form: forms.ModelForm) -> bool:
        return bool(form.cleaned_data.get("DELETE"))


class SiteProxyForm(forms.ModelForm):
    password = forms.CharField(
        label=_("password"), required=False, widget=UnfoldAdminPasswordWidget(attrs={"autocomplete": "new-password"})
    )

    class Meta:
        model = SiteProxy
        fields = ["scheme", "place", "user", "password", "is_enabled", "is_second_route"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.sealed_password and "password" in self.fields:
            self.fields["password"].help_text = _KEPT
            self.fields["password"].widget.attrs["placeholder"] = _(
                "saved; leave empty to keep it"
            )  # Table rows show no help texts.

    def clean_place(self) -> str:
        text = str(self.cleaned_data["place"]).strip()
        if "@" in text:
            raise ValidationError(_("Enter user and password in their own fields."))
        try:
            host = parse_host(text)
        except ValueError as error:
            raise ValidationError(_("Enter it in the form proxy.example.com:3128.")) from error
        if host.port is None:
            raise ValidationError(_("Enter it in the form proxy.example.com:3128."))
        return str(host)

    def save(self, commit: bool = True) -> Any:
        self.instance.sealed_password = _seal_secret(
            self.cleaned_data.get("password", ""), self.instance.sealed_password
        )
        return super().save(commit)


def _seal_secret(given: str, kept: str) -> str:
    if given == FORGET:
        return ""
    return sealed.seal(given) if given else kept


def _validate(check: Any, value: object) -> object:
    """Return `value` if `check()` raises no error. Raises ValidationError with the messages of a BadConfiguration."""
    try:
        check()
    except BadConfiguration as fault:
        raise ValidationError([message_text(each) for each in fault.faults]) from fault
    return value
