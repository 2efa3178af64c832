"""`zhuiwen evidence factors` and `zhuiwen matter damages`: read by people and by programs, in both languages."""

import json
from collections.abc import Callable, Iterator

import pytest

from deploy.cli import evidence
from tests.support import admin_data
from tests.support.memory_evidence import MemoryEvidenceStore
from tests.support.spoken_verbs import spoken
from webadmin import stores
from webadmin.accounts.models import Membership
from webadmin.cases.models import Matter
from webadmin.reports.cli import matters
from webadmin.works.services.licence_fees import enter_fee

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def language(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    monkeypatch.setattr(stores, "evidence_store", MemoryEvidenceStore)
    with spoken(monkeypatch, evidence, matters) as speak:
        yield speak


@pytest.fixture
def matter() -> Matter:
    holder = admin_data.holder()
    manager = admin_data.user("manager", holder, Membership.Role.MANAGER)
    work = admin_data.work(holder)
    case = admin_data.decided(admin_data.case(admin_data.page(admin_data.site(holder)), work), manager)
    enter_fee(work, "150", "许可合同 HT-1", manager, admin_data.NOW)
    return Matter.objects.get(pk=case.matter_id)


def test_the_sheet_of_a_case_and_of_a_matter_and_its_damages(
    matter: Matter, capsys: pytest.CaptureFixture[str], language: Callable[[str], None]
) -> None:
    case = matter.cases.get()
    evidence.factors(str(case.pk))
    assert "article 11 (1)" in capsys.readouterr().out
    language("zh")
    evidence.factors(str(matter.pk), is_matter=True)
    told = capsys.readouterr().out
    assert "第十一条第（一）项" in told
    assert "长河文学" in told
    assert "欠缺：" in told
    matters.damages(str(matter.pk))
    told = capsys.readouterr().out
    assert "权利人自行计算，仅供参考" in told
    assert "0.19 千字 × 150.00 元 = 28.50 元" in told
    assert "许可合同 HT-1" in told


def test_programs_read_the_same_in_both_languages(
    matter: Matter, capsys: pytest.CaptureFixture[str], language: Callable[[str], None]
) -> None:
    read = []
    for code in ("en", "zh"):
        language(code)
        evidence.factors(str(matter.cases.get().pk), is_json=True)
        matters.damages(str(matter.pk), is_json=True)
        read.append(capsys.readouterr().out)
    assert read[0] == read[1]
    sheet, _end, found = read[0].partition("\n]\n")
    assert len(json.loads(sheet + "\n]")) == 13
    assert json.loads(found)["amount"] == "28.50"
