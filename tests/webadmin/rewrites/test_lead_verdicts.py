"""Test that what people say of a lead is kept with its score, by who may, on what they saw; no case knows of it."""

from datetime import UTC, datetime

import pytest

from core.clock import ManualClock
from core.matches import RewordedState
from matcher.reworded.record import CURRENT
from tests.support import admin_data
from webadmin.rewrites.models import RewordedLead
from webadmin.rewrites.services.verdicts import LeadVerdictRefused, decide_lead

pytestmark = pytest.mark.django_db
AT = datetime(2026, 3, 11, 1, 2, 3, tzinfo=UTC)


@pytest.fixture
def estate() -> admin_data.Estate:
    return admin_data.fill_estate("长河文学", "changhe", cases=1)


@pytest.mark.parametrize("state", [RewordedState.CONFIRMED, RewordedState.DISMISSED])
def test_a_verdict_keeps_score_algorithm_and_version(estate: admin_data.Estate, state: RewordedState) -> None:
    lead = estate.lead
    decide_lead(lead, state, estate.reviewer, "  逐句改写 ", clock=ManualClock(AT))
    assert lead.state == state
    given = lead.verdicts.get()
    assert (given.verdict, given.note, given.decided_by, given.decided_at) == (state, "逐句改写", estate.reviewer, AT)
    assert (given.score, given.page_version_id) == (71.4, lead.version_id)
    assert given.algorithm_version == lead.algorithm_version == CURRENT.version


def test_a_lead_waits_again_and_keeps_its_history(estate: admin_data.Estate) -> None:
    lead = estate.lead
    decide_lead(lead, RewordedState.CONFIRMED, estate.reviewer)
    RewordedLead.objects.filter(pk=lead.pk).update(score=50.0, version_id="v2")
    decide_lead(lead, RewordedState.WAITING, estate.manager, "先问作者")
    assert lead.state == RewordedState.WAITING
    assert [(each.verdict, each.score, each.page_version_id == "v2") for each in lead.verdicts.all()] == [
        ("", 50.0, True),
        ("confirmed", 71.4, False),
    ]


def test_nobody_else_decides_and_what_waits_is_not_made_to_wait(estate: admin_data.Estate) -> None:
    stranger = admin_data.user("stranger", admin_data.holder("北斗日报"))
    for state, by in ((RewordedState.CONFIRMED, stranger), (RewordedState.WAITING, estate.reviewer)):
        with pytest.raises(LeadVerdictRefused):
            decide_lead(estate.lead, state, by)
    assert RewordedLead.objects.get(pk=estate.lead.pk).state == RewordedState.WAITING
    assert not estate.lead.verdicts.exists()


def test_of_two_at_once_the_second_hears_who_was_first(estate: admin_data.Estate) -> None:
    lead = estate.lead
    decide_lead(lead, RewordedState.DISMISSED, estate.manager, clock=ManualClock(AT), basis=0)
    with pytest.raises(LeadVerdictRefused) as refused:
        decide_lead(lead, RewordedState.CONFIRMED, estate.reviewer, basis=0)
    assert "changhe-manager" in str(refused.value)
    assert "2026-03-11 09:02:03" in refused.value.message.in_language("zh-hans")
    assert RewordedLead.objects.get(pk=lead.pk).state == RewordedState.DISMISSED
    assert lead.verdicts.count() == 1


def test_a_page_that_was_compared_anew_is_looked_at_again(estate: admin_data.Estate) -> None:
    seen = estate.lead.version_id
    RewordedLead.objects.filter(pk=estate.lead.pk).update(version_id="another")
    with pytest.raises(LeadVerdictRefused):
        decide_lead(estate.lead, RewordedState.CONFIRMED, estate.reviewer, basis=0, seen_version=seen)
    decide_lead(estate.lead, RewordedState.CONFIRMED, estate.reviewer, basis=0, seen_version="another")
