"""What becomes of a stored version that a crawl met again: noted where it was compared, compared where it was not."""

from datetime import datetime, timedelta

import pytest

from core.ids import VersionId
from core.pages import Reading
from pipeline import steps
from tests.support.memory_chain import chain
from tests.support.records import MOMENT, response
from webadmin.accounts.models import RightsHolder
from webadmin.cases.models import PageCheck
from webadmin.cases.services.case_repository import DjangoCaseRepository
from webadmin.sites.models import PageRecord, Site

pytestmark = pytest.mark.django_db
A_DAY = timedelta(days=1)


class Compared:
    """A page of a watched site, stored and compared."""

    def __init__(self) -> None:
        holder = RightsHolder.objects.create(name="甲")
        self.site = Site.objects.create(rights_holder=holder, name="某站", start_urls="http://pirate.example/")
        running = chain()
        self.ports = steps.Ports(
            **{name: getattr(running.ports, name) for name in steps.Ports.__slots__ if name != "cases"},
            cases=DjangoCaseRepository(running.ports.works),
        )
        self.version = self.store("一页文字", MOMENT)
        self.compare(self.version)

    def compare(self, version: VersionId) -> None:
        steps.compare_pages([version], self.ports)

    def is_owed(self, version: VersionId) -> bool:
        return bool(self.ports.cases.find_uncompared(self.ports.pages.on_pages([version]), self.ports.algorithm.id))

    def store(self, text: str, at: datetime) -> VersionId:
        fetched = response(self.site.pk, "http://pirate.example/1.html", text.encode(), at)
        return self.ports.pages.put(fetched, Reading(title="某页", text=text)).version_id


@pytest.fixture
def compared() -> Compared:
    return Compared()


def test_a_version_that_was_compared_moves_the_moment_at_which_its_page_was_seen(compared: Compared) -> None:
    assert compared.store("一页文字", MOMENT + A_DAY) == compared.version
    checked_at = PageCheck.objects.get().checked_at
    compared.ports.clock.advance(60)  # type: ignore[attr-defined]
    compared.compare(compared.version)
    assert PageRecord.objects.get().last_seen == MOMENT + A_DAY
    assert PageCheck.objects.get().checked_at == checked_at, "it is not compared again"


def test_a_version_that_was_never_compared_is(compared: Compared) -> None:
    version = compared.store("别的文字", MOMENT + A_DAY)
    assert compared.is_owed(version)
    compared.compare(version)
    assert set(PageCheck.objects.values_list("version_id", flat=True)) == {compared.version, version}


def test_a_version_whose_outcome_holds_no_more_is_compared_again(compared: Compared) -> None:
    PageCheck.objects.update(algorithm_id=0)
    compared.compare(compared.version)
    assert PageCheck.objects.get().algorithm_id == compared.ports.algorithm.id
