"""Forms that create members: administrators add existing accounts, managers create new ones."""

from typing import Any

from django import forms
from django.contrib.auth.password_validation import password_validators_help_text_html, validate_password
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminPasswordWidget,
    UnfoldAdminTextInputWidget,
)

from core.wording import Message
from matcher.reworded.record import PACKAGE, is_installed
from webadmin.accounts.models import Membership, RightsHolder, User
from webadmin.accounts.models.rights_holder import WorkKind
from webadmin.ui.pages.wording import message_text


class RightsHolderForm(forms.ModelForm):
    """A form for rights holders, with a checkbox for each kind of work."""

    reworded_kinds = forms.MultipleChoiceField(
        label=_("Searched for rewrites"),
        choices=WorkKind.choices,
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
            missing = "" if is_installed() else message_text(Message("reworded.not-installed", error=PACKAGE))
            field.help_text = f"{told} {missing}".strip()


class MembershipForm(forms.ModelForm):
    """An administrator's form that makes an existing user a member, identified by the exact user name."""

    username = forms.CharField(
        label=_("user name"),
        max_length=150,
        required=False,
        widget=UnfoldAdminTextInputWidget(attrs={"autocomplete": "off"}),
        help_text=_("Exactly the name used to log in."),
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
            self.add_error("username", _("There is no active user with this name."))
            return
        self.instance.user = user
        holder = cleaned.get("rights_holder")
        if holder and Membership.objects.filter(user=user, rights_holder=holder).exists():
            self.add_error("username", _("This user is already a member; change the role in the list."))


class ReviewerForm(forms.ModelForm):
    """A manager's form that creates the account of a reviewer for one of the manager's rights holders.

    The user name ends in the number of the rights holder. Managers thus cannot take the names of another rights holder
    or impersonate its staff, and an error reveals nothing about other accounts.
    """

    name = forms.CharField(
        label=_("user name"),
        max_length=100,
        widget=UnfoldAdminTextInputWidget(attrs={"autocomplete": "off"}),
        help_text=_(
            "The person logs in with this name and the number of the rights holder: li becomes "
            "li@3. Existing accounts are linked by an administrator."
        ),
    )
    password = forms.CharField(
        label=_("password"),
        strip=False,
        widget=UnfoldAdminPasswordWidget(attrs={"autocomplete": "new-password"}),
        help_text=password_validators_help_text_html(),
    )
    again = forms.CharField(
        label=_("password again"),
        strip=False,
        widget=UnfoldAdminPasswordWidget(attrs={"autocomplete": "new-password"}),
    )

    class Meta:
        model = Membership
        fields = ["rights_holder"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        holder, name, password = (cleaned.get(each) for each in ("rights_holder", "name", "password"))
        if holder and name:
            self.instance.user = self._new_user(holder, name)
        if password and cleaned.get("again") != password:
            self.add_error("again", _("The two passwords do not match."))
        elif password and self.instance.user_id is None and holder and name:
            self._take_password(password)
        return cleaned

    def _new_user(self, holder: RightsHolder, name: str) -> User:
        """Return an unsaved account. Every invalid or existing name gets the same error."""
        user = User(username=User.normalize_username(f"{name.strip()}@{holder.pk}"))
        if "@" in name or not _can_be_stored(user):
            self.add_error("name", _("This user name is not available; choose another."))
        return user

    def _take_password(self, password: str) -> None:
        try:
            validate_password(password, self.instance.user)
        except ValidationError as error:
            self.add_error("password", error)
        else:
            self.instance.user.set_password(password)


def _can_be_stored(user: User) -> bool:
    try:
        user.clean_fields(exclude=["password"])
        user.validate_unique()
    except ValidationError:
        return False
    return True
