"""Sites that moved: proposed with evidence, accepted by a person, never by themselves."""

from datetime import date, timedelta
from typing import Any

import pytest

from core.ids import CanonicalUrl, FinalUrl, PageId, RequestedUrl, SiteId, page_id
from core.pages import Reading
from core.visits import AddressKind, MovedTo, Visit, address_id
from crawler.urls import canonical
from tests.crawler.texts import SIMPLIFIED
from tests.support import admin_data
from tests.support.memory_pages import MemoryPageStore
from tests.support.records import response
from webadmin.sites.models import Address, Site, SiteMove
from webadmin.sites.services import domain_changes as identity
from webadmin.sites.services.visit_repository import DjangoVisitRepository

NOW = admin_data.NOW
OLD, NEW = "luoxia.example.net", "xinluoxia.example.org"
pytestmark = pytest.mark.django_db


def text(number: int) -> str:
    return "\n".join((f"第{number}章的开头与别的章都不同，写的是第{number}次过江。", *SIMPLIFIED))


def markup(number: int, look: str) -> bytes:
    body = "".join(f"<p>{line}</p>" for line in text(number).splitlines())
    bars = "".join(f'<div class="{look}-bar{name}"><a class="{look}-link">目录</a></div>' for name in "abcdef")
    return f'<html><body><div id="{look}-top">{bars}</div><div class="{look}-text">{body}</div></body></html>'.encode()


@pytest.fixture
def store() -> MemoryPageStore:
    return MemoryPageStore()


@pytest.fixture
def old() -> Site:
    made = admin_data.site(admin_data.holder(), host=OLD)
    Site.objects.filter(pk=made.pk).update(added_at=NOW - timedelta(days=90))
    made.refresh_from_db()
    return made


def fill(store: MemoryPageStore, site: Site, host: str, look: str = "lx", more: str = "") -> None:
    """Six chapters of the site as a crawl leaves them: pages, and visits that know them."""
    key, visits = SiteId(str(site.pk)), []
    for number in range(1, 7):
        url = f"https://{host}/book/{number}.html"
        identity_url = CanonicalUrl(canonical(url))
        body = markup(number, look)
        fetched = response(key, url, body, NOW, headers=(("Content-Type", "text/html"),), canonical_url=identity_url)
        stored = store.put(fetched, Reading(title=f"第{number}章", text=text(number) + more))
        version = store.version(stored.version_id)
        visits.append(
            Visit(
                id=address_id(key, identity_url),
                url=url,
                depth=1,
                found_at=NOW,
                due_at=NOW + timedelta(days=9),
                kind=AddressKind.DETAIL,
                seen_at=NOW,
                page_id=stored.page_id,
                page_url=identity_url,
                version_id=stored.version_id,
                text_digest=version.text_digest,
                etag='"1"',
                looks=3,
            )
        )
    DjangoVisitRepository().save(key, visits)


def lead(site: Site, *paths: str, is_start: bool = False, to: str = NEW) -> None:
    moves = [
        MovedTo(RequestedUrl(f"https://{OLD}{path}"), FinalUrl(f"https://{to}{path}"), 301, is_start, NOW)
        for path in paths
    ]
    DjangoVisitRepository().note_moves(SiteId(str(site.pk)), moves)


def move_away(site: Site, store: MemoryPageStore) -> None:
    """Its start page leads to the new host."""
    fill(store, site, OLD)
    lead(site, "/", is_start=True)


def proposed(site: Site, store: MemoryPageStore) -> SiteMove:
    (move,) = identity.propose_moves(site, store, NOW)
    return move


def test_a_start_page_that_leads_away_is_proposed_and_nothing_else_happens(old: Site, store: MemoryPageStore) -> None:
    move_away(old, store)
    move = proposed(old, store)
    assert (move.from_host, move.to_host, move.state) == (OLD, NEW, SiteMove.State.PROPOSED)
    assert move.evidence["start_pages_led"] == 1
    assert [domain.host for domain in old.domains.all()] == [OLD]
    assert identity.propose_moves(old, store, NOW) == [], "once"


def test_three_pages_that_lead_elsewhere_are_enough(old: Site, store: MemoryPageStore) -> None:
    fill(store, old, OLD)
    lead(old, "/book/1.html", "/book/2.html")
    assert identity.propose_moves(old, store, NOW) == []
    lead(old, "/book/3.html")
    assert proposed(old, store).evidence["same_place"] == 3


def test_the_same_texts_at_the_same_places_in_the_same_template_are_proposed(old: Site, store: MemoryPageStore) -> None:
    other = admin_data.site(old.rights_holder, "新落霞", NEW)
    fill(store, old, OLD)
    fill(store, other, NEW)
    move = proposed(old, store)
    assert (move.other, move.to_host) == (other, NEW)
    found: dict[str, Any] = move.evidence
    assert (found["shared_texts"], found["compared"], found["alike"], found["template"]) == (6, 6, 6, 1.0)
    identity.accept_move(move, None, NOW)
    other.refresh_from_db()
    assert not other.is_active
    assert Address.objects.filter(site=other).count() == 6, "its pages are kept"


