"""The form of a site: what the crawler will be told."""

import codecs
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from webadmin.forms.hosts import clean_host, clean_patterns, clean_urls
from webadmin.models import Site, SiteDomain


class SiteForm(forms.ModelForm):
    class Meta:
        model = Site
        fields = "__all__"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("start_urls", "follow_patterns", "page_patterns", "deny_patterns"):
            if name in self.fields:
                self.fields[name].widget.attrs["rows"] = 3

    def clean_start_urls(self) -> str:
        return clean_urls(self.cleaned_data["start_urls"])

    def clean_follow_patterns(self) -> str:
        return clean_patterns(self.cleaned_data["follow_patterns"])

    def clean_page_patterns(self) -> str:
        return clean_patterns(self.cleaned_data["page_patterns"])

    def clean_deny_patterns(self) -> str:
        return clean_patterns(self.cleaned_data["deny_patterns"])

    def clean_encoding(self) -> str:
        encoding = str(self.cleaned_data["encoding"]).strip()
        if encoding:
            try:
                codecs.lookup(encoding)
            except (LookupError, ValueError) as error:
                raise ValidationError(_("There is no encoding “%(name)s”."), params={"name": encoding}) from error
        return encoding


class SiteDomainForm(forms.ModelForm):
    class Meta:
        model = SiteDomain
        fields = ["host"]

    def clean_host(self) -> str:
        return clean_host(self.cleaned_data["host"])
