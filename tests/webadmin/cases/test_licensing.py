"""The verdict "licensed" makes the licence that it rests on, for a page, a work on its site or the site, no more."""

from datetime import timedelta

import pytest

from core.states import CaseState, Rejection, Verdict
from tests.support import admin_data
from webadmin.accounts.models import RightsHolder
from webadmin.cases.models import Case, Exclusion, RightsRecord
from webadmin.cases.services.licensing import LicenceOffer, LicenceScope, license_case, offer_licences
from webadmin.cases.services.verdicts import VerdictRefused, decide, undo_decision
from webadmin.sites.models import PageRecord, Site
from webadmin.works.models import Licence, LicenceProof, Work

pytestmark = pytest.mark.django_db
HOST = "luoxia.example.net"


class Shelf:
    """A manager's cases on one host, on a host below it that is a site of its own, and elsewhere."""

    def __init__(self) -> None:
        self.holder: RightsHolder = admin_data.holder()
        self.manager = admin_data.user("wang", self.holder, "manager")
        self.work, self.other = (admin_data.work(self.holder, title) for title in ("渡口无灯", "雪线以北"))
        self.site = admin_data.site(self.holder, host=HOST)
        self.below = admin_data.site(self.holder, "落霞手机版", f"m.{HOST}")
        self.elsewhere = admin_data.site(self.holder, "云笺阁", "yunjian.example.net")
        self.case = self.add("book/1")

    def add(self, path: str, work: Work | None = None, site: Site | None = None, days: int = 0) -> Case:
        """A case of a page that was seen some days after the first one."""
        site, number = site or self.site, PageRecord.objects.count()
        page = admin_data.page(site, number, seen=admin_data.NOW + timedelta(days=days))
        made = admin_data.case(page, work or self.work, number, with_match=False)
        Case.objects.filter(pk=made.pk).update(page_url=f"{site.start_urls}{path}")
        made.refresh_from_db()
        return made

    def license(self, scope: str, licensee: str = "落霞书城", basis: int | None = None) -> Licence:
        license_case(self.case, scope, licensee, self.manager, basis=basis)
        return Licence.objects.get()

    def aside(self) -> set[int]:
        return set(Case.objects.filter(state=CaseState.SET_ASIDE).values_list("pk", flat=True))


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def offered(case: Case) -> LicenceOffer:
    offer = offer_licences(case)
    assert offer is not None
    return offer


@pytest.mark.parametrize("scope", list(LicenceScope))
def test_each_scope_sets_aside_what_it_said_before_and_nothing_else(shelf: Shelf, scope: LicenceScope) -> None:
    of_page = [shelf.add("book/1/2?page=3"), shelf.add("book/1?utm_source=qq")]
    of_work = [shelf.add("book/12"), shelf.add("book/1?id=2"), shelf.add("1", site=shelf.below)]
    of_others = [shelf.add("book/1/2", shelf.other), shelf.add("2", shelf.other, shelf.below)]
    decided = shelf.add("book/1/3")
    decide(decided, Verdict.CONFIRMED, shelf.manager)
    shelf.add("book/1/4", days=-2)  # last seen before the licence begins
    shelf.add("book/1", site=shelf.elsewhere)
    expected = {
        LicenceScope.PAGE: {case.pk for case in of_page},
        LicenceScope.WORK: {case.pk for case in (*of_page, *of_work)},
        LicenceScope.SITE: {case.pk for case in (*of_page, *of_work, *of_others)},
    }[scope]
    offer = offered(shelf.case)
    assert (offer.host, offer.others[scope]) == (HOST, len(expected))
    licence = shelf.license(scope)
    assert (bool(licence.address), licence.work) == (scope == "page", None if scope == "site" else shelf.work)
    assert shelf.aside() == expected
    shelf.case.refresh_from_db()
    assert (shelf.case.state, shelf.case.verdict, shelf.case.allowed_as) == (
        CaseState.DISMISSED,
        Verdict.LICENSED,
        Rejection.LICENSED,
    )
    assert shelf.case.decision
    assert shelf.case.decision.licence == licence
    decided.refresh_from_db()
    assert decided.state == CaseState.CONFIRMED


def test_a_licence_says_what_it_is_for_by_whom_and_since_when(shelf: Shelf) -> None:
    Case.objects.filter(pk=shelf.case.pk).update(page_url=f"https://{HOST}/book/1?utm_source=qq&b=2&a=1")
    shelf.case.refresh_from_db()
    licence = shelf.license("page", "  落霞书城 ")
    assert (licence.address, licence.domain, licence.work) == (f"https://{HOST}/book/1?a=1&b=2", HOST, shelf.work)
    assert (licence.licensee, licence.entered_by, licence.rights_holder) == ("落霞书城", shelf.manager, shelf.holder)
    assert (licence.valid_from, licence.valid_until) == (shelf.case.first_seen_at.date(), None)
    shelf.case.refresh_from_db()
    assert shelf.case.allowed_by == f"落霞书城 · {licence.address}"


