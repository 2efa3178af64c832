"""The commands `user add`, `user list` and `user password`."""

import secrets
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import BadInput, NotFound
from core.wording import Message
from webadmin.ui.console.groups import verb_group
from webadmin.ui.console.lists import ConsoleColumn, print_list
from webadmin.ui.console.output import print_line
from webadmin.ui.console.session import session
from webadmin.ui.console.words import translate_for_console

if TYPE_CHECKING:
    from webadmin.accounts.models import User

ADMINISTRATOR = "administrator"
ROLES = ("reviewer", "manager", ADMINISTRATOR)
_ROLES = {
    "reviewer": Message("account.reviewer"),
    "manager": Message("account.manager"),
    ADMINISTRATOR: Message("account.administrator"),
}
PASSWORD_BYTES = 12  # 96 random bits


def add(
    name: str,
    role: Annotated[str, typer.Option(help=", ".join(ROLES))] = "reviewer",
    rights_holder: str = "",
    password_stdin: bool = False,
) -> None:
    """Create a user, or give an existing user a role. A new user's password is read, or generated and printed once."""
    if role not in ROLES:
        raise BadInput("cli.choose", what=Message("cli.role"), name=repr(role), choices=ROLES)
    with session():
        from django.db import transaction

        from webadmin.accounts.models import User

        chosen = _read_password() if password_stdin else ""
        with transaction.atomic():
            user, is_new = User.objects.get_or_create(username=_fit_name(name), defaults={"is_staff": True})
            made = _set_password(user, chosen) if is_new or chosen else ""
            _give_role(user, role, rights_holder)
    if rights_holder:
        print_line(Message("account.is-for", name=name, role=_ROLES[role], rights_holder=rights_holder))
    else:
        print_line(Message("account.is", name=name, role=_ROLES[role]))
    if made:
        print_line(Message("account.password", password=made))


def show(is_json: Annotated[bool, typer.Option("--json")] = False) -> None:
    """List the users with their roles."""
    with session() as settings:
        from webadmin.accounts.models import User

        found = User.objects.prefetch_related("memberships__rights_holder").order_by("username")
        print_list(found, _COLUMNS, settings, is_json=is_json)


def _role_records(user: "User") -> list[dict[str, str]]:
    return [{"role": each.role, "rights_holder": each.rights_holder.name} for each in user.memberships.all()]


def _describe_roles(user: "User") -> str:
    held = [
        Message("account.role-for", role=_ROLES[each["role"]], rights_holder=each["rights_holder"])
        for each in _role_records(user)
    ]
    held = [_ROLES[ADMINISTRATOR], *held] if user.is_superuser else held
    return "; ".join(map(translate_for_console, held or [Message("account.no-role")]))


_COLUMNS = (
    ConsoleColumn("name", "column.user", "username"),
    ConsoleColumn("roles", "column.roles", _role_records, _describe_roles),
    ConsoleColumn(
        "is_active",
        "column.state",
        "is_active",
        lambda user: Message("account.active" if user.is_active else "account.inactive"),
    ),
    ConsoleColumn("is_administrator", "", "is_superuser"),
)


def password(
    name: str,
    password_stdin: bool = False,
) -> None:
    """Set a user's password from standard input, or generate a password and print it once."""
    with session():
        from webadmin.accounts.models import User

        user = User.objects.filter(username=name).first()
        if user is None:
            raise NotFound("user", name)
        made = _set_password(user, _read_password() if password_stdin else "")
    print_line(Message("account.password", password=made) if made else Message("account.has-new", name=name))


def _fit_name(name: str) -> str:
    """Return the cleaned user name. Raises BadInput if it is too long or contains invalid characters."""
    from django.core.exceptions import ValidationError

    from webadmin.accounts.models import User

    try:
        return str(User._meta.get_field("username").clean(name, None))
    except ValidationError as error:
        raise BadInput("account.no-name", name=name[:60], reason=" ".join(error.messages)) from error


def _give_role(user: "User", role: str, rights_holder: str) -> None:
    from webadmin.accounts.models import Membership
    from webadmin.accounts.services.access import allow_admin_access
    from webadmin.accounts.services.holders import holder

    if role == ADMINISTRATOR:
        if rights_holder:
            raise BadInput("account.sees-all")
        user.is_superuser = user.is_staff = True
        user.save(update_fields=["is_superuser", "is_staff"])
        return
    Membership.objects.update_or_create(user=user, rights_holder=holder(rights_holder), defaults={"role": role})
    allow_admin_access(user)


def _set_password(user: "User", chosen: str) -> str:
    """Set the password `chosen` and return "", or generate, set and return a password if `chosen` is "".

    Raises BadInput if the password is too weak.
    """
    from django.contrib.auth.password_validation import validate_password
    from django.core.exceptions import ValidationError

    made = "" if chosen else secrets.token_urlsafe(PASSWORD_BYTES)
    try:
        validate_password(chosen or made, user)
    except ValidationError as error:
        raise BadInput("account.weak", reasons=" ".join(error.messages)) from error
    user.set_password(chosen or made)
    user.save(update_fields=["password"])
    return made


def _read_password() -> str:
    given = sys.stdin.readline().rstrip("\n")
    if not given:
        raise BadInput("account.no-password")
    return given


GROUP = verb_group(
    "Who may come to the desk, and as what.",
    {
        "add": add,
        "list": show,
        "password": password,
    },
)
