"""A validator for weak passwords that Django's validators accept."""

from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

MIN_OWN_CHARS = 6  # characters besides the user's names; with a name of four, the minimum length of passwords
NAMES = ("username", "first_name", "last_name", "email")


class OwnCharsValidator:
    """A validator that rejects a password made of the user's names, repeated or with few other characters."""

    def validate(self, password: str, user: Any = None) -> None:
        """Raise ValidationError if fewer than MIN_OWN_CHARS characters are left without the user's names."""
        left = password.casefold()
        wholes = [str(getattr(user, each, "") or "").casefold() for each in NAMES]
        for name in sorted({part for whole in wholes for part in (whole, *whole.split("@"))}, key=len, reverse=True):
            left = left.replace(name, "") if len(name) > 1 else left
        if len(left) < min(MIN_OWN_CHARS, len(password)):
            raise ValidationError(_("Without your name in it, the password is too short."), code="password_is_name")

    def get_help_text(self) -> str:
        return _("Your password can’t consist of your name.")
