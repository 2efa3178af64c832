"""A verdict is written once, by who may, on what they saw."""

from datetime import UTC, datetime

import pytest

from core.clock import ManualClock
from core.states import CaseState, Verdict
from tests.support import admin_data
from webadmin.cases.models import Case
from webadmin.cases.services.verdicts import MAX_NOTE_CHARS, VerdictRefused, decide

pytestmark = pytest.mark.django_db
AT = datetime(2026, 3, 11, 1, 2, 3, tzinfo=UTC)


@pytest.fixture
def estate() -> admin_data.Estate:
    return admin_data.fill_estate("长河文学", "changhe", cases=1)


def test_neither_a_stranger_nor_a_note_that_is_too_long_decides(estate: admin_data.Estate) -> None:
    stranger = admin_data.user("stranger", admin_data.holder("北斗日报"))
    for by, note in ((stranger, ""), (estate.reviewer, "长" * (MAX_NOTE_CHARS + 1))):
        with pytest.raises(VerdictRefused):
            decide(estate.cases[0], Verdict.FALSE_ALARM, by, note)
    assert Case.objects.get(pk=estate.cases[0].pk).state == CaseState.OPEN
    assert not estate.cases[0].verdicts.exists()


def test_what_is_refused_can_be_said_in_the_readers_language(estate: admin_data.Estate) -> None:
    case = estate.cases[0]
    with pytest.raises(VerdictRefused) as no_role:
        decide(case, Verdict.CONFIRMED, admin_data.user("nobody"))
    assert no_role.value.message.in_language("zh-hans") == "您在“长河文学”没有任何角色"
    decide(case, Verdict.FALSE_ALARM, estate.reviewer, clock=ManualClock(AT))
    with pytest.raises(VerdictRefused) as outdated:
        decide(case, Verdict.CONFIRMED, estate.manager, basis=0)
    assert f"{estate.reviewer} decided “false alarm”" in outdated.value.message.in_language("en")
    in_chinese = outdated.value.message.in_language("zh-hans")
    assert f"{estate.reviewer} 已于 2026-03-11 09:02:03 对该案作出“误报”的结论" in in_chinese
