"""The form for the scope of a report."""

from datetime import date, timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import get_language, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from analytics.formats import FORMATS
from analytics.records import MAX_DAYS
from core.days import FIRST_DAY, LAST_DAY, is_usable
from webadmin.accounts.models import RightsHolder, User
from webadmin.accounts.services.access import visible
from webadmin.sites.models import Site
from webadmin.works.models import Work

DEFAULT_DAYS = 30


_DAY = forms.DateInput({"type": "date"}, "%Y-%m-%d")  # with the browser's own calendar


def require_usable(day: date) -> None:
    """Raise ValidationError for a day outside the range of reports."""
    if not is_usable(day):
        raise ValidationError(
            _("Choose a day from %(first)s to %(last)s."), params={"first": FIRST_DAY, "last": LAST_DAY}
        )


class ReportForm(forms.Form):
    """A form for the scope and format of a report. It only offers records that the user may see."""

    since = forms.DateField(label=pgettext_lazy("first day", "From"), widget=_DAY, validators=[require_usable])
    until = forms.DateField(
        label=_("Until"), widget=_DAY, help_text=_("Both days included."), validators=[require_usable]
    )
    holder = forms.ModelChoiceField(RightsHolder.objects.none(), label=_("Rights holder"), required=False)
    work = forms.ModelChoiceField(Work.objects.none(), label=_("Work"), required=False)
    site = forms.ModelChoiceField(Site.objects.none(), label=_("Site"), required=False)
    language = forms.ChoiceField(label=_("Language"), choices=settings.LANGUAGES)
    format = forms.ChoiceField(label=_("Format"), choices=[(name, name.upper()) for name in FORMATS])

    def __init__(self, data: Any, user: User | AnonymousUser) -> None:
        super().__init__(data)
        for name, model in (("holder", RightsHolder), ("work", Work), ("site", Site)):
            field: Any = self.fields[name]
            field.queryset = visible(model.objects.all(), user)
            field.empty_label = _("All")
        if visible(RightsHolder.objects.all(), user).count() < 2:
            del self.fields["holder"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        since, until = cleaned.get("since"), cleaned.get("until")
        if since and until and until < since:
            self.add_error("until", _("The period ends before it begins."))
        elif since and until and (until - since).days >= MAX_DAYS:
            self.add_error("until", _("The period is longer than ten years."))
        return cleaned


def default_choice() -> dict[str, str]:
    """Return the initial values: the last thirty days, as PDF, in the user's language."""
    today: date = timezone.localdate()
    return {
        "since": (today - timedelta(days=DEFAULT_DAYS - 1)).isoformat(),
        "until": today.isoformat(),
        "language": get_language() or settings.LANGUAGE_CODE,
        "format": "pdf",
    }
