"""One suite for every case repository: Django's and the one in memory."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from itertools import permutations

import pytest

from core.ids import SiteId, VersionId, WorkTextId
from core.matches import MatchClass
from core.pages import PageVersion
from core.ports import CaseRepository, ComparisonOutcome, Search, SearchGap, Unsearched
from core.rights import Permission
from core.states import UNPROTECTED, CaseState, Rejection, Verdict
from tests.support.memory_cases import MemoryCaseRepository, MemoryHolder
from tests.support.memory_pages import MemoryWorkStore
from tests.support.records import MOMENT, match, outcome, page_of, page_version
from webadmin.accounts.models import RightsHolder, User
from webadmin.cases.models import Case, Exclusion
from webadmin.cases.services.case_repository import DjangoCaseRepository
from webadmin.cases.services.verdicts import decide
from webadmin.sites.models import Site
from webadmin.works.models import Chapter, Licence, OwnDomain, Unprotected, Work

A_MINUTE = timedelta(minutes=1)
CHECKED = MOMENT + timedelta(days=90)  # after the licence of both worlds has ended


class _MemoryWorld:
    site = "1"

    def __init__(self) -> None:
        self.holder = MemoryHolder(
            works={"河": frozenset({WorkTextId("a"), WorkTextId("b")})},
            sites=frozenset({SiteId("1")}),
            own_domains=("own.example",),
            permissions={"河": (Permission("licensed.example", date(2026, 1, 1), date(2026, 3, 1), "书城 A-1"),)},
        )
        other = MemoryHolder(works={"山": frozenset({WorkTextId("c")})}, sites=frozenset({SiteId("2")}))
        self.book = MemoryCaseRepository([self.holder, other])

    def allow(self, domain: str, since: date, until: date | None) -> None:
        self.holder.permissions["河"] = (*self._without(domain), Permission(domain, since, until, "书城 A-1"))
        self._ruled()

    def withdraw(self, domain: str) -> None:
        self.holder.permissions["河"] = self._without(domain)
        self.holder.own_domains = tuple(each for each in self.holder.own_domains if each != domain)
        self._ruled()

    def own(self, domain: str) -> None:
        self.holder.own_domains += (domain,)
        self._ruled()

    def mark(self, reason: Rejection | None) -> None:
        self.holder.unprotected = {} if reason is None else {"河": reason}
        self._ruled()

    def decide(self, verdict: Verdict) -> None:
        next(iter(self.book.cases.values())).verdict = verdict

    def _without(self, domain: str) -> tuple[Permission, ...]:
        return tuple(each for each in self.holder.permissions["河"] if each.domain != domain)

    def _ruled(self) -> None:
        self.book.rights_changed(0)
        assert self.book.awaiting_rulings() == [0]
        self.book.rule_again(0)

    def states(self) -> list[CaseState]:
        return [case.state for case in self.book.cases.values()]

    def exclusions(self) -> set[str]:
        return {str(each.reason) for each in self.book.excluded.values()}

    def first_seen(self) -> list[tuple[datetime, datetime]]:
        return [(case.first_seen, case.last_seen) for case in self.book.cases.values()]


class _DjangoWorld:
    def __init__(self) -> None:
        self.book: CaseRepository = DjangoCaseRepository(MemoryWorkStore())
        self.holder, second = RightsHolder.objects.create(name="甲"), RightsHolder.objects.create(name="乙")
        self.river = Work.objects.create(rights_holder=self.holder, title="河")
        Chapter.objects.create(work=self.river, number=1, text_id="a", chars=8)
        Chapter.objects.create(work=self.river, number=2, text_id="b", chars=8)
        hill = Work.objects.create(rights_holder=second, title="山")
        Chapter.objects.create(work=hill, number=1, text_id="c", chars=8)
        site = Site.objects.create(rights_holder=self.holder, name="盗版站", start_urls="http://pirate.example/")
        self.site = str(site.pk)
        OwnDomain.objects.create(rights_holder=self.holder, domain="own.example")
        Licence.objects.create(
            rights_holder=self.holder, licensee="书城", domain="licensed.example", number="A-1",
            valid_from=date(2026, 1, 1), valid_until=date(2026, 3, 1),
        )  # fmt: skip

    def allow(self, domain: str, since: date, until: date | None) -> None:
        licence = Licence.objects.filter(domain=domain).first() or Licence(
            rights_holder=self.holder, work=self.river, licensee="书城", domain=domain, number="A-1"
        )
        licence.valid_from, licence.valid_until = since, until
        licence.save()

    def withdraw(self, domain: str) -> None:
        Licence.objects.filter(domain=domain).delete()
        OwnDomain.objects.filter(domain=domain).delete()

    def own(self, domain: str) -> None:
        OwnDomain.objects.create(rights_holder=self.holder, domain=domain)

    def mark(self, reason: Rejection | None) -> None:
        if reason is None:
            Unprotected.objects.get(work=self.river).delete()
        else:
            values = {"reason": reason, "note": "已进入公有领域"}
            Unprotected.objects.update_or_create(work=self.river, defaults=values)

    def decide(self, verdict: Verdict) -> None:
        reviewer = User.objects.create(username="reviewer", is_superuser=True)
        decide(Case.objects.order_by("pk")[0], verdict, reviewer)

    def states(self) -> list[CaseState]:
        return [CaseState(each.state) for each in Case.objects.order_by("pk")]

    def exclusions(self) -> set[str]:
        return set(Exclusion.objects.values_list("reason", flat=True))

    def first_seen(self) -> list[tuple[datetime, datetime]]:
        return list(Case.objects.order_by("pk").values_list("first_seen_at", "last_seen_at"))


# Two rights holders. The first owns 「河」 (texts a, b) and watches `site`; the second owns 「山」 (text c).
# Until 2026-03-01 licensed.example may carry 「河」; own.example is the first one's own. Cases are in order of opening;
# `allow` lets a domain carry 「河」 in place of what was allowed there, `mark(None)` protects it again, `decide` is on
# the first case.
World = _MemoryWorld | _DjangoWorld


@pytest.fixture(params=["memory", pytest.param("django", marks=pytest.mark.django_db)])
def world(request: pytest.FixtureRequest) -> World:
    return _MemoryWorld() if request.param == "memory" else _DjangoWorld()


def compared(world: World, *texts: str) -> PageVersion:
    """A page in which these texts were found."""
    version = page_version(world.site)
    world.book.open_or_update_cases([outcome(version, *map(match, texts), at=CHECKED)])
    return version


def owed(world: World, *versions: PageVersion) -> set[VersionId]:
    """Return which of them have to be compared."""
    return world.book.pending([page_of(version) for version in versions], 1)


def record(world: World, outcomes: Sequence[ComparisonOutcome], is_at_once: bool) -> None:
    """As one message of several pages does, or as several messages do."""
    for some in [outcomes] if is_at_once else [[each] for each in outcomes]:
        world.book.open_or_update_cases(some)


def test_only_the_watchers_own_texts_are_sources_and_texts_of_one_work_agree(world: World) -> None:
    asked = [WorkTextId(name) for name in ("a", "b", "c", "nobody's")]
    sources = world.book.sources(SiteId(world.site), asked)
    assert set(sources) == {"a", "b"}
    assert sources[WorkTextId("a")] == sources[WorkTextId("b")]


def test_a_copy_opens_one_case_however_often_it_is_recorded(world: World) -> None:
    found = outcome(page_version(world.site), match("a"), match("b"))
    first = world.book.open_or_update_cases([found])[0]
    assert len(first) == 1
    assert world.book.open_or_update_cases([found])[0] == first
    assert len(world.states()) == 1


def test_outcomes_that_are_recorded_at_once_have_their_cases_each(world: World) -> None:
    urls = [f"http://pirate.example/{number}.html" for number in range(5)]
    versions = [page_version(world.site, url, f"抄来的文字，见{url}") for url in urls]
    found = [match("a")], [], [match("c")], [match("a"), match("b")], [match("a", MatchClass.QUOTATION)]
    cases = world.book.open_or_update_cases(
        [outcome(version, *matches, at=CHECKED) for version, matches in zip(versions, found, strict=True)]
    )
    assert [len(each) for each in cases] == [1, 0, 0, 1, 0]
    assert len({case for each in cases for case in each}) == 2
    assert (len(world.states()), world.exclusions()) == (2, {Rejection.QUOTATION})
    # A text that is nobody's here was the holder's a moment ago: what was found in it may stand in another.
    assert owed(world, *versions) == {versions[2].id}


@pytest.mark.parametrize(
    ("url", "match_class", "reason"),
    [
        ("http://m.own.example/1", MatchClass.IDENTICAL, Rejection.OWN_SITE),
        ("http://licensed.example/1", MatchClass.IDENTICAL, Rejection.LICENSED),
        ("http://pirate.example/1", MatchClass.QUOTATION, Rejection.QUOTATION),
    ],
)
def test_allowed_pages_have_their_reason(world: World, url: str, match_class: MatchClass, reason: Rejection) -> None:
    assert world.book.open_or_update_cases([outcome(page_version(world.site, url), match("a", match_class))])[0] == []
    assert len(world.states()) == 0
    assert world.exclusions() == {str(reason)}


@pytest.mark.parametrize("reason", UNPROTECTED)
def test_what_is_found_of_an_unprotected_work_is_excluded_under_its_reason(world: World, reason: Rejection) -> None:
    world.mark(reason)
    assert world.book.open_or_update_cases([outcome(page_version(world.site), match("a"))])[0] == []
    assert (len(world.states()), world.exclusions()) == (0, {str(reason)})


def test_a_finding_follows_the_mark_of_its_work_and_its_end(world: World) -> None:
    version = page_version(world.site)
    world.mark(Rejection.MERE_FACTS)
    world.book.open_or_update_cases([outcome(version, match("a"), at=CHECKED)])
    world.mark(Rejection.NOT_PROTECTED)
    assert world.exclusions() == {"not_protected"}
    assert owed(world, version) == set()
    world.mark(None)
    assert owed(world, version) == {version.id}
    world.book.open_or_update_cases([outcome(version, match("a"), at=CHECKED + A_MINUTE)])
    assert (world.states(), world.exclusions()) == ([OPEN], set())


def test_a_page_that_outlives_its_licence_is_a_case_though_its_text_was_there_before(world: World) -> None:
    version = page_version(world.site, "http://licensed.example/1")
    assert world.book.open_or_update_cases([outcome(version, match("a"))])[0] == []
    seen = MOMENT + timedelta(days=200)
    assert len(world.book.open_or_update_cases([outcome(version, match("a"), at=seen, seen_at=seen)])[0]) == 1


TODAY = date(2026, 3, 1)  # of MOMENT, in both worlds
A_DAY = timedelta(days=1)
OPEN, ASIDE = CaseState.OPEN, CaseState.SET_ASIDE


def copied(world: World, *, at: datetime = MOMENT, url: str = "http://pirate.example/1") -> PageVersion:
    """A page that copied and is a case."""
    version = page_version(world.site, url, at=at)
    assert len(world.book.open_or_update_cases([outcome(version, match("a"), at=CHECKED)])[0]) == 1
    return version


@pytest.mark.parametrize("right", ["licence", "own domain", "mark"])
def test_a_right_sets_an_open_case_aside_and_its_withdrawal_opens_it_again(world: World, right: str) -> None:
    version = copied(world, url="http://m.pirate.example/1")
    enter, end = {
        "licence": (lambda: world.allow("pirate.example", TODAY, None), lambda: world.withdraw("pirate.example")),
        "own domain": (lambda: world.own("pirate.example"), lambda: world.withdraw("pirate.example")),
        "mark": (lambda: world.mark(Rejection.TERM_EXPIRED), lambda: world.mark(None)),
    }[right]
    enter()
    assert world.states() == [ASIDE]
    end()
    assert (world.states(), world.exclusions()) == ([OPEN], set())
    assert owed(world, version) == set(), "what was found is kept"


def test_a_licence_rules_what_its_domain_showed_last_on_the_days_that_it_has(world: World) -> None:
    copied(world)
    world.allow("elsewhere.example", TODAY, None)
    assert world.states() == [OPEN]
    for since, until, state in (
        (TODAY, TODAY, ASIDE),
        (TODAY + A_DAY, None, OPEN),
        (TODAY - A_DAY, None, ASIDE),
        (TODAY - 9 * A_DAY, TODAY - A_DAY, OPEN),
    ):
        world.allow("pirate.example", since, until)
        assert world.states() == [state], since


def test_a_page_seen_again_after_its_licence_ended_is_an_open_case_again(world: World) -> None:
    version = copied(world)
    world.allow("pirate.example", TODAY, TODAY + A_DAY)
    assert world.states() == [ASIDE]
    for days, state in ((1, ASIDE), (2, OPEN)):
        seen_at = MOMENT + days * A_DAY
        world.book.open_or_update_cases([outcome(version, match("a"), at=CHECKED, seen_at=seen_at)])
        assert world.states() == [state]
    assert world.exclusions() == set(), "one finding is not counted twice"


@pytest.mark.parametrize("verdict", list(Verdict))
def test_a_verdict_is_not_changed_by_any_right(world: World, verdict: Verdict) -> None:
    version = copied(world)
    world.decide(verdict)
    world.allow("pirate.example", TODAY, None)
    assert world.states() == [verdict.state]
    world.book.open_or_update_cases([outcome(version, match("a"), at=CHECKED)])
    assert world.states() == [verdict.state]
    world.withdraw("pirate.example")
    assert world.states() == [verdict.state]
    world.mark(Rejection.OFFICIAL_TEXT)
    assert world.states() == [verdict.state]


def test_a_finding_is_compared_when_nothing_allows_it_any_more(world: World) -> None:
    version = page_version(world.site, "http://licensed.example/1")
    other = page_version(world.site, "http://licensed.example/2")
    world.book.open_or_update_cases([outcome(version, match("a"), at=CHECKED)])
    world.book.open_or_update_cases([outcome(other, at=CHECKED)])
    world.allow("licensed.example", TODAY - A_DAY, TODAY)
    assert owed(world, version, other) == set()
    world.withdraw("licensed.example")
    assert owed(world, version, other) == {version.id}
    world.book.open_or_update_cases([outcome(version, match("a"), at=CHECKED + A_MINUTE)])
    assert (world.states(), world.exclusions()) == ([OPEN], set())


@pytest.mark.parametrize("is_at_once", [False, True])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("now_as", [MatchClass.LIGHTLY_EDITED, MatchClass.QUOTATION])
def test_a_copy_that_was_licensed_or_became_a_quotation_is_one_case(
    world: World, now_as: MatchClass, order: tuple[int, int], is_at_once: bool
) -> None:
    is_licensed = now_as.is_copy
    if is_licensed:
        world.allow("pirate.example", TODAY, None)
    before = page_version(world.site, text="以前的文字", at=MOMENT - A_DAY)
    now = page_version(world.site, text="如今的文字")
    outcomes = [
        outcome(before, match("a"), at=CHECKED, is_current=order == (0, 1)),
        outcome(now, match("a", now_as), at=CHECKED),
    ]
    record(world, [outcomes[place] for place in order], is_at_once)
    assert world.exclusions() == set(), "no finding is counted beside its case"
    if is_licensed and now.id in owed(world, now):
        world.book.open_or_update_cases([outcome(now, match("a"), at=CHECKED + A_MINUTE)])
    assert (world.states(), world.exclusions()) == ([ASIDE if is_licensed else OPEN], set())
    assert world.first_seen() == [(MOMENT - A_DAY, MOMENT if is_licensed else MOMENT - A_DAY)]
    assert owed(world, now) == set()


def test_first_seen_is_before_last_seen_in_any_order_of_pages(world: World) -> None:
    versions = [page_version(world.site, text=f"第{day}天的文字", at=MOMENT + day * A_DAY) for day in range(3)]
    for order in permutations(range(3)):
        url = f"http://pirate.example/{''.join(map(str, order))}"
        newest = -1
        for day in order:
            version = page_version(world.site, url, versions[day].reading.text, versions[day].fetched_at)
            newest = max(newest, day)
            world.book.open_or_update_cases([outcome(version, match("a"), at=CHECKED, is_current=day == newest)])
            assert world.first_seen()[-1][0] <= world.first_seen()[-1][1]
        assert world.first_seen()[-1] == (MOMENT, MOMENT + 2 * A_DAY)


def test_a_quotation_beside_a_copy_does_not_hide_the_copy(world: World) -> None:
    found = outcome(page_version(world.site), match("a", MatchClass.QUOTATION), match("b", MatchClass.EXCERPT))
    assert len(world.book.open_or_update_cases([found])[0]) == 1


def test_a_page_is_owed_until_recorded_and_after_a_new_algorithm(world: World) -> None:
    version = page_version(world.site)
    assert owed(world, version) == {version.id}
    world.book.open_or_update_cases([outcome(version, at=CHECKED, rejection=Rejection.TOO_FEW_HAN_CHARS)])
    assert owed(world, version) == set()
    assert world.book.pending([page_of(version)], 2) == {version.id}


def index(world: World, text: str, at: datetime) -> None:
    """Let the text become findable, as a step that puts it into the index notes it."""
    world.book.note_unindexed([WorkTextId(text)])
    world.book.note_indexed({WorkTextId(text): 8}, at)


def searchable(world: World, *versions: PageVersion) -> list[Unsearched]:
    return world.book.find_unsearched([page_of(version) for version in versions], world.book.lags(1), 1)


def test_a_text_indexed_later_is_searched_for_and_owes_nothing(world: World) -> None:
    version = compared(world, "a")
    assert world.book.lags(1) == {}
    index(world, "c", CHECKED + A_MINUTE)
    assert searchable(world, version) == [], "another holder's text is nothing to this page"
    index(world, "b", CHECKED + A_MINUTE)
    (gap,) = world.book.lags(1).values()
    assert gap == SearchGap(CHECKED, CHECKED + A_MINUTE)
    (page,) = searchable(world, version)
    assert (page.page, page.version, page.checked_at, page.has_findings) == (
        version.page_id, version.id, CHECKED, True,
    )  # fmt: skip
    assert owed(world, version) == set()
    world.book.open_or_update_cases([outcome(version, at=CHECKED + 2 * A_MINUTE)])
    assert world.book.lags(1) == {}


def test_the_texts_to_search_for_are_the_watchers_newer_ones_and_those_not_noted_yet(world: World) -> None:
    version = page_version(world.site)
    index(world, "a", CHECKED - A_MINUTE)
    world.book.open_or_update_cases([outcome(version, at=CHECKED)])
    index(world, "c", CHECKED + A_MINUTE)
    rights_holder = _rights_holder(world, version)
    assert world.book.newer_texts(rights_holder, CHECKED) == {"b": None}
    index(world, "b", CHECKED + A_MINUTE)
    assert world.book.newer_texts(rights_holder, CHECKED) == {"b": CHECKED + A_MINUTE}
    assert set(world.book.newer_texts(rights_holder, CHECKED - A_MINUTE)) == {"a", "b"}


def test_a_text_that_was_findable_all_along_asks_for_no_search_until_it_was_lost(world: World) -> None:
    index(world, "b", CHECKED - A_MINUTE)
    version = compared(world)
    world.book.note_indexed({WorkTextId("b"): 8}, CHECKED + A_MINUTE)
    assert world.book.lags(1) == {}
    index(world, "b", CHECKED + A_MINUTE)
    assert [page.version for page in searchable(world, version)] == [version.id], "the index had lost it"


def test_a_search_that_finds_nothing_is_a_comparison_with_all_texts_there_were(world: World) -> None:
    version = compared(world, "a")
    index(world, "b", CHECKED + A_MINUTE)
    for _ in range(2):
        world.book.note_searched(searchable(world, version), [], Search(CHECKED + 2 * A_MINUTE, 9, 1))
        assert world.book.lags(1) == {}
        assert owed(world, version) == set()
    index(world, "b", CHECKED + 3 * A_MINUTE)
    assert [page.checked_at for page in searchable(world, version)] == [CHECKED + 2 * A_MINUTE]
    assert len(world.states()) == 1, "what was found before stays"


def test_a_search_that_finds_something_owes_a_comparison_until_it_is_made(world: World) -> None:
    version = compared(world)
    index(world, "b", CHECKED + A_MINUTE)
    world.book.note_searched([], searchable(world, version), Search(CHECKED + 2 * A_MINUTE, 9, 1))
    assert searchable(world, version) == []
    assert owed(world, version) == {version.id}
    world.book.open_or_update_cases([outcome(version, match("b"), at=CHECKED + 3 * A_MINUTE)])
    assert owed(world, version) == set()


def test_a_search_leaves_alone_what_was_compared_after_it_began(world: World) -> None:
    version = compared(world)
    index(world, "b", CHECKED + A_MINUTE)
    pages = searchable(world, version)
    index(world, "a", CHECKED + 2 * A_MINUTE)
    world.book.open_or_update_cases([outcome(version, match("b"), at=CHECKED + 3 * A_MINUTE)])
    world.book.note_searched([], pages, Search(CHECKED + 2 * A_MINUTE, 9, 1))
    assert owed(world, version) == set()
    assert world.book.lags(1) == {}


def test_what_a_search_never_met_is_owed_a_comparison_and_ends_the_searching(world: World) -> None:
    recorded = compared(world)
    index(world, "b", CHECKED + A_MINUTE)
    gaps = world.book.lags(1)
    assert world.book.end_search(gaps, Search(CHECKED + 2 * A_MINUTE, 9, 1)) == 1
    assert world.book.lags(1) == {}
    assert owed(world, recorded) == {recorded.id}
    assert world.book.end_search(gaps, Search(CHECKED + 2 * A_MINUTE, 9, 1)) == 0


def test_a_page_that_found_a_withdrawn_text_is_owed_a_comparison(world: World) -> None:
    version, other = page_version(world.site), page_version(world.site, "http://pirate.example/2.html")
    world.book.open_or_update_cases([outcome(version, match("a"), at=CHECKED)])
    world.book.open_or_update_cases([outcome(other, match("b"), at=CHECKED)])
    world.book.note_withdrawn(WorkTextId("a"))
    assert owed(world, version, other) == {version.id}
    world.book.open_or_update_cases([outcome(version, at=CHECKED + A_MINUTE)])
    assert owed(world, version) == set()


def _rights_holder(world: World, version: PageVersion) -> int:
    index(world, "b", CHECKED + 9 * A_MINUTE)
    (page,) = searchable(world, version)
    world.book.note_unindexed([WorkTextId("b")])
    return page.rights_holder


def test_a_page_that_went_back_to_an_older_text_is_owed(world: World) -> None:
    first = page_version(world.site)
    second = page_version(world.site, text="别的文字", at=MOMENT + A_MINUTE)
    world.book.open_or_update_cases([outcome(first, match("a"), at=CHECKED)])
    world.book.open_or_update_cases([outcome(second, at=CHECKED)])
    assert owed(world, second) == set()
    assert world.book.pending([page_of(first, MOMENT + 2 * A_MINUTE)], 1) == {first.id}


def test_a_text_is_owned_while_a_work_has_it(world: World) -> None:
    assert world.book.is_owned(WorkTextId("a"))
    assert not world.book.is_owned(WorkTextId("nobody's"))
