"""The evidence of a lead on the desk: for a manager, once a person confirmed what it holds; of nobody else's lead."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from bundles import bundle, container, layout
from bundles.verification import check_file
from core.clock import ManualClock
from core.matches import RewordedState
from core.wording import Message
from tests.support import admin_data, case_texts
from tests.support.admin_data import World
from tests.support.case_texts import Texts
from tests.support.desk import record_url, signed_in
from webadmin.rewrites.models import RewordedLead
from webadmin.rewrites.services.lead_export import lead_material
from webadmin.rewrites.services.verdicts import decide_lead

CASES = 1


@pytest.fixture
def texts(world: World, monkeypatch: pytest.MonkeyPatch) -> Texts:
    kept = case_texts.use(monkeypatch)
    for estate in (world.ours, world.theirs):
        kept.keep_lead(estate.lead, admin_data.REWORDED_TEXT, admin_data.WORK_TEXT)
        decide_lead(
            estate.lead, RewordedState.CONFIRMED, estate.reviewer, "逐句改写", clock=ManualClock(admin_data.NOW)
        )
    return kept


def asked(world: World, by: str = "manager", of: RewordedLead | None = None) -> Any:
    client = signed_in(getattr(world.ours, by), "zh-hans")
    return client.get(record_url(of or world.ours.lead), {"export": "evidence"})


def page_of(world: World, by: str = "manager") -> str:
    return signed_in(getattr(world.ours, by)).get(record_url(world.ours.lead)).content.decode()


def test_a_manager_gets_the_same_file_that_holds_twice(world: World, texts: Texts, tmp_path: Path) -> None:
    assert "export=evidence" in page_of(world)
    response = asked(world)
    assert response["Content-Disposition"] == f'attachment; filename="zhuiwen-lead-{world.ours.lead.pk}.zip"'
    path = tmp_path / "lead.zip"
    path.write_bytes(b"".join(response.streaming_content))
    assert path.read_bytes() == b"".join(asked(world).streaming_content)
    report = check_file(path)
    assert (report.lead, report.is_stamped) == (world.ours.lead.pk, False)
    files = container.read(memoryview(path.read_bytes()), "")
    (verdict,) = json.loads(bytes(files[layout.LEAD]))["facts"]["verdicts"]
    assert (verdict["verdict"], verdict["by"]) == ("confirmed", "reviewer")
    assert verdict["at"] == timezone.localdate(admin_data.NOW).isoformat(), "no login, second or note leaves the house"
    said = b"".join(bytes(content) for name, content in files.items() if name.endswith((".json", ".html"))).decode()
    assert not [each for each in (world.ours.reviewer.username, "逐句改写") if each in said]
    assert "审核人" in said
    named = lead_material(world.ours.lead, texts.pages, texts.works, with_names=True).facts["verdicts"][0]
    assert (named["by"], named["note"]) == (world.ours.reviewer.username, "逐句改写")
    assert verdict["page_version"] == world.ours.lead.version_id
    (inner,) = (container.read(each, "") for name, each in files.items() if name.startswith("bundles/"))
    said = json.loads(bytes(inner[bundle.COMPARISON]))
    assert said["page_version"] == world.ours.lead.version_id
    assert said["band"] == {"name": "middle", "alarms": 11, "innocent_passages": 10_461}
    assert said["model"]["name"].startswith("Universal Sentence Encoder")
    assert said["pairs"][0]["work_sentence"].startswith("老周把船缆系在第三根桩上")
    assert admin_data.REWORDED_TEXT in bytes(inner[bundle.PAGES]).decode().replace("\\n", "\n")


def test_an_unconfirmed_lead_says_what_is_missing(world: World, texts: Texts) -> None:
    for state in (RewordedState.WAITING, RewordedState.DISMISSED):
        decide_lead(world.ours.lead, state, world.ours.reviewer)
        shown = page_of(world)
        assert "须先经人工确认" in shown
        assert "export=evidence" not in shown
        assert refusal(world) == f"第 {world.ours.lead.pk} 号线索须先经人工确认，方可导出证据包"


def test_what_a_person_confirmed_is_what_it_holds(world: World, texts: Texts) -> None:
    lead = world.ours.lead
    texts.keep_lead(lead, admin_data.REWORDED_TEXT + "后来改过。", admin_data.WORK_TEXT)
    assert "已重新比对" in refusal(world)
    later = ManualClock(admin_data.NOW + timedelta(days=1))
    decide_lead(lead, RewordedState.CONFIRMED, world.ours.reviewer, clock=later)
    assert asked(world).status_code == 200


def test_without_a_text_or_the_response_there_is_a_sentence_and_no_file(world: World, texts: Texts) -> None:
    lead = world.ours.lead
    before = {field: getattr(lead, field) for field in ("page_text_digest", "work_text_digest", "text_id")}
    for field, code in zip(before, ("page-gone", "work-gone", "work-gone"), strict=True):
        RewordedLead.objects.filter(pk=lead.pk).update(**before | {field: "0" * 40})
        assert refusal(world) == said_of(code, lead)
    RewordedLead.objects.filter(pk=lead.pk).update(**before)
    texts.pages._raw.clear()
    assert refusal(world) == said_of("page-gone", lead)


def test_a_reviewer_and_whoever_belongs_to_another_holder_get_nothing(world: World, texts: Texts) -> None:
    assert "lead-evidence" not in page_of(world, "reviewer")
    assert asked(world, "reviewer").status_code == 404
    assert asked(world, of=world.theirs.lead).status_code == 404


def refusal(world: World) -> str:
    response = asked(world)
    assert (response.status_code, response["Content-Type"]) == (409, "text/plain; charset=utf-8")
    return response.content.decode()


def said_of(code: str, lead: RewordedLead) -> str:
    return Message(f"reworded.{code}", number=lead.pk).in_language("zh")