@pytest.mark.parametrize("is_strangers", [False, True])
def test_the_same_novel_in_another_template_or_of_a_stranger_is_not(
    old: Site, store: MemoryPageStore, is_strangers: bool
) -> None:
    other = admin_data.site(admin_data.holder("别家") if is_strangers else old.rights_holder, "别家", NEW)
    fill(store, old, OLD)
    fill(store, other, NEW, look="lx" if is_strangers else "other")
    assert identity.propose_moves(old, store, NOW) == []


def test_texts_that_differ_by_an_advertisement_are_alike(old: Site, store: MemoryPageStore) -> None:
    other = admin_data.site(old.rights_holder, "新落霞", NEW)
    fill(store, old, OLD)
    fill(store, other, NEW, more="\n请记住新网址，手机也能看。")
    lead(old, "/", is_start=True)
    found = proposed(old, store).evidence
    assert (found["shared_texts"], found["alike"]) == (0, 6)


def test_accepting_keeps_pages_and_moves_visits(old: Site, store: MemoryPageStore) -> None:
    fill(store, old, OLD)
    before = {row.page_id for row in Address.objects.all()}
    lead(old, "/", is_start=True)
    person = admin_data.user("manager", old.rights_holder)
    move = proposed(old, store)
    identity.accept_move(move, person, NOW)
    move.refresh_from_db()
    old.refresh_from_db()
    assert (move.state, move.decided_by, move.decided_at) == (SiteMove.State.ACCEPTED, person, NOW)
    assert old.start_urls == f"https://{NEW}/"
    assert {domain.host for domain in old.domains.all()} == {OLD, NEW}
    rows = list(Address.objects.filter(site=old))
    assert {row.page_id for row in rows} == before
    assert all(row.url.startswith(f"https://{NEW}/") and row.page_url.startswith(f"https://{OLD}/") for row in rows)
    assert all(row.is_moved and row.due_at == NOW and not row.etag and row.looks == 3 for row in rows)
    assert {row.id for row in rows} == {address_id(SiteId(str(old.pk)), canonical(row.url)) for row in rows}
    kept = page_id(SiteId(str(old.pk)), CanonicalUrl(f"https://{OLD}/book/1.html"))
    assert store.page(PageId(kept)) is not None


def test_a_site_that_moves_twice_keeps_the_first_address_of_its_pages(old: Site, store: MemoryPageStore) -> None:
    move_away(old, store)
    identity.accept_move(proposed(old, store), None, NOW)
    again = SiteMove.objects.create(site=old, from_host=NEW, to_host="third.example.org", proposed_at=NOW)
    identity.accept_move(again, None, NOW)
    old.refresh_from_db()
    assert old.start_urls == "https://third.example.org/"
    row = Address.objects.get(url="https://third.example.org/book/1.html")
    assert row.page_url == f"https://{OLD}/book/1.html"


def test_a_refused_move_is_not_proposed_again(old: Site, store: MemoryPageStore) -> None:
    move_away(old, store)
    identity.refuse_move(proposed(old, store), None, NOW)
    assert identity.propose_moves(old, store, NOW) == []
    with pytest.raises(identity.MoveRefused, match="has already been"):
        identity.accept_move(SiteMove.objects.get(), None, NOW)
    assert Site.objects.get(pk=old.pk).start_urls == f"https://{OLD}/"


def test_a_licensed_or_own_host_is_never_proposed(old: Site, store: MemoryPageStore) -> None:
    move_away(old, store)
    move = proposed(old, store)
    admin_data.licence(old.rights_holder, domain=NEW, valid_until=date(2099, 1, 1))
    with pytest.raises(identity.MoveRefused, match="licence"):
        identity.accept_move(move, None, NOW)
    move.delete()
    assert identity.propose_moves(old, store, NOW) == []
    lead(old, "/", is_start=True, to="www.example.cn")
    admin_data.own_domain(old.rights_holder, "www.example.cn")
    assert identity.propose_moves(old, store, NOW) == []
    own = SiteMove.objects.create(site=old, from_host=OLD, to_host="www.example.cn", proposed_at=NOW)
    with pytest.raises(identity.MoveRefused, match="own domain"):
        identity.accept_move(own, None, NOW)
    own.refresh_from_db()
    assert own.state == SiteMove.State.PROPOSED


def test_a_licence_for_one_page_makes_no_licensed_host(old: Site, store: MemoryPageStore) -> None:
    move_away(old, store)
    admin_data.licence(old.rights_holder, domain=NEW, address=f"https://{NEW}/book/1", valid_until=date(2099, 1, 1))
    identity.accept_move(proposed(old, store), None, NOW)
