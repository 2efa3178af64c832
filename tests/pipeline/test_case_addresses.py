"""The same text at several addresses of a site: one case, which lists them, and stays while any of them shows it."""

from datetime import datetime, timedelta

import pytest

from core.ids import CanonicalUrl, FinalUrl, PageId, RequestedUrl, SiteId, page_id
from core.pages import Fetched, Reading
from core.ports import KeptPages
from core.states import CaseState, Verdict
from core.visits import Visit, address_id
from pagestore.memory import MemoryPageStore, MemoryWorkStore
from records.cases.addresses import addresses_of
from records.cases.case_repository import DjangoCaseRepository
from records.cases.verdicts import decide
from records.models import Case, CaseMatch, Chapter, Exclusion, Licence, Matter, PageRecord, RightsHolder, Site, Work
from records.sites.visit_repository import DjangoVisitRepository
from tests.support import admin_data
from tests.support.records import MOMENT, match, outcome

pytestmark = pytest.mark.django_db
A_DAY = timedelta(days=1)
TEXT, OTHER, INNOCENT = "抄来的文字", "抄来的文字，改了一句", "此页已删除"
A, B, C = (f"http://pirate.example/{path}/1" for path in "abc")


class World:
    """A site: its store, its case repository, its visits, and what a crawl does with a response."""

    def __init__(self) -> None:
        holder = RightsHolder.objects.create(name="甲")
        work = Work.objects.create(rights_holder=holder, title="河")
        Chapter.objects.create(work=work, number=1, text_id="a", chars=8)
        self.site = Site.objects.create(rights_holder=holder, name="盗版站", start_urls="http://pirate.example/")
        self.reviewer = admin_data.user("审核员", holder)
        self.store: KeptPages = MemoryPageStore()
        self.book = DjangoCaseRepository(MemoryWorkStore())

    def meet(self, url: str, text: str, days: int = 0) -> None:
        at = MOMENT + days * A_DAY
        names = RequestedUrl(url), FinalUrl(url), CanonicalUrl(url)
        fetched = Fetched(SiteId(str(self.site.pk)), *names, 200, (), text.encode(), at)
        stored = self.store.put(fetched, Reading(title="某页", text=text))
        self.compare(stored.version_id, at)

    def compare(self, version: str, now: datetime) -> None:
        """What pipeline.steps.compare_pages does, with findings that are known."""
        of_page = self.store.on_pages([version])  # type: ignore[list-item]
        if not self.book.uncompared(of_page, 1):
            self.book.note_seen(of_page, now)
            return
        seen = of_page[0]
        found = [match("a")] if seen.version.reading.text != INNOCENT else []
        times = {"first_seen": seen.sighted.first, "seen_at": seen.sighted.last}
        self.book.open_or_update_cases([outcome(seen.version, *found, is_current=seen.is_current, at=now, **times)])

    def compare_owed(self) -> None:
        """What the daily comparison does."""
        for page in PageRecord.objects.all():
            self.compare(page.version_id, MOMENT)

    def visit(self, url: str, days: int, gone: bool = False) -> None:
        """What a crawl notes of an address: that it is there, or is known to be gone."""
        site, at = SiteId(str(self.site.pk)), MOMENT + days * A_DAY
        page = page_id(site, CanonicalUrl(url))
        noted = {"absent_since": at, "gone_since": at} if gone else {"seen_at": at}
        visit = Visit(
            address_id(site, url), url, 1, found_at=at, due_at=at, page_id=PageId(page), page_url=url, **noted
        )
        DjangoVisitRepository().save(site, [visit])


def told(case: Case) -> list[tuple[str, int, int, bool]]:
    """The addresses of a case, with the days on which each was seen first and last, and whether it shows the text."""
    return [
        (each.url, (each.first_seen_at - MOMENT).days, (each.last_seen_at - MOMENT).days, each.is_shown)
        for each in addresses_of(Case.objects.select_related("page").get(pk=case.pk))
    ]


def test_a_text_at_several_addresses_is_one_case_that_lists_them() -> None:
    world = World()
    world.meet(A, TEXT)
    case = Case.objects.get()
    assert told(case) == [(A, 0, 0, True)]
    decide(case, Verdict.CONFIRMED, world.reviewer)
    world.meet(B, TEXT, days=1)
    world.meet(C, OTHER, days=1)
    world.meet(B, TEXT, days=4)
    other = Case.objects.exclude(pk=case.pk).get()
    assert other.page.url == C, "another text is another case"
    assert told(case) == [(A, 0, 0, True), (B, 1, 4, True)]
    case.refresh_from_db()
    assert (case.page.url, case.state, case.last_seen_at) == (A, CaseState.CONFIRMED, MOMENT + 4 * A_DAY)
    assert case.changed_since is None, "a new address is no news for who decided"
    assert {match.final_url for match in CaseMatch.objects.filter(case=case)} == {A, B}, "what each showed is kept"
    matter = Matter.objects.get()
    assert (matter.open_cases, matter.confirmed_cases) == (1, 1)


def test_a_case_whose_page_is_gone_goes_over_to_an_address_that_stands_and_back() -> None:
    world = World()
    for url in (A, B):
        world.meet(url, TEXT)
        world.visit(url, 0)
    case = Case.objects.get()
    decide(case, Verdict.CONFIRMED, world.reviewer)
    world.visit(A, 3, gone=True)
    case.refresh_from_db()
    assert (case.page.url, case.page_url, case.state) == (B, B, CaseState.CONFIRMED)
    assert case.decided_version == case.page.version_id == case.version_id
    world.compare_owed()
    case.refresh_from_db()
    assert (case.changed_since, case.page_url) == (None, B)
    assert told(case) == [(B, 0, 0, True), (A, 0, 0, False)]
    world.meet(B, INNOCENT, days=4)
    case.refresh_from_db()
    assert case.page.url == B, "no address shows the text any more"
    world.meet(A, TEXT, days=5)
    world.visit(A, 5)
    case.refresh_from_db()
    assert (case.page.url, Case.objects.count()) == (A, 1)
    assert case.returned_at is not None


def test_an_address_that_changes_its_text_and_one_that_stays_behind_have_cases_of_their_own() -> None:
    world = World()
    for url in (A, B, C):
        world.meet(url, TEXT)
    world.meet(B, OTHER, days=1)
    first, second = Case.objects.order_by("pk")
    assert [each[0] for each in told(first)] == [A, C]
    assert told(second) == [(B, 1, 1, True)]
    world.meet(A, TEXT + "，又改", days=2)
    world.meet(C, TEXT, days=2)
    world.compare_owed()
    assert [case.page.url for case in Case.objects.order_by("pk")] == [A, B, C]


def test_rights_are_asked_for_each_address() -> None:
    world = World()
    for url in (A, B):
        world.meet(url, TEXT)
    licence = {"rights_holder": world.site.rights_holder, "licensee": "书城", "domain": "pirate.example"}
    of_other = Licence.objects.create(**licence, address=B, valid_from=MOMENT.date())
    world.compare_owed()
    case = Case.objects.get()
    assert (case.state, [each[0] for each in told(case)]) == (CaseState.OPEN, [A])
    assert Exclusion.objects.get().page.url == B
    of_other.delete()
    world.compare_owed()
    assert [each[0] for each in told(case)] == [A, B]
    Licence.objects.create(**licence, address=A, valid_from=MOMENT.date())
    world.compare_owed()
    assert [(each.page.url, each.state) for each in Case.objects.order_by("pk")] == [
        (A, CaseState.SET_ASIDE),
        (B, CaseState.OPEN),
    ]
