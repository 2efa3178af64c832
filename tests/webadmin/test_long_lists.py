"""Lists too long to be looked through or counted: what is found in them all the same, and what is told."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from core.ids import SiteId, page_id
from crawler.urls import canonical
from tests.support import admin_data, case_texts
from tests.support.admin_data import World
from tests.support.desk import list_url
from webadmin.accounts.pages import searching
from webadmin.cases.models import Case, Exclusion
from webadmin.review.pages.case_page import list_position
from webadmin.sites.models import Address, PageRecord

CASES = 6
IN_PART = "entries of this list were searched"


@pytest.fixture
def looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists are looked through as far as their second entry."""
    monkeypatch.setattr(searching, "SEARCHED", 2)


def found(manager: Client, model: type, words: str) -> tuple[set[object], bool]:
    """The keys that a search shows, and whether it says that it did not look at everything."""
    response = manager.get(list_url(model), {"q": words})
    return {row.pk for row in response.context["cl"].result_list}, IN_PART in response.content.decode()


def test_a_word_far_down_is_not_found_and_the_list_says_so(world: World, manager: Client, looked_through: None) -> None:
    newest, *_, oldest = Case.objects.filter(rights_holder=world.ours.holder)
    for case, title in ((newest, "别无二致"), (oldest, "独此一题")):  # words that name no work and no site
        Case.objects.filter(pk=case.pk).update(page_title=title)
    assert found(manager, Case, "别无二致") == ({newest.pk}, True)
    assert found(manager, Case, "独此一题") == (set(), True)


def test_work_site_and_number_are_found_far_down(world: World, manager: Client, looked_through: None) -> None:
    oldest = Case.objects.filter(rights_holder=world.ours.holder).last()
    Case.objects.exclude(pk=oldest.pk).update(work=world.ours.works[0], site=world.ours.sites[0])
    Case.objects.filter(pk=oldest.pk).update(work=world.ours.works[1], site=world.ours.sites[1])
    for words in (world.ours.works[1].title, world.ours.sites[1].name):
        assert oldest.pk in found(manager, Case, words)[0], words
    assert found(manager, Case, f"#{oldest.pk}") == ({oldest.pk}, False)


def test_an_address_is_found_far_down(world: World, manager: Client, looked_through: None) -> None:
    site = world.ours.sites[0]
    url = canonical("http://far.example/read/7")
    admin_data.page(site, 77)
    far = PageRecord.objects.create(
        page_id=page_id(SiteId(str(site.pk)), url), site=site, url=url, version_id="f" * 40,
        first_seen=admin_data.NOW.replace(year=2001), last_seen=admin_data.NOW,
    )  # fmt: skip
    for words in ("http://far.example/read/7", "https://www.far.example/read/7", "far.example/read/7"):
        assert found(manager, PageRecord, words) == ({far.pk}, False), words
    assert found(manager, PageRecord, "far.example/read/8") == (set(), True)


def test_a_search_asks_for_no_row_of_another_rights_holder(world: World, manager: Client, looked_through: None) -> None:
    theirs = world.theirs.pages[0]
    for words in (theirs.url, theirs.title, world.theirs.works[0].title, world.theirs.sites[0].name):
        assert found(manager, PageRecord, words)[0] == set(), words


def test_a_case_far_down_has_neighbours(world: World, manager: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    case_texts.use(monkeypatch)
    monkeypatch.setattr(list_position, "MAX_LISTED", 2)
    keys = list(Case.objects.filter(rights_holder=world.ours.holder).values_list("pk", flat=True))
    for at, key in enumerate(keys):
        shown = manager.get(f"{list_url(Case)}{key}/change/", {"_changelist_filters": ""}).context["listed"]
        assert (shown.previous, shown.following) == ([None, *keys][at], [*keys, None][at + 1])
        assert (shown.place, shown.is_far, shown.count, shown.is_cut) == (min(at, 2) + 1, at > 2, 2, True)


def test_a_case_does_not_read_its_whole_list(world: World, manager: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    case_texts.use(monkeypatch)
    with CaptureQueriesContext(connection) as queries:
        manager.get(f"{list_url(Case)}{world.ours.cases[2].pk}/change/", {"_changelist_filters": "o=3"})
    read = [each["sql"] for each in queries if 'SELECT "cases_case"."id" AS "pk"' in each["sql"]]
    assert all(statement.endswith("LIMIT 1") for statement in read), read


def test_rows_know_their_rights_holder_and_site_however_they_were_made(world: World) -> None:
    site = world.ours.sites[0]
    first, second = (
        PageRecord(page_id=f"{number:040x}", site=site, url="https://a.example/", version_id="a" * 40,
                   first_seen=admin_data.NOW, last_seen=admin_data.NOW)
        for number in (1, 2)
    )  # fmt: skip
    first.save()
    PageRecord.objects.bulk_create([second])
    address = Address.objects.create(id="a" * 40, site=site, found_at=admin_data.NOW, due_at=admin_data.NOW)
    for row in (first, second, address):
        row.refresh_from_db()
        assert row.rights_holder_id == site.rights_holder_id
    for model in (Case, Exclusion):
        rows = model.objects.values_list("rights_holder", "page__site__rights_holder", "site", "page__site")
        assert rows
        assert all(row[0] == row[1] and row[2] == row[3] for row in rows), model
