"""The form that makes a person a member."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminTextInputWidget

from webadmin.models import Membership


class MembershipForm(forms.ModelForm):
    """A person is named by the exact user name: a list of users would show people of other rights holders."""

    username = forms.CharField(
        label=_("user name"),
        max_length=150,
        required=False,
        widget=UnfoldAdminTextInputWidget(attrs={"autocomplete": "off"}),
        help_text=_("Exactly as the person signs in. An administrator creates new users."),
    )

    class Meta:
        model = Membership
        fields = ["rights_holder", "role"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.instance.pk is None:
            self._take_user(cleaned)
        return cleaned

    def _take_user(self, cleaned: dict[str, Any]) -> None:
        name = str(cleaned.get("username", "")).strip()
        user = User.objects.filter(username=name, is_active=True).first()
        if user is None:
            self.add_error("username", _("There is no active user of this name."))
            return
        self.instance.user = user
        holder = cleaned.get("rights_holder")
        if holder and Membership.objects.filter(user=user, rights_holder=holder).exists():
            self.add_error("username", _("This user is a member already; change the role in the list."))
