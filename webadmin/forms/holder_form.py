"""The form of a rights holder."""

from typing import Any

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from matcher.reworded.weights import is_installed
from records.models import RightsHolder, Work

NOT_INSTALLED = _(
    "The extra “reworded” is not installed here, so nothing is looked for yet: pip install 'zhuiwen[reworded]'."
)


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
            field.help_text = told if is_installed() else format_lazy("{} {}", told, NOT_INSTALLED)
