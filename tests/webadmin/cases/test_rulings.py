"""Test what a change of rights does to what is stored: at once, or later by a message that may be lost."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from pytest_django import DjangoCaptureOnCommitCallbacks

from core.states import CaseState, Rejection
from tests.support import admin_data
from tests.support.desk import CollectingOutbox
from webadmin.accounts.models import RightsHolder
from webadmin.cases.models import Case, Exclusion, PageCheck
from webadmin.cases.services import rulings
from webadmin.cases.services.addresses import OUTDATED
from webadmin.works.models import Licence

pytestmark = pytest.mark.django_db


@pytest.fixture
def estate() -> admin_data.Estate:
    return admin_data.fill_estate("长河文学", "changhe", cases=1)


def license_site(estate: admin_data.Estate, number: int = 0, **fields: Any) -> Licence:
    return admin_data.licence(estate.holder, domain=estate.sites[number].domains.get().host, **fields)


def waits_since(estate: admin_data.Estate) -> datetime | None:
    return RightsHolder.objects.get(pk=estate.holder.pk).unruled_since


def test_the_day_is_that_of_the_operators_zone(estate: admin_data.Estate) -> None:
    case = estate.cases[0]
    Case.objects.filter(pk=case.pk).update(last_seen_at=datetime(2026, 3, 9, 17, tzinfo=UTC))  # 10 March in Shanghai
    license_site(estate, valid_from=date(2026, 3, 10))
    case.refresh_from_db()
    assert case.state == CaseState.SET_ASIDE


def test_a_finding_nothing_allows_is_compared_unless_quoted(estate: admin_data.Estate) -> None:
    checks = PageCheck.objects.filter(version_id=estate.exclusion.page.version_id)
    license_site(estate, 1).delete()
    assert checks.get().algorithm_id == OUTDATED
    checks.update(algorithm_id=admin_data.ALGORITHM_ID)
    Exclusion.objects.filter(pk=estate.exclusion.pk).update(reason=Rejection.QUOTATION)
    license_site(estate, 0)
    assert checks.get().algorithm_id == admin_data.ALGORITHM_ID


class TestManyFindings:
    @pytest.fixture(autouse=True)
    def many(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(rulings, "MAX_AT_ONCE", 0)

    def test_rights_that_change_rule_again(self, estate: admin_data.Estate, monkeypatch: pytest.MonkeyPatch) -> None:
        license_site(estate)
        since = waits_since(estate)
        assert since is not None
        later = since + timedelta(minutes=1)
        changes = RightsHolder.objects.filter(pk=estate.holder.pk)
        monkeypatch.setattr(rulings, "rule_exclusions", lambda *_: changes.update(unruled_since=later))
        rulings.rule_waiting(estate.holder.pk)
        assert waits_since(estate) == later

    def test_a_broker_that_is_away_keeps_nobody_from_entering_a_right(
        self,
        estate: admin_data.Estate,
        outbox: CollectingOutbox,
        django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    ) -> None:
        outbox.is_away = True
        with django_capture_on_commit_callbacks(execute=True) as sent:
            license_site(estate)
        assert sent, "it was tried"
        assert waits_since(estate) is not None
