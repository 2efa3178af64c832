"""The book of visits: one suite for the admin database and its twin in memory."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from core.ids import FinalUrl, PageId, RequestedUrl, SiteId, VersionId
from core.ports import VisitRepository
from core.states import CaseState
from core.visits import AddressKind, MovedTo, Visit, address_id
from core.wording import Message
from crawler.recrawl.site_visits import MemoryVisitRepository
from tests.support import admin_data
from webadmin.cases.models import Case
from webadmin.sites.models import Address, OffSiteRedirect, PageRecord, Site
from webadmin.sites.services.visit_repository import DjangoVisitRepository
from webadmin.ui.models.fields import MAX_TEXT_CHARS

NOW = datetime(2026, 3, 1, 3, 0, 0, 123456, tzinfo=UTC)
pytestmark = pytest.mark.django_db


def visit(site: SiteId, path: str = "1.html", **more: Any) -> Visit:
    url = f"https://luoxia.example.net/{path}"
    given: dict[str, Any] = {"id": address_id(site, url), "url": url, "depth": 1, "found_at": NOW, "due_at": NOW}
    return Visit(**(given | more))


def full(site: SiteId) -> Visit:
    return visit(
        site,
        kind=AddressKind.DETAIL,
        rules="r1",
        seen_at=NOW,
        page_id=PageId("a" * 40),
        page_url="https://luoxia.example.net/1.html",
        version_id=VersionId("b" * 40),
        text_digest="c" * 64,
        etag='W/"章"',
        last_modified="Sun, 01 Mar 2026 00:00:00 GMT",
        unmodified=3,
        has_unreliable_validator=True,
        looks=4.5,
        unchanged_looks=3.25,
        observed_s=86_400.5,
        failures=2,
        failed_at=NOW,
        reason="http_error",
        sentence=Message("core.verbatim", text="it returned HTTP status 500"),
        absent_since=NOW,
        gone_since=NOW,
        is_moved=True,
    )


@pytest.fixture
def site() -> Site:
    return admin_data.site(admin_data.holder())


@pytest.fixture(params=["django", "memory"])
def book(request: pytest.FixtureRequest) -> VisitRepository:
    return DjangoVisitRepository() if request.param == "django" else MemoryVisitRepository()


def test_a_visit_comes_back_as_it_was_kept(book: VisitRepository, site: Site) -> None:
    key = SiteId(str(site.pk))
    book.save(key, [full(key)])
    assert list(book.visits(key)) == [full(key)]


def test_a_visit_kept_again_replaces_what_was_known_of_its_address(book: VisitRepository, site: Site) -> None:
    key = SiteId(str(site.pk))
    book.save(key, [full(key), visit(key, "2.html")])
    book.save(key, [visit(key, kind=AddressKind.LIST, due_at=NOW + timedelta(days=1))])
    kept = {each.url[-6:]: each for each in book.visits(key)}
    assert kept["1.html"] == visit(key, kind=AddressKind.LIST, due_at=NOW + timedelta(days=1))
    assert kept["2.html"] == visit(key, "2.html")


def test_visits_of_two_sites_are_apart(book: VisitRepository, site: Site) -> None:
    other = admin_data.site(site.rights_holder, "另站", "other.example.net")
    one, two = SiteId(str(site.pk)), SiteId(str(other.pk))
    book.save(one, [visit(one)])
    book.save(two, [visit(two)])
    assert [len(list(book.visits(key))) for key in (one, two)] == [1, 1]


def test_pages_with_an_open_case_are_those_of_the_site_alone(site: Site) -> None:
    work = admin_data.work(site.rights_holder)
    pages = [admin_data.page(site, number) for number in range(3)]
    admin_data.case(pages[0], work)
    closed = admin_data.case(pages[1], work)
    Case.objects.filter(pk=closed.pk).update(state=CaseState.DISMISSED)
    other = admin_data.site(site.rights_holder, "另站", "other.example.net")
    admin_data.case(admin_data.page(other, 7), work)
    assert DjangoVisitRepository().pages_with_open_cases(SiteId(str(site.pk))) == {pages[0].page_id}


def test_a_page_that_is_gone_is_gone_in_the_list_of_pages_until_it_is_back(site: Site) -> None:
    key, page = SiteId(str(site.pk)), admin_data.page(site)
    book = DjangoVisitRepository()
    book.save(key, [visit(key, page_id=PageId(page.page_id), absent_since=NOW, gone_since=NOW)])
    assert PageRecord.objects.get(pk=page.pk).gone_since == NOW
    book.save(key, [visit(key, page_id=PageId(page.page_id), seen_at=NOW + timedelta(days=2))])
    assert PageRecord.objects.get(pk=page.pk).gone_since is None


def test_hostile_characters_of_a_site_do_not_stop_the_book(site: Site) -> None:
    key = SiteId(str(site.pk))
    DjangoVisitRepository().save(
        key, [visit(key, etag='"\x00\ud800"', sentence=Message("core.verbatim", text="\x00" * 5_000))]
    )
    row = Address.objects.get()
    assert row.etag == '"\ufffd\ufffd"'
    assert str(row.sentence) == "\ufffd" * MAX_TEXT_CHARS


def test_a_redirect_off_the_site_is_kept_once_with_its_first_and_last_moment(site: Site) -> None:
    key = SiteId(str(site.pk))
    for days in (0, 1):
        move = MovedTo(
            RequestedUrl("https://Luoxia.example.net/1.html"),
            FinalUrl("https://new.example.org/1.html"),
            301,
            is_start=False,
            at=NOW + timedelta(days=days),
        )
        DjangoVisitRepository().note_moves(key, [move])
    row = OffSiteRedirect.objects.get()
    assert (row.from_host, row.to_host, row.status) == ("luoxia.example.net", "new.example.org", 301)
    assert (row.first_at, row.last_at) == (NOW, NOW + timedelta(days=1))
