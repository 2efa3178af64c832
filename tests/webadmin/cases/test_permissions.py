"""Test what the rights of a holder say of a finding: each asked by itself, and what a reviewer said against it."""

from datetime import timedelta
from typing import Any

import pytest

from core.states import Rejection
from tests.support import admin_data
from tests.support.admin_data import NOW, Estate
from webadmin.cases.models import Overruling
from webadmin.cases.services.decision import NOTHING, Allowance, Rights, RightsQuery

pytestmark = pytest.mark.django_db

QUOTED, NOTHING_LEFT = str(Rejection.QUOTATION), Rejection.NOTHING_LEFT


@pytest.fixture
def estate() -> Estate:
    return admin_data.fill_estate("长河文学", "changhe", cases=2)


def overruled(estate: Estate, reason: str, detail: str = "", *, day: int = 0, is_back: bool = False) -> Overruling:
    """An overruling of the first case's page and work, `day` days after the others."""
    case, at = estate.cases[0], NOW + timedelta(days=day)
    return Overruling.objects.create(
        page=case.page, work=case.work, reason=reason, detail=detail, entered_by=estate.reviewer, entered_at=at,
        **({"withdrawn_at": at, "withdrawn_by": estate.reviewer} if is_back else {}),
    )  # fmt: skip


def of_case(estate: Estate, match_class: str = QUOTED, chars: int = 30, number: int = 0) -> Allowance:
    case = estate.cases[number]
    return Rights(estate.holder.pk).set_aside_reason(case.page_id, case.work_id, match_class, chars)


def ruling(estate: Estate, **asked: Any) -> Allowance:
    case = estate.cases[0]
    given = {"work": case.work_id, "page": case.page_id, "url": case.page_url, "seen_at": NOW}
    return Rights(estate.holder.pk).ruling(RightsQuery(**{**given, **asked}))


class TestACaseThatNoRightAllows:
    def test_a_quotation_that_was_overruled_and_taken_back_is_one_again(self, estate: Estate) -> None:
        assert of_case(estate) == NOTHING
        overruled(estate, QUOTED, is_back=True)
        assert of_case(estate) == Allowance(Rejection.QUOTATION)
        assert of_case(estate, match_class="excerpt") == NOTHING, "it has become a copy"
        assert of_case(estate, match_class="excerpt", chars=0) == Allowance(NOTHING_LEFT)
        assert of_case(estate, number=1) == NOTHING, "another page"
        overruled(estate, QUOTED, day=1)
        assert of_case(estate) == NOTHING, "overruled again"

    def test_a_right_that_was_overruled_and_taken_back_hides_no_quotation(self, estate: Estate) -> None:
        overruled(estate, QUOTED, is_back=True)
        overruled(estate, Rejection.LICENSED, "甲 A-1", is_back=True, day=1)
        assert of_case(estate) == Allowance(Rejection.QUOTATION)


class TestOverruled:
    def test_quotations_are_overruled_by_kind_and_rights_by_name(self, estate: Estate) -> None:
        case, quotation = estate.cases[0], Allowance(Rejection.QUOTATION, "《渡口夜灯》")
        licence = Allowance(Rejection.LICENSED, "甲 A-1")
        overruled(estate, QUOTED, "林栖")
        overruled(estate, Rejection.LICENSED, "乙 B-1")
        rights = Rights(estate.holder.pk)
        assert rights.unless_overruled(case.page_id, case.work_id, quotation) == NOTHING
        assert rights.unless_overruled(case.page_id, case.work_id, licence) == licence
        assert rights.unless_overruled(case.page_id, case.work_id, Allowance(Rejection.LICENSED, "乙 B-1")) == NOTHING
        other = estate.cases[1]
        assert rights.unless_overruled(other.page_id, other.work_id, quotation) == quotation
        assert rights.unless_overruled(other.page_id, other.work_id, NOTHING) == NOTHING


class TestWhoseRightItIs:
    def test_what_another_rights_holder_entered_allows_nothing_here(self, estate: Estate) -> None:
        case, other = estate.cases[0], admin_data.holder("北斗日报")
        host = case.site.domains.get().host
        admin_data.own_account(other, address=case.page_url)
        admin_data.own_domain(other, host)
        admin_data.licence(other, domain=host)
        assert ruling(estate) == NOTHING

    def test_a_licence_for_all_works_beside_one_for_some_chapters_allows_all(self, estate: Estate) -> None:
        host = estate.cases[0].site.domains.get().host
        admin_data.licence(estate.holder, domain=host, work=estate.works[0], chapters="1")
        wider = admin_data.licence(estate.holder, "乙", domain=host)
        assert ruling(estate, texts=[estate.works[0].chapters.get(number=3).text_id]).right == wider