def test_as_many_as_are_counted_are_told_and_other_cases_use_up_none(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webadmin.cases.services.licensing.MAX_COUNTED", 2)
    shelf.add("book/1/2")
    for number in range(4):  # all opened later
        shelf.add(f"book/2/{number}", days=1)
        shelf.add(f"book/1/{number}", shelf.other, shelf.elsewhere, days=1)
    assert offered(shelf.case).others[LicenceScope.PAGE] == 1
    Case.objects.filter(page_url__contains="/book/2/").delete()
    assert set(offered(shelf.case).others.values()) == {1}
    for number in range(3, 5):
        shelf.add(f"book/1/{number}")
    assert offered(shelf.case).others == dict.fromkeys(LicenceScope, 3)


def test_a_page_without_an_address_of_its_own_is_offered_no_licence_for_it(shelf: Shelf) -> None:
    for path in ("书" * 700, "index.html"):
        Case.objects.filter(pk=shelf.case.pk).update(page_url=f"https://{HOST}/{path}")
        shelf.case.refresh_from_db()
        assert set(offered(shelf.case).others) == {LicenceScope.WORK, LicenceScope.SITE}
    for scope in ("page", "pages", ""):
        with pytest.raises(VerdictRefused, match="a licence cannot be created"):
            shelf.license(scope)
    for elsewhere in ("upload:book.zip", f"ftp://{HOST}/book/1"):
        Case.objects.filter(pk=shelf.case.pk).update(page_url=elsewhere)
        shelf.case.refresh_from_db()
        assert offer_licences(shelf.case) is None


@pytest.mark.parametrize(
    ("licensee", "basis", "sentence"),
    [("  ", 0, "enter the licensee"), ("长" * 201, 0, "at most 200"), ("落霞书城", 7, "has changed")],
)
def test_refused_licences_leave_no_trace(shelf: Shelf, licensee: str, basis: int, sentence: str) -> None:
    with pytest.raises(VerdictRefused, match=sentence):
        shelf.license("site", licensee, basis=basis)
    shelf.case.refresh_from_db()
    assert (shelf.case.state, shelf.case.allowed_as) == (CaseState.OPEN, "")
    assert not Licence.objects.exists()
    assert not RightsRecord.objects.exists()


def test_who_only_reviews_makes_no_licence(shelf: Shelf) -> None:
    for person in (admin_data.user("li", shelf.holder), admin_data.user("zhao", admin_data.holder("别家"), "manager")):
        with pytest.raises(VerdictRefused, match="only a manager"):
            license_case(shelf.case, "page", "落霞书城", person)
    assert not Licence.objects.exists()


def test_undoing_the_verdict_withdraws_its_licence_and_opens_the_others(shelf: Shelf) -> None:
    other = shelf.add("book/2")
    shelf.license("work")
    undo_decision(shelf.case, shelf.manager, shelf.case.verdicts.get().pk)
    other.refresh_from_db()
    assert (shelf.case.state, shelf.case.allowed_as, other.state) == (CaseState.OPEN, "", CaseState.OPEN)
    assert not Licence.objects.exists()
    assert [record.verdict for record in shelf.case.verdicts.all()] == ["", Verdict.LICENSED]
    assert [each.entered_by for each in other.rights_records.filter(allowed_as="")] == [shelf.manager]


@pytest.mark.parametrize("since", ["was given a proof", "made by who manages no more"])
def test_a_licence_may_outlive_its_verdict(shelf: Shelf, since: str) -> None:
    licence = shelf.license("page")
    if since == "was given a proof":
        LicenceProof.objects.create(licence=licence, name="合同.pdf", digest="0" * 64, size=1, kind="pdf")
    else:
        shelf.manager.memberships.update(role="reviewer")
    undo_decision(shelf.case, shelf.manager, shelf.case.verdicts.get().pk)
    assert Licence.objects.get() == licence
    assert shelf.case.state == CaseState.SET_ASIDE


def test_a_licence_whose_address_changes_rules_its_cases_anew(shelf: Shelf) -> None:
    other = shelf.add("book/2")
    finding = admin_data.exclusion(other.page, shelf.other)
    Exclusion.objects.filter(pk=finding.pk).update(page_url=other.page_url, reason="quotation", detail="")
    licence = admin_data.licence(shelf.holder, domain=HOST, address=shelf.case.page_url)
    for address, aside, reason in (
        (shelf.case.page_url, {shelf.case.pk}, "quotation"),
        (f"http://www.{HOST}/book/2", {other.pk}, "licensed"),
        ("", {shelf.case.pk, other.pk}, "licensed"),
    ):
        licence.address = address
        licence.save()
        finding.refresh_from_db()
        assert (shelf.aside(), finding.reason) == (aside, reason)
    licence.delete()
    assert shelf.aside() == set()
