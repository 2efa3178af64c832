"""One suite for every case book: Django's and the one in memory."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import pytest

from core.ids import SiteId, WorkTextId
from core.matches import MatchClass
from core.pages import PageVersion
from core.ports import CaseBook, Gap, Search, Unsearched
from core.rights import Permission
from core.states import Rejection
from pipeline.memory import MemoryCaseBook, MemoryHolder
from tests.support.records import MOMENT, match, outcome, page_of, page_version

A_MINUTE = timedelta(minutes=1)
CHECKED = MOMENT + timedelta(days=90)  # after the licence of both worlds has ended


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
    RightsHolder.objects.update(changed_at=None)  # the rights were so before anything was compared
    return World(
        DjangoCaseBook(MemoryWorkStore()),
        str(site.pk),
        Case.objects.count,
        lambda: set(Exclusion.objects.values_list("reason", flat=True)),
    )


@pytest.fixture(params=["memory", pytest.param("django", marks=pytest.mark.django_db)])
def world(request: pytest.FixtureRequest) -> World:
    if request.param == "memory":
        return _memory()
    return _django()


def test_only_the_watchers_own_texts_are_sources_and_texts_of_one_work_agree(world: World) -> None:
    asked = [WorkTextId(name) for name in ("a", "b", "c", "nobody's")]
    sources = world.book.sources(SiteId(world.site), asked)
    assert set(sources) == {"a", "b"}
    assert sources[WorkTextId("a")] == sources[WorkTextId("b")]


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


def test_a_page_that_outlives_its_licence_is_a_case_though_its_text_was_there_before(world: World) -> None:
    version = page_version(world.site, "http://licensed.example/1")
    assert world.book.record(outcome(version, match("a"))) == []
    seen = MOMENT + timedelta(days=200)
    assert len(world.book.record(outcome(version, match("a"), at=seen, seen_at=seen))) == 1


def test_a_quotation_beside_a_copy_does_not_hide_the_copy(world: World) -> None:
    found = outcome(page_version(world.site), match("a", MatchClass.QUOTATION), match("b", MatchClass.EXCERPT))
    assert len(world.book.record(found)) == 1


def test_a_page_is_owed_until_recorded_and_after_a_new_algorithm(world: World) -> None:
    version = page_version(world.site)
    assert world.book.owed([page_of(version)], 1) == {version.id}
    world.book.record(outcome(version, at=CHECKED, rejection=Rejection.TOO_FEW_HAN_CHARS))
    assert world.book.owed([page_of(version)], 1) == set()
    assert world.book.owed([page_of(version)], 2) == {version.id}


def index(world: World, text: str, at: datetime) -> None:
    """Let the text become findable, as a step that puts it into the index notes it."""
    world.book.unindexed([WorkTextId(text)])
    world.book.indexed([WorkTextId(text)], at)


def searchable(world: World, *versions: PageVersion) -> list[Unsearched]:
    return world.book.unsearched([page_of(version) for version in versions], world.book.behind(1), 1)


def test_a_page_has_to_be_searched_for_a_text_indexed_after_it_and_owes_no_comparison(world: World) -> None:
    version = page_version(world.site)
    world.book.record(outcome(version, match("a"), at=CHECKED))
    assert world.book.behind(1) == {}
    index(world, "c", CHECKED + A_MINUTE)
    assert searchable(world, version) == [], "another holder's text is nothing to this page"
    index(world, "b", CHECKED + A_MINUTE)
    (gap,) = world.book.behind(1).values()
    assert gap == Gap(CHECKED, CHECKED + A_MINUTE)
    (page,) = searchable(world, version)
    assert (page.page, page.version, page.checked_at, page.has_findings) == (
        version.page_id, version.id, CHECKED, True,
    )  # fmt: skip
    assert world.book.owed([page_of(version)], 1) == set()
    world.book.record(outcome(version, at=CHECKED + 2 * A_MINUTE))
    assert world.book.behind(1) == {}


def test_the_texts_to_search_for_are_the_watchers_newer_ones_and_those_not_noted_yet(world: World) -> None:
    version = page_version(world.site)
    world.book.record(outcome(version, at=CHECKED))
    index(world, "a", CHECKED - A_MINUTE)
    index(world, "c", CHECKED + A_MINUTE)
    watcher = _watcher(world, version)
    assert world.book.newer_texts(watcher, CHECKED) == {"b": None}
    index(world, "b", CHECKED + A_MINUTE)
    assert world.book.newer_texts(watcher, CHECKED) == {"b": CHECKED + A_MINUTE}
    assert set(world.book.newer_texts(watcher, CHECKED - A_MINUTE)) == {"a", "b"}


def test_a_text_that_was_findable_all_along_asks_for_no_search(world: World) -> None:
    index(world, "b", CHECKED - A_MINUTE)
    version = page_version(world.site)
    world.book.record(outcome(version, at=CHECKED))
    world.book.indexed([WorkTextId("b")], CHECKED + A_MINUTE)
    assert world.book.behind(1) == {}


def test_a_text_that_the_index_had_lost_is_news_when_it_is_back(world: World) -> None:
    index(world, "b", CHECKED - A_MINUTE)
    version = page_version(world.site)
    world.book.record(outcome(version, at=CHECKED))
    index(world, "b", CHECKED + A_MINUTE)
    assert [page.version for page in searchable(world, version)] == [version.id]


def test_a_search_that_finds_nothing_is_a_comparison_with_all_texts_there_were(world: World) -> None:
    version = page_version(world.site)
    world.book.record(outcome(version, match("a"), at=CHECKED))
    index(world, "b", CHECKED + A_MINUTE)
    for _ in range(2):
        world.book.searched(searchable(world, version), [], Search(CHECKED + 2 * A_MINUTE, 9, 1))
        assert world.book.behind(1) == {}
        assert world.book.owed([page_of(version)], 1) == set()
    index(world, "b", CHECKED + 3 * A_MINUTE)
    assert [page.checked_at for page in searchable(world, version)] == [CHECKED + 2 * A_MINUTE]
    assert world.case_count() == 1, "what was found before stays"


def test_a_search_that_finds_something_owes_a_comparison_until_it_is_made(world: World) -> None:
    version = page_version(world.site)
    world.book.record(outcome(version, at=CHECKED))
    index(world, "b", CHECKED + A_MINUTE)
    world.book.searched([], searchable(world, version), Search(CHECKED + 2 * A_MINUTE, 9, 1))
    assert searchable(world, version) == []
    assert world.book.owed([page_of(version)], 1) == {version.id}
    world.book.record(outcome(version, match("b"), at=CHECKED + 3 * A_MINUTE))
    assert world.book.owed([page_of(version)], 1) == set()


def test_a_search_leaves_alone_what_was_compared_after_it_began(world: World) -> None:
    version = page_version(world.site)
    world.book.record(outcome(version, at=CHECKED))
    index(world, "b", CHECKED + A_MINUTE)
    pages = searchable(world, version)
    world.book.record(outcome(version, match("b"), at=CHECKED + 3 * A_MINUTE))
    world.book.searched([], pages, Search(CHECKED + 2 * A_MINUTE, 9, 1))
    assert world.book.owed([page_of(version)], 1) == set()
    index(world, "a", CHECKED + 2 * A_MINUTE)
    assert world.book.behind(1) == {}


def test_what_a_search_never_met_is_owed_a_comparison_and_ends_the_searching(world: World) -> None:
    recorded = page_version(world.site)
    world.book.record(outcome(recorded, at=CHECKED))
    index(world, "b", CHECKED + A_MINUTE)
    gaps = world.book.behind(1)
    assert world.book.search_ended(gaps, Search(CHECKED + 2 * A_MINUTE, 9, 1)) == 1
    assert world.book.behind(1) == {}
    assert world.book.owed([page_of(recorded)], 1) == {recorded.id}
    assert world.book.search_ended(gaps, Search(CHECKED + 2 * A_MINUTE, 9, 1)) == 0


def test_a_page_that_found_a_withdrawn_text_is_owed_a_comparison(world: World) -> None:
    version, other = page_version(world.site), page_version(world.site, "http://pirate.example/2.html")
    world.book.record(outcome(version, match("a"), at=CHECKED))
    world.book.record(outcome(other, match("b"), at=CHECKED))
    world.book.withdrawn(WorkTextId("a"))
    assert world.book.owed([page_of(version), page_of(other)], 1) == {version.id}
    world.book.record(outcome(version, at=CHECKED + A_MINUTE))
    assert world.book.owed([page_of(version)], 1) == set()


def test_an_outcome_that_names_a_text_withdrawn_meanwhile_holds_no_longer_than_it_takes_to_compare(
    world: World,
) -> None:
    version = page_version(world.site)
    world.book.record(outcome(version, match("a"), match("withdrawn"), at=CHECKED))
    assert world.book.owed([page_of(version)], 1) == {version.id}
    world.book.record(outcome(version, match("a"), at=CHECKED + A_MINUTE))
    assert world.book.owed([page_of(version)], 1) == set()


def _watcher(world: World, version: PageVersion) -> int:
    index(world, "b", CHECKED + 9 * A_MINUTE)
    (page,) = searchable(world, version)
    world.book.unindexed([WorkTextId("b")])
    return page.watcher


def test_a_page_that_went_back_to_an_older_text_is_owed(world: World) -> None:
    first = page_version(world.site)
    second = page_version(world.site, text="别的文字", at=MOMENT + A_MINUTE)
    world.book.record(outcome(first, match("a"), at=CHECKED))
    world.book.record(outcome(second, at=CHECKED))
    assert world.book.owed([page_of(second)], 1) == set()
    assert world.book.owed([page_of(first, MOMENT + 2 * A_MINUTE)], 1) == {first.id}


def test_a_page_of_a_site_that_is_gone_is_never_owed(world: World) -> None:
    assert world.book.owed([page_of(page_version("404"))], 1) == set()


def test_a_text_is_owned_while_a_work_has_it(world: World) -> None:
    assert world.book.is_owned(WorkTextId("a"))
    assert not world.book.is_owned(WorkTextId("nobody's"))
