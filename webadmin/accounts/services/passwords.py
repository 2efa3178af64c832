"""Validators of passwords for what Django's own let through."""

from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

MIN_OWN_CHARS = 6  # beside the names of a person; with a name of four, what Django asks of any password
NAMES = ("username", "first_name", "last_name", "email")


class OwnCharsValidator:
    """Refuses a password that is the name of its user over and over, or with little beside it."""

    def validate(self, password: str, user: Any = None) -> None:
        """Raises ValidationError."""
        left = password.casefold()
        wholes = [str(getattr(user, each, "") or "").casefold() for each in NAMES]
        for name in sorted({part for whole in wholes for part in (whole, *whole.split("@"))}, key=len, reverse=True):
            left = left.replace(name, "") if len(name) > 1 else left
        if len(left) < min(MIN_OWN_CHARS, len(password)):
            raise ValidationError(_("Without your name in it, the password is too short."), code="password_is_name")

    def get_help_text(self) -> str:
        return _("Your password can’t consist of your name.")
