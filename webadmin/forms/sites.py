"""The form of a site: what the crawler will be told."""

import codecs
from collections.abc import Sequence
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminTextInputWidget

from core.errors import UnsafeUrl
from crawler.fetching.addresses import AddressGuard
from crawler.sources.url_list import BadAddress, read_url_list
from webadmin.forms.hosts import clean_host, clean_patterns, clean_urls
from webadmin.models import Site, SiteDomain
from webadmin.sentences import translated

MAX_BAD_LINES = 10  # named at once; a file of something else has thousands
_START_URLS_HELP = _(
    "One a line. Website: pages to begin at. Sitemap: sitemaps, or the front page of a site that has some. Feed: RSS or"
    " Atom feeds, or pages that name them. Novel: catalogues of chapters. List of pages: the pages themselves; what"
    " follows # is a comment. Archive files: none."
)
_BAD_ADDRESSES = {
    BadAddress.NO_SCHEME: _("Line %(number)d: “%(text)s” does not begin with http:// or https://."),
    BadAddress.NO_HOST: _("Line %(number)d: “%(text)s” names no host."),
    BadAddress.BLANKS: _("Line %(number)d: “%(text)s” has blanks; write one address a line."),
    BadAddress.TOO_LONG: _("Line %(number)d: “%(text)s” is longer than 2,000 characters."),
    BadAddress.LOGIN: _("Line %(number)d: “%(text)s” carries a user name or password; leave them out."),
    BadAddress.TOO_MANY: _("Line %(number)d: a list has at most 50,000 addresses; make another one."),
}


class SiteForm(forms.ModelForm):
    robots_reason = forms.CharField(
        label=_("why robots.txt is switched"),
        required=False,
        max_length=500,
        widget=UnfoldAdminTextInputWidget,
        help_text=_("Needed to switch it off; kept with your name and the time."),
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
            self.fields["start_urls"].help_text = _START_URLS_HELP
            if self.instance.kind == Site.Kind.LIST:
                self.fields["start_urls"].widget.attrs["rows"] = 16

    def clean_start_urls(self) -> str:
        typed = self.cleaned_data["start_urls"]
        kind = self.cleaned_data.get("kind", self.instance.kind)
        if kind == Site.Kind.ARCHIVE:
            return ""
        cleaned = _clean_list(typed) if kind == Site.Kind.LIST else clean_urls(typed)
        if "start_urls" in self.changed_data:
            _require_public(read_url_list(cleaned).urls)
        return cleaned

    def clean_follow_patterns(self) -> str:
        return clean_patterns(self.cleaned_data["follow_patterns"])

    def clean_page_patterns(self) -> str:
        return clean_patterns(self.cleaned_data["page_patterns"])

    def clean_deny_patterns(self) -> str:
        return clean_patterns(self.cleaned_data["deny_patterns"])

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        is_switched_off = "obey_robots" in self.changed_data and cleaned.get("obey_robots") is False
        if is_switched_off and not cleaned.get("robots_reason", "").strip():
            self.add_error("robots_reason", _("Say why robots.txt is not to be obeyed; the reason is kept."))
        return cleaned

    def clean_encoding(self) -> str:
        encoding = str(self.cleaned_data["encoding"]).strip()
        if encoding:
            try:
                codecs.lookup(encoding)
            except (LookupError, ValueError) as error:
                raise ValidationError(_("There is no encoding “%(name)s”."), params={"name": encoding}) from error
        return encoding


def _clean_list(typed: str) -> str:
    """Check a list of pages; it stays as it was typed, comments and all."""
    found = read_url_list(typed)
    if found.bad:
        raise ValidationError(
            [
                ValidationError(_BAD_ADDRESSES[line.fault], params={"number": line.number, "text": line.text})
                for line in found.bad[:MAX_BAD_LINES]
            ]
        )
    if not found.urls:
        raise ValidationError(_("Write at least one URL."))
    return "\n".join(line.rstrip() for line in typed.strip().splitlines())


def _require_public(urls: Sequence[str]) -> None:
    """Raises ValidationError for addresses that a crawl would refuse as they are written; no name is looked up."""
    guard = AddressGuard(settings.ZHUIWEN.crawl.allow_private_hosts)
    faults = []
    for url in urls:
        try:
            guard.check_url(url)
        except UnsafeUrl as fault:
            faults.append(translated(str(fault)))
    if faults:
        raise ValidationError(faults[:MAX_BAD_LINES])


class SiteDomainForm(forms.ModelForm):
    class Meta:
        model = SiteDomain
        fields = ["host"]

    def clean_host(self) -> str:
        return clean_host(self.cleaned_data["host"])
