"""Titles and URLs come from pages that may be hostile: wherever the desk shows them, nothing in them acts or hides."""

from __future__ import annotations

import pytest
from django.urls import reverse

from core.hidden_characters import clipped
from core.wording import Message
from records.models import Case, CrawlRun, Exclusion, PageRecord
from tests.support import admin_data, case_texts
from tests.support.admin_data import World
from tests.support.desk import list_url, record_url, signed_in
from webadmin.admin.columns import obfuscation_table, outside_link, sentence_list

CASES = 2

HOSTILE = "第一章\u202egnp.exe\u200b<b>\u2066"
SPELLED = "第一章‹RLO›gnp.exe‹ZWSP›&lt;b&gt;‹LRI›"
HIDDEN = ("\u202e", "\u200b", "\u2066")


@pytest.fixture
def world(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    case_texts.keep_estate(case_texts.use(monkeypatch), world.ours)
    PageRecord.objects.update(
        title=HOSTILE,
        url=f"javascript:{HOSTILE}",
        obfuscations=[{"kind": "zero_width", "count": 1, "example": HOSTILE}],
    )
    Case.objects.update(page_title=HOSTILE, obfuscations=[{"kind": "homophone", "count": 1, "example": HOSTILE}])
    Exclusion.objects.update(page_title=HOSTILE, page_url=f"javascript:{HOSTILE}")
    faults = [admin_data.not_fetched(f"http://a.example/{HOSTILE}")]
    CrawlRun.objects.update(faults=faults, finish_reason=Message("core.verbatim", text=HOSTILE))
    return world


def shown(person: object, address: str) -> str:
    response = signed_in(person).get(address)  # type: ignore[arg-type]
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize("model", [Case, PageRecord, Exclusion], ids=lambda model: model.__name__)
def test_a_list_spells_a_hostile_title(world: World, model: type) -> None:
    html = shown(world.ours.reviewer, list_url(model))
    assert SPELLED in html
    assert 'href="javascript:' not in html
    assert not [mark for mark in HIDDEN if mark in html]


def test_a_run_s_faults_and_its_end_are_spelled(world: World) -> None:
    for address in (record_url(world.ours.run), list_url(CrawlRun)):
        html = shown(world.ours.reviewer, address)
        assert "第一章‹RLO›gnp.exe" in html
        assert not [mark for mark in HIDDEN if mark in html]


def test_a_record_s_own_page_spells_it_in_its_title_and_fields(world: World) -> None:
    html = shown(world.ours.reviewer, record_url(world.ours.pages[0]))
    assert SPELLED in html
    assert 'href="javascript:' not in html
    assert not [mark for mark in HIDDEN if mark in html]


def test_an_excluded_finding_marks_it_as_a_case_does(world: World) -> None:
    html = shown(world.ours.reviewer, record_url(world.ours.exclusion))
    assert 'data-mark="RLO"' in html
    assert not [mark for mark in HIDDEN if mark in html]


def test_a_case_marks_it_and_its_history_spells_it(world: World) -> None:
    case = world.ours.cases[0]
    html = shown(world.ours.reviewer, record_url(case))
    assert 'data-mark="RLO"' in html
    assert not [mark for mark in HIDDEN if mark in html]
    assert not [mark for mark in HIDDEN if mark in shown(world.ours.reviewer, record_url(case, "history"))]


def test_messages_and_the_log_name_a_case_by_its_spelled_title(world: World) -> None:
    case = world.ours.cases[0]
    case.refresh_from_db()
    assert str(case).endswith("第一章‹RLO›gnp.exe‹ZWSP›<b>‹LRI›")
    client = signed_in(world.ours.reviewer)
    for _ in range(2):
        data = {"action": "decide_confirmed", "_selected_action": [case.pk]}
        planned = client.post(list_url(Case), data)
        done = client.post(list_url(Case), {**data, "seen": planned.context["seen"]}, follow=True)
        html = planned.content.decode() + done.content.decode()
        assert not [mark for mark in HIDDEN if mark in html]
    html = shown(world.ours.manager, reverse("admin:index"))
    assert not [mark for mark in HIDDEN if mark in html]


@pytest.mark.parametrize("action", ["export_csv"])
def test_an_export_spells_it_and_cannot_be_turned_round(world: World, action: str) -> None:
    keys = list(Case.objects.values_list("pk", flat=True))
    response = signed_in(world.ours.manager).post(list_url(Case), {"action": action, "_selected_action": keys})
    body = b"".join(response).decode()
    assert "第一章‹RLO›gnp.exe‹ZWSP›<b>‹LRI›" in body
    assert not [mark for mark in HIDDEN if mark in body]


def test_helpers_of_columns_escape_and_spell() -> None:
    assert clipped("甲\u202e乙" * 30, 12) == "甲‹RLO›乙甲‹RL…"
    assert "‹RLO›" in sentence_list(["a\u202eb"])
    assert "&lt;b&gt;" in obfuscation_table([{"kind": "homophone", "count": 1, "example": HOSTILE}])
    link = outside_link("https://a.example/\u202e<b>")
    assert "‹RLO›&lt;b&gt;</a>" in link
    assert outside_link("javascript:alert(1)") == "javascript:alert(1)"
    assert outside_link("http://[") == "http://["
