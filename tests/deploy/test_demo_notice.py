"""The demo's notice: its own person decides on one matter and drafts; nothing is confirmed, nothing done twice."""

import pytest

from core.addressees import Paper
from core.states import CaseState, Verdict
from deploy.demo.notice import IDENTITY, USERNAME, drafted_notice
from tests.support import admin_data
from webadmin.accounts.models import Membership
from webadmin.cases.models import Case, VerdictRecord
from webadmin.notices.models import Addressee, HolderIdentity, Notice, NoticeEvent
from webadmin.sites.models import Site
from webadmin.works.models import Work

pytestmark = pytest.mark.django_db


@pytest.fixture
def matter() -> tuple[Site, Work]:
    """Three cases of one site and work, one of which somebody has dismissed, and one of another work."""
    holder = admin_data.holder("青梧文学")
    person = admin_data.user(USERNAME, holder, Membership.Role.MANAGER)
    site, work = admin_data.site(holder), admin_data.work(holder)
    cases = [admin_data.case(admin_data.page(site, number), work, number) for number in range(3)]
    admin_data.case(admin_data.page(site, 7), admin_data.work(holder, "雪线以北"), 7)
    admin_data.decided(cases[2], person, Verdict.FALSE_ALARM)
    return site, work


@pytest.mark.parametrize("entered", ["", "自己的名称"])
def test_what_is_open_is_confirmed_and_a_letter_drafted_once(matter: tuple[Site, Work], entered: str) -> None:
    if entered:
        HolderIdentity.objects.create(rights_holder=matter[0].rights_holder, legal_name=entered)
    made = drafted_notice(*matter)
    assert made.pages == 2
    assert drafted_notice(*matter) == made
    notice = Notice.objects.get()
    assert (notice.kind, notice.state, notice.files.count()) == (Paper.LETTER, Notice.State.DRAFTED, 0)
    assert notice.values["holder_name"] == (entered or IDENTITY["legal_name"])
    assert Case.objects.filter(state=CaseState.DISMISSED).count() == 1, "what a person decided stays"
    assert Case.objects.filter(state=CaseState.CONFIRMED).count() == 2
    assert VerdictRecord.objects.count() == 3
    assert NoticeEvent.objects.count() == HolderIdentity.objects.count() == Addressee.objects.count() == 1


def test_where_nothing_can_be_confirmed_nothing_is_drafted(matter: tuple[Site, Work]) -> None:
    site, work = matter
    Case.objects.filter(work=work, state=CaseState.OPEN).update(allowed_as="own_site", state=CaseState.SET_ASIDE)
    assert drafted_notice(site, work) is None
    assert not Notice.objects.exists()
    assert drafted_notice(site, admin_data.work(site.rights_holder, "没有线索的书")) is None
