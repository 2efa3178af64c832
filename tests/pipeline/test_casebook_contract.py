"""One suite for every case book: Django's and the one in memory."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

import pytest

from core.ids import SiteId, WorkTextId
from core.matches import MatchClass
from core.ports import CaseBook
from core.rights import Permission
from core.states import Rejection
from pipeline.memory import MemoryCaseBook, MemoryHolder
from tests.support.records import MOMENT, match, outcome, page_version

A_MINUTE = timedelta(minutes=1)


@dataclass
class World:
    """Two rights holders. The first owns 「河」 (texts a, b) and watches `site`; the second owns 「山」 (text c)."""

    book: CaseBook
    site: str
    case_count: Callable[[], int]
    exclusions: Callable[[], set[str]]


def _memory() -> World:
    allowed = (Permission("licensed.example", date(2026, 1, 1), date(2026, 3, 1), "书城 A-1"),)
    first = MemoryHolder(
        works={"河": frozenset({WorkTextId("a"), WorkTextId("b")})},
        sites=frozenset({SiteId("1")}),
        own_domains=("own.example",),
        permissions={"河": allowed},
    )
    second = MemoryHolder(works={"山": frozenset({WorkTextId("c")})}, sites=frozenset({SiteId("2")}))
    book = MemoryCaseBook([first, second])
    return World(book, "1", lambda: len(book.cases), lambda: {str(reason) for reason in book.excluded.values()})


def _django() -> World:
    from pagestore.memory import MemoryWorkStore
    from webadmin.casebook import DjangoCaseBook
    from webadmin.models import Case, Chapter, Exclusion, Licence, OwnDomain, RightsHolder, Site, Work

    first, second = RightsHolder.objects.create(name="甲"), RightsHolder.objects.create(name="乙")
    river = Work.objects.create(rights_holder=first, title="河")
    Chapter.objects.create(work=river, number=1, text_id="a", chars=8)
    Chapter.objects.create(work=river, number=2, text_id="b", chars=8)
    hill = Work.objects.create(rights_holder=second, title="山")
    Chapter.objects.create(work=hill, number=1, text_id="c", chars=8)
    site = Site.objects.create(rights_holder=first, name="盗版站", start_urls="http://pirate.example/")
    OwnDomain.objects.create(rights_holder=first, domain="own.example")
    Licence.objects.create(
        rights_holder=first, licensee="书城", domain="licensed.example", number="A-1",
        valid_from=date(2026, 1, 1), valid_until=date(2026, 3, 1),
    )  # fmt: skip
    return World(
        DjangoCaseBook(MemoryWorkStore()),
        str(site.pk),
        Case.objects.count,
        lambda: set(Exclusion.objects.values_list("reason", flat=True)),
    )


@pytest.fixture(params=["memory", "django"])
def world(request: pytest.FixtureRequest) -> World:
    if request.param == "memory":
        return _memory()
    request.getfixturevalue("db")
    return _django()


def test_only_the_watchers_own_texts_are_findings(world: World) -> None:
    assert world.book.texts_of_watchers(SiteId(world.site)) == {"a", "b"}


def test_a_copy_opens_one_case_however_often_it_is_recorded(world: World) -> None:
    found = outcome(page_version(world.site), match("a"), match("b"))
    first = world.book.record(found)
    assert len(first) == 1
    assert world.book.record(found) == first
    assert world.case_count() == 1


def test_a_text_of_another_rights_holder_opens_nothing(world: World) -> None:
    assert world.book.record(outcome(page_version(world.site), match("c"))) == []
    assert world.case_count() == 0


@pytest.mark.parametrize(
    ("url", "match_class", "reason"),
    [
        ("http://m.own.example/1", MatchClass.IDENTICAL, Rejection.OWN_SITE),
        ("http://licensed.example/1", MatchClass.IDENTICAL, Rejection.LICENSED),
        ("http://pirate.example/1", MatchClass.QUOTATION, Rejection.QUOTATION),
    ],
)
def test_what_is_allowed_is_excluded_under_its_reason(
    world: World, url: str, match_class: MatchClass, reason: Rejection
) -> None:
    assert world.book.record(outcome(page_version(world.site, url), match("a", match_class))) == []
    assert world.case_count() == 0
    assert world.exclusions() == {str(reason)}


def test_a_licence_that_has_ended_allows_nothing(world: World) -> None:
    late = page_version(world.site, "http://licensed.example/1", at=MOMENT + timedelta(days=2))
    assert len(world.book.record(outcome(late, match("a")))) == 1


def test_a_quotation_beside_a_copy_does_not_hide_the_copy(world: World) -> None:
    found = outcome(page_version(world.site), match("a", MatchClass.QUOTATION), match("b", MatchClass.EXCERPT))
    assert len(world.book.record(found)) == 1


def test_a_page_is_unchecked_until_recorded_and_after_a_new_algorithm(world: World) -> None:
    version = page_version(world.site)
    assert world.book.unchecked([version.id], 1) == {version.id}
    world.book.record(outcome(version, rejection=Rejection.TOO_FEW_HAN_CHARS))
    assert world.book.unchecked([version.id], 1) == set()
    assert world.book.unchecked([version.id], 2) == {version.id}


def test_a_page_is_unchecked_again_when_a_text_was_indexed_after_it(world: World) -> None:
    version = page_version(world.site)
    world.book.record(outcome(version))
    world.book.indexed(WorkTextId("c"), MOMENT + A_MINUTE)
    assert world.book.unchecked([version.id], 1) == set(), "another holder's text is nothing to this page"
    world.book.indexed(WorkTextId("b"), MOMENT + A_MINUTE)
    assert world.book.unchecked([version.id], 1) == {version.id}
    world.book.record(outcome(version, at=MOMENT + 2 * A_MINUTE))
    assert world.book.unchecked([version.id], 1) == set()


def test_a_text_is_owned_while_a_work_has_it(world: World) -> None:
    assert world.book.is_owned(WorkTextId("a"))
    assert not world.book.is_owned(WorkTextId("nobody's"))
