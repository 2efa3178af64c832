"""An exclusion is overruled by who may, for its own reason and right, once, whether or not the broker answers."""

import pytest
from pytest_django import DjangoCaptureOnCommitCallbacks

from core.states import CaseState, Rejection
from tests.support import admin_data
from tests.support.desk import CollectingOutbox
from tests.support.refusals import refused
from webadmin.cases.models import Exclusion, Overruling
from webadmin.cases.services.overruling import (
    MAX_NOTE_CHARS,
    active_overruling,
    overrule_exclusion,
    withdraw_overruling,
)
from webadmin.works.models import Unprotected

pytestmark = pytest.mark.django_db


@pytest.fixture
def estate() -> admin_data.Estate:
    return admin_data.fill_estate("长河文学", "changhe", cases=1)


def test_a_reviewer_of_another_rights_holder_neither_overrules_nor_takes_back(estate: admin_data.Estate) -> None:
    stranger = admin_data.user("stranger", admin_data.holder("北斗日报"), "manager")
    refused("no role", overrule_exclusion, estate.exclusion, stranger, "是照搬")
    assert not Overruling.objects.exists()
    made = overrule_exclusion(estate.exclusion, estate.reviewer, "是照搬")
    refused("no role", withdraw_overruling, made, stranger)
    made.refresh_from_db()
    assert made.withdrawn_at is None


@pytest.mark.parametrize("changed", [{"detail": "别的书城 B-1"}, {"reason": Rejection.OWN_SITE}])
def test_another_right_or_reason_is_not_overruled(estate: admin_data.Estate, changed: dict[str, str]) -> None:
    overrule_exclusion(estate.exclusion, estate.reviewer, "是照搬")
    Exclusion.objects.filter(pk=estate.exclusion.pk).update(**changed)
    estate.exclusion.refresh_from_db()
    assert active_overruling(estate.exclusion) is None
    overrule_exclusion(estate.exclusion, estate.reviewer, "也是照搬")
    assert Overruling.objects.count() == 2


def test_what_was_taken_back_can_be_overruled_again(estate: admin_data.Estate) -> None:
    made = overrule_exclusion(estate.exclusion, estate.reviewer, "是照搬")
    withdraw_overruling(made, estate.manager)
    refused("already withdrawn", withdraw_overruling, made, estate.manager)
    assert active_overruling(estate.exclusion) is None
    again = overrule_exclusion(estate.exclusion, estate.reviewer, "还是照搬")
    assert active_overruling(estate.exclusion) == again


def test_a_note_that_is_too_long_is_refused_whole(estate: admin_data.Estate) -> None:
    refused(str(MAX_NOTE_CHARS), overrule_exclusion, estate.exclusion, estate.reviewer, "长" * (MAX_NOTE_CHARS + 1))
    assert not Overruling.objects.exists()


def test_a_broker_that_is_away_keeps_nobody_from_overruling(
    estate: admin_data.Estate,
    outbox: CollectingOutbox,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    outbox.is_away = True
    with django_capture_on_commit_callbacks(execute=True) as sent:
        made = overrule_exclusion(estate.exclusion, estate.reviewer, "是照搬")
    assert sent, "it was tried"
    assert active_overruling(estate.exclusion) == made


@pytest.mark.parametrize("kind", ["own domain", "own account", "not protected", "licence"])
def test_a_right_that_is_overruled_on_a_page_leaves_it_to_the_others(estate: admin_data.Estate, kind: str) -> None:
    case = estate.cases[0]
    host = case.site.domains.get().host
    reason, detail, enter = {
        "own domain": (Rejection.OWN_SITE, host, lambda: admin_data.own_domain(estate.holder, host)),
        "own account": (
            Rejection.OWN_SITE,
            f"知乎 {case.page_url}",
            lambda: admin_data.own_account(estate.holder, address=case.page_url),
        ),
        "not protected": (
            Rejection.TERM_EXPIRED,
            "",
            lambda: Unprotected.objects.create(work=case.work, reason=Rejection.TERM_EXPIRED),
        ),
        "licence": (Rejection.LICENSED, "甲 A-1", lambda: admin_data.licence(estate.holder, "甲", host, number="A-1")),
    }[kind]
    made = Overruling.objects.create(
        page=case.page, work=case.work, reason=reason, detail=detail,
        entered_by=estate.reviewer, entered_at=admin_data.NOW,
    )  # fmt: skip
    enter()
    case.refresh_from_db()
    assert (case.state, case.allowed_as) == (CaseState.OPEN, "")
    other = admin_data.licence(estate.holder, "乙", host, number="B-1")
    case.refresh_from_db()
    assert (case.state, case.allowed_by) == (CaseState.SET_ASIDE, "乙 B-1")
    other.delete()
    withdraw_overruling(made, estate.reviewer)
    case.refresh_from_db()
    assert (case.allowed_as, case.allowed_by) == (reason, detail)
