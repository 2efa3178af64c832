"""Test that a version seen again is noted where it was compared, and compared where it was not."""

from datetime import timedelta

import pytest

from tests.support.desk_chain import DeskChain
from tests.support.records import MOMENT
from webadmin.cases.models import PageCheck
from webadmin.sites.models import PageRecord

pytestmark = pytest.mark.django_db
A_DAY = timedelta(days=1)


def test_a_version_is_compared_once_until_its_outcome_holds_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = DeskChain(monkeypatch)
    version = desk.compare("一页文字", at=MOMENT)
    checked_at = PageCheck.objects.get().checked_at
    assert desk.compare("一页文字", at=MOMENT + A_DAY) == version
    assert PageRecord.objects.get().last_seen == MOMENT + A_DAY
    assert PageCheck.objects.get().checked_at == checked_at, "it is not compared again"
    PageCheck.objects.update(algorithm_id=0)
    desk.again(version)
    assert PageCheck.objects.get().algorithm_id == desk.ports.algorithm.id
    other = desk.compare("别的文字", at=MOMENT + 2 * A_DAY)
    assert set(PageCheck.objects.values_list("version_id", flat=True)) == {version, other}
