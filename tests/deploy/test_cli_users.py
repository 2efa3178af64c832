"""`zhuiwen user`: accounts from the command line."""

import io

import pytest
from django.contrib.auth.models import User

from core.errors import BadInput, NotFound
from deploy.cli import users
from webadmin.models import Membership, RightsHolder

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The verbs' own session would lead to another database than the test's."""
    from contextlib import nullcontext

    monkeypatch.setattr(users, "session", nullcontext)


def test_a_reviewer_is_made_with_a_password_that_is_shown_once(capsys: pytest.CaptureFixture[str]) -> None:
    users.add("li", role="reviewer", rights_holder="青梧文学")
    shown = capsys.readouterr().out
    user = User.objects.get(username="li")
    assert user.is_staff
    assert not user.is_superuser
    assert user.check_password(shown.split("password: ")[1].strip())
    assert Membership.objects.get(user=user).rights_holder.name == "青梧文学"


def test_an_administrator_belongs_to_no_rights_holder() -> None:
    users.add("root", role="administrator")
    assert User.objects.get(username="root").is_superuser
    with pytest.raises(BadInput, match="leave --rights-holder out"):
        users.add("root2", role="administrator", rights_holder="青梧文学")
    assert not User.objects.filter(username="root2").exists(), "nothing is half done"


def test_a_second_role_keeps_the_password() -> None:
    users.add("li", role="reviewer", rights_holder="甲")
    before = User.objects.get(username="li").password
    users.add("li", role="manager", rights_holder="乙")
    assert User.objects.get(username="li").password == before
    assert Membership.objects.filter(user__username="li").count() == 2


def test_a_weak_password_is_refused_and_nobody_made(monkeypatch: pytest.MonkeyPatch) -> None:
    RightsHolder.objects.create(name="甲")
    monkeypatch.setattr("sys.stdin", io.StringIO("12345\n"))
    with pytest.raises(BadInput, match="too short"):
        users.add("li", rights_holder="甲", password_stdin=True)
    assert not User.objects.filter(username="li").exists()


def test_an_unknown_user_or_role_is_named() -> None:
    with pytest.raises(NotFound, match="there is no user nobody"):
        users.password("nobody")
    with pytest.raises(BadInput, match="there is no role 'king'; choose reviewer, manager, administrator"):
        users.add("li", role="king")
