"""Titles and URLs come from pages that may be hostile: wherever the desk shows them, nothing in them acts or hides."""

import pytest
from django.urls import reverse

from core.wording import Message
from tests.support import case_texts
from tests.support.admin_data import World
from tests.support.crawl_rows import not_fetched
from tests.support.desk import list_url, record_url, signed_in
from webadmin.cases.models import Case, Exclusion
from webadmin.sites.models import CrawlRun, PageRecord

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
    faults = [not_fetched(f"http://a.example/{HOSTILE}")]
    CrawlRun.objects.update(faults=faults, finish_reason=Message("core.verbatim", text=HOSTILE))
    return world


def shown(person: object, address: str) -> str:
    response = signed_in(person).get(address)  # type: ignore[arg-type]
    assert response.status_code == 200
    return response.content.decode()


def test_every_page_that_names_it_spells_or_marks_it_and_makes_no_link_of_it(world: World) -> None:
    ours, case = world.ours, world.ours.cases[0]
    spelled = [*map(list_url, (Case, PageRecord, Exclusion)), record_url(ours.pages[0])]
    pages = dict.fromkeys(spelled, SPELLED) | dict.fromkeys((record_url(ours.run), list_url(CrawlRun)), SPELLED[:14])
    pages |= dict.fromkeys((record_url(ours.exclusion), record_url(case)), 'data-mark="RLO"')
    for address, words in (pages | {record_url(case, "history"): "", reverse("admin:index"): ""}).items():
        html = shown(ours.reviewer, address)
        assert words in html, address
        assert 'href="javascript:' not in html, address
        assert not [mark for mark in HIDDEN if mark in html], address


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
