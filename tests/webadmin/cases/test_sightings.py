"""Pages met again, by crawls and in archives of any age: from when to when pages, versions and cases were seen."""

import random
from datetime import date, datetime, timedelta

import pytest

from tests.support.memory_pages import MemoryWorkStore
from tests.support.met_site import INNOCENT, MetSite
from tests.support.records import MOMENT, match, outcome, page_version
from webadmin.cases.models import Case, Exclusion, PageCheck
from webadmin.cases.services.case_repository import DjangoCaseRepository
from webadmin.sites.models import PageRecord, Site
from webadmin.works.models import Licence

pytestmark = pytest.mark.django_db
URL = "http://pirate.example/1.html"
A_DAY = timedelta(days=1)
COPIES = ("抄来的文字", "抄来的文字，改了一句")


class World(MetSite):
    """A site of which one page is met."""

    def meet(self, text: str, at: datetime) -> None:  # type: ignore[override]
        super().meet(URL, text, at)


@pytest.fixture
def world() -> World:
    return World(compared_at=MOMENT + 900 * A_DAY)


@pytest.fixture
def site(world: World) -> Site:
    return world.site


def licence(site: Site, since: date, until: date | None = None) -> Licence:
    return Licence.objects.create(
        rights_holder=site.rights_holder, licensee="书城", domain="pirate.example", valid_from=since, valid_until=until
    )


@pytest.mark.parametrize("seed", range(6))
def test_archives_in_any_order_widen_what_is_known(world: World, seed: int) -> None:
    chance = random.Random(seed)
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


def test_a_page_is_last_seen_when_it_was_fetched(world: World) -> None:
    world.meet(COPIES[0], MOMENT)
    version = Case.objects.get().version_id
    page = PageRecord.objects.get()
    fetched, written = MOMENT + A_DAY, MOMENT + 5 * A_DAY
    world.store.record_sighting(page.page_id, fetched)  # type: ignore[arg-type]
    world.compare(version, written)  # type: ignore[arg-type]
    page.refresh_from_db()
    assert page.last_seen == Case.objects.get().last_seen_at == fetched


def test_a_finding_keeps_the_day_on_which_it_was_first_found(site: Site) -> None:
    licence(site, MOMENT.date())
    book, version = DjangoCaseRepository(MemoryWorkStore()), page_version(str(site.pk))
    for days in (0, 40):
        book.open_or_update_cases([outcome(version, match("a"), at=MOMENT + days * A_DAY)])
    assert Exclusion.objects.get().found_at == MOMENT
