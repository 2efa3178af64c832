"""Pages met again, by crawls and in archives of any age: from when to when pages, versions and cases were seen."""

import random
from datetime import date, datetime, timedelta

import pytest

from core.ids import CanonicalUrl, FinalUrl, RequestedUrl, SiteId, VersionId
from core.pages import Fetched, Reading
from core.ports import KeptPages
from core.states import CaseState, Verdict
from tests.support.memory_pages import MemoryPageStore, MemoryWorkStore
from tests.support.records import MOMENT, match, outcome, page_of, page_version
from webadmin.accounts.models import RightsHolder, User
from webadmin.cases.models import Case, Exclusion, PageCheck, RightsRecord
from webadmin.cases.services.case_repository import DjangoCaseRepository
from webadmin.cases.services.verdicts import decide
from webadmin.sites.models import PageRecord, Site
from webadmin.works.models import Chapter, Licence, Work

pytestmark = pytest.mark.django_db
URL = "http://pirate.example/1.html"
A_DAY = timedelta(days=1)
COPIES = ("抄来的文字", "抄来的文字，改了一句")
INNOCENT = "此页已删除"


@pytest.fixture
def site() -> Site:
    holder = RightsHolder.objects.create(name="甲")
    work = Work.objects.create(rights_holder=holder, title="河")
    Chapter.objects.create(work=work, number=1, text_id="a", chars=8)
    return Site.objects.create(rights_holder=holder, name="盗版站", start_urls="http://pirate.example/")


def licence(site: Site, since: date, until: date | None = None) -> Licence:
    return Licence.objects.create(
        rights_holder=site.rights_holder, licensee="书城", domain="pirate.example", valid_from=since, valid_until=until
    )


