"""The rights holder's own switch: for which kinds of works pages in other words are looked for."""

import re

import pytest
from django.test import Client

from tests.support.admin_data import World
from tests.support.desk import record_url, signed_in
from webadmin.accounts.models import RightsHolder
from webadmin.accounts.pages import member_forms

CASES = 1


def sent(world: World, *kinds: str) -> int:
    holder = world.ours.holder
    form = {"name": holder.name, "contact": holder.contact, "reworded_kinds": list(kinds)}
    return signed_in(world.ours.manager).post(record_url(holder), form).status_code


def test_a_manager_ticks_kinds_and_unticks_them(world: World) -> None:
    holder = world.ours.holder
    assert holder.reworded_kinds == []
    assert sent(world, "novel", "news") == 302
    holder.refresh_from_db()
    assert holder.reworded_kinds == ["novel", "news"]
    page = signed_in(world.ours.manager).get(record_url(holder)).content.decode()
    assert len(re.findall(r"<input[^>]+value=\"(?:novel|news)\"[^>]* checked", page)) == 2
    assert sent(world) == 302
    holder.refresh_from_db()
    assert holder.reworded_kinds == []
    assert sent(world, "poem") == 200, "a kind that there is not"
    assert list(RightsHolder.objects.values_list("reworded_kinds", flat=True)) == [[], []]


def test_a_reviewer_reads_the_kinds_and_changes_none(world: World, reviewer: Client) -> None:
    RightsHolder.objects.update(reworded_kinds=["essay"])
    page = reviewer.get(record_url(world.ours.holder)).content.decode()
    assert "essay" in page
    assert "checkbox" not in page.partition("searched for rewrites")[2].partition("</fieldset>")[0].lower()
    assert reviewer.post(record_url(world.ours.holder), {"reworded_kinds": ["news"]}).status_code == 403


@pytest.mark.parametrize("is_there", [True, False])
def test_it_is_said_where_the_extra_is_not_installed(
    world: World, monkeypatch: pytest.MonkeyPatch, is_there: bool, manager: Client
) -> None:
    monkeypatch.setattr(member_forms, "is_installed", lambda: is_there)
    page = manager.get(record_url(world.ours.holder)).content.decode()
    assert ("which is not installed" in page) is not is_there
