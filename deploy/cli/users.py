"""The verbs `user add`, `user list`, `user password`: who may come to the desk, and as what."""

import secrets
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import BadInput, NotFound
from deploy.cli.output import say, table
from deploy.cli.session import session

if TYPE_CHECKING:
    from django.contrib.auth.models import User

ADMINISTRATOR = "administrator"
ROLES = ("reviewer", "manager", ADMINISTRATOR)
PASSWORD_BYTES = 12  # 96 random bits


def register(app: typer.Typer) -> None:
    """Add the verbs to `app`."""
    group = typer.Typer(help="Who may come to the desk, and as what.", no_args_is_help=True, rich_markup_mode=None)
    group.command("add")(add)
    group.command("list")(show)
    group.command("password")(password)
    app.add_typer(group, name="user")


def add(
    name: Annotated[str, typer.Argument(help="what the user logs in with")],
    role: Annotated[str, typer.Option(help=", ".join(ROLES))] = "reviewer",
    rights_holder: Annotated[str, typer.Option(help="whose works the user is to see; not for an administrator")] = "",
    password_stdin: Annotated[bool, typer.Option(help="read the password from standard input")] = False,
) -> None:
    """Make a user, or give one a further role. A new user's password is read, or made and shown once."""
    if role not in ROLES:
        raise BadInput(f"there is no role {role!r}; choose {', '.join(ROLES)}")
    with session():
        from django.contrib.auth.models import User
        from django.db import transaction

        chosen = _read_password() if password_stdin else ""
        with transaction.atomic():
            user, is_new = User.objects.get_or_create(username=name, defaults={"is_staff": True})
            made = _set_password(user, chosen) if is_new or chosen else ""
            _give_role(user, role, rights_holder)
    say(f"{name} is {role}" + (f" for {rights_holder}" if rights_holder else ""))
    if made:
        say(f"password: {made}")


def show() -> None:
    """List the users with their roles."""
    with session():
        from django.contrib.auth.models import User

        rows = []
        for user in User.objects.prefetch_related("memberships__rights_holder").order_by("username"):
            held = [f"{each.role} for {each.rights_holder}" for each in user.memberships.all()]
            roles = [ADMINISTRATOR, *held] if user.is_superuser else held
            rows.append((user.username, "; ".join(roles) or "no role", "active" if user.is_active else "inactive"))
    table(("user", "roles", "state"), rows)


def password(
    name: Annotated[str, typer.Argument(help="whose")],
    password_stdin: Annotated[bool, typer.Option(help="read the password from standard input")] = False,
) -> None:
    """Give a user a new password, read or made and shown once."""
    with session():
        from django.contrib.auth.models import User

        user = User.objects.filter(username=name).first()
        if user is None:
            raise NotFound("user", name)
        made = _set_password(user, _read_password() if password_stdin else "")
    say(f"password: {made}" if made else f"{name} has a new password")


def _give_role(user: "User", role: str, rights_holder: str) -> None:
    from webadmin.access import admit
    from webadmin.catalogue import holder
    from webadmin.models import Membership

    if role == ADMINISTRATOR:
        if rights_holder:
            raise BadInput("an administrator sees every rights holder; leave --rights-holder out")
        user.is_superuser = user.is_staff = True
        user.save(update_fields=["is_superuser", "is_staff"])
        return
    Membership.objects.update_or_create(user=user, rights_holder=holder(rights_holder), defaults={"role": role})
    admit(user)


def _set_password(user: "User", chosen: str) -> str:
    """Set the chosen password, or one made here, which is returned. Raises BadInput for one that is too weak."""
    from django.contrib.auth.password_validation import validate_password
    from django.core.exceptions import ValidationError
    from django.utils import translation

    made = "" if chosen else secrets.token_urlsafe(PASSWORD_BYTES)
    try:
        with translation.override("en"):  # the command line speaks English
            validate_password(chosen or made, user)
    except ValidationError as error:
        raise BadInput(" ".join(error.messages)) from error
    user.set_password(chosen or made)
    user.save(update_fields=["password"])
    return made


def _read_password() -> str:
    given = sys.stdin.readline().rstrip("\n")
    if not given:
        raise BadInput("there is no password on standard input")
    return given
