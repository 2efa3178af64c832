"""Test which pages a licence covers now: those that it allows itself, of its rights holder and nobody else's."""

import pytest

from core.states import Rejection
from tests.support import admin_data
from webadmin.cases.models import Case, Exclusion
from webadmin.cases.services.allowance import covered_cases, covered_findings
from webadmin.works.models import Licence

pytestmark = pytest.mark.django_db
HOST, LABEL = "shu.example", "落霞书城 A-7"


class Estate:
    """A rights holder with two works and a case and a finding of each on one host, all allowed by one licence."""

    def __init__(self, name: str) -> None:
        self.holder = admin_data.holder(name)
        self.works = [admin_data.work(self.holder, title) for title in ("渡口无灯", "雪线以北")]
        site = admin_data.site(self.holder, host=HOST)
        self.cases, self.findings = [], []
        for number, work in enumerate(self.works):
            page = admin_data.page(site, number)
            self.cases.append(admin_data.case(page, work, number, with_match=False))
            self.findings.append(admin_data.exclusion(page, work))
        Case.objects.filter(rights_holder=self.holder).update(allowed_as=Rejection.LICENSED, allowed_by=LABEL)
        Exclusion.objects.filter(work__rights_holder=self.holder).update(detail=LABEL)

    def licence(self, **fields: object) -> Licence:
        """Without a ruling, so that what is stored stays as it is."""
        return Licence(rights_holder=self.holder, licensee="落霞书城", number="A-7", **{"domain": HOST, **fields})


@pytest.fixture
def estate() -> Estate:
    Estate("北斗日报")
    return Estate("长河文学")


def listed(licence: Licence) -> tuple[set[Case], set[Exclusion]]:
    return set(covered_cases(licence).shown), set(covered_findings(licence).shown)


def test_those_of_another_rights_holder_are_not_among_them(estate: Estate) -> None:
    assert listed(estate.licence()) == (set(estate.cases), set(estate.findings))


def test_a_licence_for_a_work_lists_those_of_the_work(estate: Estate) -> None:
    assert listed(estate.licence(work=estate.works[1])) == ({estate.cases[1]}, {estate.findings[1]})


def test_a_licence_for_a_page_lists_that_page_however_it_was_read(estate: Estate) -> None:
    address = estate.cases[1].page_url
    for rows in (Case.objects.filter(pk=estate.cases[1].pk), Exclusion.objects.filter(pk=estate.findings[1].pk)):
        rows.update(page_url=f"{address}?utm_source=qq")
    label = f"{LABEL} · {address}"
    Case.objects.filter(rights_holder=estate.holder).update(allowed_by=label)
    Exclusion.objects.filter(work__rights_holder=estate.holder).update(detail=label)
    assert listed(estate.licence(address=address)) == ({estate.cases[1]}, {estate.findings[1]})


def test_what_something_else_allows_is_not_among_them(estate: Estate) -> None:
    Case.objects.filter(pk=estate.cases[0].pk).update(allowed_by="别的书城")
    Case.objects.filter(pk=estate.cases[1].pk).update(allowed_as=Rejection.OWN_SITE)
    Exclusion.objects.filter(pk=estate.findings[0].pk).update(detail="别的书城")
    Exclusion.objects.filter(pk=estate.findings[1].pk).update(reason=Rejection.OWN_SITE)
    assert listed(estate.licence()) == (set(), set())
    assert listed(estate.licence(domain="else.example")) == (set(), set())
