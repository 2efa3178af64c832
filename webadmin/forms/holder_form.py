"""The form of a rights holder."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from core.wording import Message
from matcher.reworded.weights import PACKAGE, is_installed
from records.models import RightsHolder, Work
from webadmin.wording import said


class RightsHolderForm(forms.ModelForm):
    """Kinds of works are boxes to tick; the table keeps a list of them."""

    reworded_kinds = forms.MultipleChoiceField(
        label=_("looked for in other words"),
        choices=Work.Kind.choices,
        required=False,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
    )

    class Meta:
        model = RightsHolder
        fields = "__all__"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields.get("reworded_kinds")
        if field is not None:
            told = RightsHolder._meta.get_field("reworded_kinds").help_text
            missing = "" if is_installed() else said(Message("reworded.not-installed", error=PACKAGE))
            field.help_text = f"{told} {missing}".strip()
