"""`zhuiwen site failures` and `zhuiwen site moves`."""

import json
from contextlib import nullcontext

import pytest

from core.errors import BadInput, NotFound
from core.settings_loading import load
from tests.support import admin_data
from tests.webadmin.sites.test_visits_admin import NEW, failing, move_of
from webadmin.sites.cli import site_visits
from webadmin.sites.models import Site, SiteMove
from webadmin.sites.services.domain_changes import MoveRefused

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The verbs' own session would lead to another database than the test's."""
    monkeypatch.setattr(site_visits, "session", lambda: nullcontext(load({})))


@pytest.fixture
def site() -> Site:
    return admin_data.site(admin_data.holder(), host="luoxia.changhe.example")


def test_failures_are_listed_with_their_reason(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    failing(site, "/7.html")
    site_visits.failures(str(site.pk), is_json=True)
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["failures"], row["reason"], row["url"]) == (3, "no_answer", "https://luoxia.changhe.example/7.html")
    assert "does not answer within 30 seconds" in row["sentence"]
    site_visits.failures("", is_json=False)
    assert "7.html" in capsys.readouterr().out
    with pytest.raises(NotFound):
        site_visits.failures("nowhere.example", is_json=False)


def test_moves_are_listed_accepted_and_refused(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    move = move_of(site)
    site_visits.moves(accept=None, refuse=None, is_json=True)
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["id"], row["to_host"], row["state"]) == (move.pk, NEW, "proposed")
    site_visits.moves(accept=None, refuse=None, is_json=False)
    assert "3 to the same path" in capsys.readouterr().out
    site_visits.moves(accept=move.pk, refuse=None, is_json=False)
    assert NEW in capsys.readouterr().out
    move.refresh_from_db()
    assert move.state == SiteMove.State.ACCEPTED
    with pytest.raises(MoveRefused, match="has already been"):
        site_visits.moves(accept=None, refuse=move.pk, is_json=False)


def test_a_move_that_is_not_there_and_two_answers_at_once_are_named(site: Site) -> None:
    with pytest.raises(NotFound, match="404"):
        site_visits.moves(accept=404, refuse=None, is_json=False)
    with pytest.raises(BadInput, match="one of --accept and --refuse"):
        site_visits.moves(accept=1, refuse=2, is_json=False)
