"""The form for a site, which validates the crawl settings."""

import codecs
from collections.abc import Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminTextInputWidget

from core.errors import UnsafeUrl
from crawler.fetching.addresses import AddressGuard
from crawler.site_kinds import KINDS
from crawler.sources.url_list import read_url_list
from webadmin.sites.models import Site, SiteDomain
from webadmin.sites.models.site_kind_choices import starts_help
from webadmin.sites.services.watchlist import MAX_BAD_LINES, bad_lines
from webadmin.ui.pages.host_fields import clean_host, clean_urls, rule_errors
from webadmin.ui.pages.wording import message_text

_PATTERNS = ("follow_patterns", "page_patterns", "deny_patterns")
_SELECTORS = ("body_selector", "title_selector", "next_page_selector", "chapter_list_selector")


class SiteForm(forms.ModelForm):
    robots_reason = forms.CharField(
        label=_("reason for the robots.txt setting"),
        required=False,
        max_length=500,
        widget=UnfoldAdminTextInputWidget,
        help_text=_("Required to switch it off; recorded with your name and the time."),
    )

    class Meta:
        model = Site
        fields = "__all__"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("start_urls", "follow_patterns", "page_patterns", "deny_patterns"):
            if name in self.fields:
                self.fields[name].widget.attrs["rows"] = 3
        if "start_urls" in self.fields:
            self.fields["start_urls"].help_text = format_lazy("{} {}", _("One per line."), starts_help())
            if KINDS[self.instance.kind].starts_are_pages:
                self.fields["start_urls"].widget.attrs["rows"] = 16

    def clean_start_urls(self) -> str:
        typed = self.cleaned_data["start_urls"]
        kind = KINDS[self.cleaned_data.get("kind", self.instance.kind)]
        if not kind.is_crawled:
            return ""
        cleaned = _clean_list(typed) if kind.starts_are_pages else clean_urls(typed)
        if "start_urls" in self.changed_data:
            _require_public(read_url_list(cleaned).urls)
        return cleaned

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        is_switched_off = "obey_robots" in self.changed_data and cleaned.get("obey_robots") is False
        if is_switched_off and not cleaned.get("robots_reason", "").strip():
            self.add_error("robots_reason", _("Explain why robots.txt is ignored; the reason is recorded."))
        self._check_rules(cleaned)
        return cleaned

    def _check_rules(self, cleaned: dict[str, Any]) -> None:
        """Add an error for each invalid or slow pattern or selector that changed.

        Raises ValidationError if they cannot be tested now.
        """
        for name in set(_PATTERNS) & cleaned.keys():
            cleaned[name] = "\n".join(line.strip() for line in cleaned[name].splitlines() if line.strip())
        named = {*_PATTERNS, *_SELECTORS} & cleaned.keys()  # `cleaned` lacks fields with errors
        changed = {name: cleaned[name].splitlines() for name in self.changed_data if name in named}
        patterns = [rule for name in _PATTERNS for rule in changed.get(name, ())]
        errors = rule_errors(patterns, [rule for name in _SELECTORS for rule in changed.get(name, ())])
        for name, typed in changed.items():
            if found := [errors[rule] for rule in typed if rule in errors]:
                self.add_error(name, found[:MAX_BAD_LINES])

    def clean_encoding(self) -> str:
        encoding = str(self.cleaned_data["encoding"]).strip()
        if encoding:
            try:
                codecs.lookup(encoding)
            except (LookupError, ValueError) as error:
                raise ValidationError(_("There is no encoding “%(name)s”."), params={"name": encoding}) from error
        return encoding


def _clean_list(typed: str) -> str:
    """Return a list of page URLs with its comments. Raises ValidationError for invalid lines or without a URL."""
    found = read_url_list(typed)
    if found.bad:
        raise ValidationError([message_text(each) for each in bad_lines(found.bad)])
    if not found.urls:
        raise ValidationError(_("Enter at least one URL."))
    return "\n".join(line.rstrip() for line in typed.strip().splitlines())


def _require_public(urls: Sequence[str]) -> None:
    """Raise ValidationError if a crawl would refuse one of the URLs. Host names are not resolved."""
    guard = AddressGuard(settings.ZHUIWEN.crawl.allow_private_hosts)
    faults = []
    for url in urls:
        try:
            guard.check_url(url)
        except UnsafeUrl as fault:
            faults.append(message_text(fault))
    if faults:
        raise ValidationError(faults[:MAX_BAD_LINES])


class SiteDomainForm(forms.ModelForm):
    class Meta:
        model = SiteDomain
        fields = ["host"]

    def clean_host(self) -> str:
        return clean_host(self.cleaned_data["host"])
