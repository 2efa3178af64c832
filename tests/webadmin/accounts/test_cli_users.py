"""`zhuiwen user`: accounts from the command line."""

import io
import json

import pytest
from django.utils import translation

from core.errors import BadInput, NotFound
from webadmin.accounts.cli import users
from webadmin.accounts.models import Membership, RightsHolder, User

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The verbs' own session would lead to another database than the test's."""
    monkeypatch.setattr(users, "session", lambda: translation.override("en"))


def test_a_reviewer_is_made_with_a_password_that_is_shown_once(capsys: pytest.CaptureFixture[str]) -> None:
    users.add("li", role="reviewer", rights_holder="青梧文学")
    shown = capsys.readouterr().out
    user = User.objects.get(username="li")
    assert user.is_staff
    assert not user.is_superuser
    assert user.check_password(shown.split("password: ")[1].strip())
    assert Membership.objects.get(user=user).rights_holder.name == "青梧文学"


def test_a_second_role_keeps_the_password() -> None:
    users.add("li", role="reviewer", rights_holder="甲")
    before = User.objects.get(username="li").password
    users.add("li", role="manager", rights_holder="乙")
    assert User.objects.get(username="li").password == before
    assert Membership.objects.filter(user__username="li").count() == 2


def test_a_weak_password_makes_no_user_and_replaces_none(monkeypatch: pytest.MonkeyPatch) -> None:
    RightsHolder.objects.create(name="甲")
    monkeypatch.setattr("sys.stdin", io.StringIO("wangxiaoming-1\n"))
    with pytest.raises(BadInput, match="too similar to the username"):
        users.add("wangxiaoming", rights_holder="甲", password_stdin=True)
    assert not User.objects.filter(username="wangxiaoming").exists()
    users.add("wangxiaoming", role="administrator")
    before = User.objects.get(username="wangxiaoming").password
    monkeypatch.setattr("sys.stdin", io.StringIO("wangxiaoming-1\n"))
    with pytest.raises(BadInput, match="too similar to the username"):
        users.password("wangxiaoming", password_stdin=True)
    assert User.objects.get(username="wangxiaoming").password == before


def test_an_unknown_user_or_role_is_named() -> None:
    with pytest.raises(NotFound, match="there is no user nobody"):
        users.password("nobody")
    with pytest.raises(BadInput, match="there is no role 'king'; choose one of reviewer, manager, administrator"):
        users.add("li", role="king")
    for name in ("长" * 151, "a b"):
        with pytest.raises(BadInput, match="is not a valid user name: "):
            users.add(name, role="administrator")


def test_programs_read_who_has_which_role(capsys: pytest.CaptureFixture[str]) -> None:
    users.add("root", role="administrator")
    users.add("li", role="manager", rights_holder="甲")
    capsys.readouterr()
    users.show(is_json=True)
    li, root = json.loads(capsys.readouterr().out)
    assert li == {
        "name": "li",
        "is_administrator": False,
        "is_active": True,
        "roles": [{"role": "manager", "rights_holder": "甲"}],
    }
    assert (root["name"], root["is_administrator"], root["roles"]) == ("root", True, [])