class World:
    """One page of a site: its store, its case repository, and what an import or a crawl does with a response."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.store: KeptPages = MemoryPageStore()
        self.book = DjangoCaseRepository(MemoryWorkStore())

    def meet(self, text: str, at: datetime) -> None:
        fetched = Fetched(
            SiteId(str(self.site.pk)), RequestedUrl(URL), FinalUrl(URL), CanonicalUrl(URL), 200, (), text.encode(), at
        )
        stored = self.store.put(fetched, Reading(title="某页", text=text))
        self.compare(stored.version_id, at)

    def compare(self, version_id: VersionId, now: datetime) -> None:
        """What pipeline.steps.compare_pages does, with findings that are known."""
        of_page = self.store.on_pages([version_id])
        if not self.book.uncompared(of_page, 1):
            self.book.note_seen(of_page, now)
            return
        version, sighted = of_page[0].version, of_page[0].sighted
        found = [match("a")] if version.reading.text in COPIES else []
        times = {"first_seen": sighted.first, "seen_at": sighted.last}
        is_current = of_page[0].is_current
        self.book.open_or_update_cases(
            [outcome(version, *found, is_current=is_current, at=MOMENT + 900 * A_DAY, **times)]
        )


@pytest.mark.parametrize("seed", range(15))
def test_archives_in_any_order_widen_what_is_known_and_first_seen_is_never_after_last(site: Site, seed: int) -> None:
    chance, world = random.Random(seed), World(site)
    met: list[tuple[datetime, str]] = []
    for days in chance.sample(range(400), 9):
        met.append((MOMENT + days * A_DAY, chance.choice([*COPIES, INNOCENT])))
        world.meet(met[-1][1], met[-1][0])
        page = PageRecord.objects.get()
        assert (page.first_seen, page.last_seen) == (min(met)[0], max(met)[0])
        copied = sorted(at for at, text in met if text in COPIES)
        for case in Case.objects.all():
            assert (case.first_seen_at, case.last_seen_at) == (copied[0], copied[-1])
    for check in PageCheck.objects.all():
        version = world.store.version(check.version_id)  # type: ignore[arg-type]
        assert check.appeared_at == min(at for at, text in met if text == version.reading.text)
    shown = world.store.version(PageRecord.objects.get().version_id)  # type: ignore[arg-type]
    assert shown.reading.text == max(met)[1]


def test_a_page_seen_again_is_last_seen_when_it_was_fetched_and_not_when_that_is_written_down(site: Site) -> None:
    world = World(site)
    world.meet(COPIES[0], MOMENT)
    version = Case.objects.get().version_id
    page = PageRecord.objects.get()
    fetched, written = MOMENT + A_DAY, MOMENT + 5 * A_DAY
    world.store.seen(page.page_id, fetched)  # type: ignore[arg-type]
    world.compare(version, written)  # type: ignore[arg-type]
    page.refresh_from_db()
    assert page.last_seen == Case.objects.get().last_seen_at == fetched


def test_a_sighting_written_late_does_not_take_last_seen_back(site: Site) -> None:
    world = World(site)
    world.meet(COPIES[0], MOMENT)
    world.meet(COPIES[0], MOMENT + 9 * A_DAY)
    world.meet(COPIES[0], MOMENT + 4 * A_DAY)
    assert PageRecord.objects.get().last_seen == Case.objects.get().last_seen_at == MOMENT + 9 * A_DAY


def test_a_page_unchanged_after_its_licence_ended_is_an_open_case_again_without_a_comparison(site: Site) -> None:
    world = World(site)
    world.meet(COPIES[0], MOMENT)
    today = MOMENT.date()
    licence(site, today, today + 2 * A_DAY)
    assert Case.objects.get().state == CaseState.SET_ASIDE
    world.meet(COPIES[0], MOMENT + 2 * A_DAY)
    assert Case.objects.get().state == CaseState.SET_ASIDE
    world.meet(COPIES[0], MOMENT + 3 * A_DAY)
    assert Case.objects.get().state == CaseState.OPEN
    newest = RightsRecord.objects.order_by("pk").last()
    assert (newest.allowed_as, newest.cause, newest.entered_by) == ("", RightsRecord.Cause.SIGHTING, None)


def test_a_page_unchanged_since_its_licence_began_is_set_aside_unless_somebody_decided(site: Site) -> None:
    world = World(site)
    world.meet(COPIES[0], MOMENT)
    licence(site, MOMENT.date() + A_DAY)
    assert Case.objects.get().state == CaseState.OPEN
    decide(Case.objects.get(), Verdict.CONFIRMED, User.objects.create(username="r", is_superuser=True))
    world.meet(COPIES[0], MOMENT + A_DAY)
    case = Case.objects.get()
    assert (case.state, case.allowed_as) == (CaseState.CONFIRMED, "licensed")


def test_a_finding_under_a_licence_that_has_ended_owes_a_comparison_when_the_page_is_seen_again(site: Site) -> None:
    licence(site, MOMENT.date(), MOMENT.date())
    world = World(site)
    world.meet(COPIES[0], MOMENT)
    assert (Case.objects.count(), Exclusion.objects.get().reason) == (0, "licensed")
    version = world.store.version(PageRecord.objects.get().version_id)  # type: ignore[arg-type]
    assert world.book.pending([page_of(version)], 1) == set()
    world.meet(COPIES[0], MOMENT + A_DAY)
    assert world.book.pending([page_of(version)], 1) == {version.id}
    world.compare(version.id, MOMENT + A_DAY)
    assert (Case.objects.get().state, Exclusion.objects.count()) == (CaseState.OPEN, 0)


def test_a_finding_keeps_the_day_on_which_it_was_first_found(site: Site) -> None:
    licence(site, MOMENT.date())
    book, version = DjangoCaseRepository(MemoryWorkStore()), page_version(str(site.pk))
    for days in (0, 40):
        book.open_or_update_cases([outcome(version, match("a"), at=MOMENT + days * A_DAY)])
    assert Exclusion.objects.get().found_at == MOMENT
