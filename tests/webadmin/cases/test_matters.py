"""Matters: the cases of one site and one work, whose figures follow everything that happens to them."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from core.errors import BadInput
from core.ids import PageId, SiteId, work_text_id
from core.states import Verdict
from core.taken import Places
from core.visits import Visit, address_id
from core.works import ChapterText, WorkFile
from tests.support import admin_data, book_copies
from tests.support.desk import CollectingOutbox
from tests.support.memory_pages import MemoryWorkStore
from tests.support.records import MOMENT, match, outcome, page_version
from tests.webadmin.cases.conftest import COPIED_TEXT
from webadmin.accounts.models import RightsHolder, User
from webadmin.cases.models import Case, Matter
from webadmin.cases.services.case_repository import DjangoCaseRepository
from webadmin.cases.services.matters.assignment import (
    MAX_AWAITED_CHARS,
    assign_matter,
    set_awaited_documents,
)
from webadmin.cases.services.matters.figures import rank_site, refresh_matters, refresh_works, sum_taken_chars
from webadmin.cases.services.verdicts import decide, undo_decision
from webadmin.review.services.whole_book import whole_book
from webadmin.sites.models import PageRecord, Site
from webadmin.sites.services.visit_repository import DjangoVisitRepository
from webadmin.works.models import Chapter, Work
from webadmin.works.services.catalogue import add_work

pytestmark = pytest.mark.django_db
A_DAY = timedelta(days=1)


@pytest.fixture
def reviewer(site: Site) -> User:
    return admin_data.user("审核员", site.rights_holder)


def found(site: Site, works: MemoryWorkStore, path: str = "/1", **version: object) -> Case:
    """A page of the site that took from the work, as a worker records it."""
    seen = page_version(str(site.pk), url=f"http://pirate.example{path}", **version)  # type: ignore[arg-type]
    (keys,) = DjangoCaseRepository(works).open_or_update_cases([outcome(seen, match(work_text_id(COPIED_TEXT)))])
    return Case.objects.get(pk=keys[0])


def counts(matter: Matter) -> tuple[int, int, int]:
    matter.refresh_from_db()
    return matter.open_cases, matter.confirmed_cases, matter.closed_cases


def marks(matter: Matter) -> tuple[int, int]:
    matter.refresh_from_db()
    return matter.changed_cases, matter.returned_cases


def test_the_pages_of_a_site_that_took_from_a_work_are_one_matter(site: Site, works: MemoryWorkStore) -> None:
    first, second = found(site, works, "/1"), found(site, works, "/2", text="抄来的文字。")
    matter = Matter.objects.get()
    assert first.matter == second.matter == matter
    assert (matter.site, matter.work, matter.rights_holder) == (site, first.work, site.rights_holder)
    assert counts(matter) == (2, 0, 0)
    assert matter.taken_chars == first.taken_chars, "what both pages have counts once"
    assert matter.work_share == pytest.approx(first.work_share)
    assert matter.obfuscation_kinds == " homophone "
    assert first.excerpt == "抄来的文", "how the passage begins on the page"


def test_figures_follow_verdicts_and_their_undoing(site: Site, works: MemoryWorkStore, reviewer: User) -> None:
    case = found(site, works)
    matter = Matter.objects.get()
    harm = matter.harm
    decide(case, Verdict.CONFIRMED, reviewer)
    assert counts(matter) == (0, 1, 0)
    assert matter.work_share > 0
    decide(case, Verdict.FALSE_ALARM, reviewer)
    assert counts(matter) == (0, 0, 1)
    assert (matter.work_share, matter.taken_chars) == (0, 0), "what is no copy takes nothing"
    assert matter.harm < harm
    undo_decision(case, reviewer, case.verdicts.all()[0].pk)
    assert counts(matter) == (0, 1, 0)
    assert matter.work_share > 0


def other_site(site: Site) -> Site:
    return Site.objects.create(rights_holder=site.rights_holder, name="另一站", start_urls="http://other.example/")


def test_what_two_sites_have_of_a_work_counts_once(site: Site, works: MemoryWorkStore, reviewer: User) -> None:
    first, second = found(site, works), found(other_site(site), works, "/2")
    places = Places.unpack(bytes(first.taken.get().places))
    surroundings = Places.from_starts(
        place for place in range(len(COPIED_TEXT)) if not len(places & Places.from_starts([place]))
    )
    second.taken.update(places=(surroundings | Places.from_starts([0])).pack())
    refresh_matters(list(Matter.objects.values_list("pk", flat=True)))
    work = first.work_id
    assert len(places & Places.from_starts([0])) == 1, "one character is on both pages"
    assert sum_taken_chars(Work.objects.all()) == {work: len(COPIED_TEXT)}
    decide(second, Verdict.FALSE_ALARM, reviewer)
    assert sum_taken_chars(Work.objects.all()) == {work: len(places)}
    decide(first, Verdict.FAIR_USE, reviewer)
    assert sum_taken_chars(Work.objects.all()) == {}, "what is no copy takes nothing"
    decide(second, Verdict.CONFIRMED, reviewer)
    assert sum_taken_chars(Work.objects.all()) == {work: len(surroundings) + 1}
    assert sum_taken_chars(Work.objects.exclude(pk=work)) == {}


def test_a_text_that_the_work_has_no_more_is_not_taken_from_it(site: Site, works: MemoryWorkStore) -> None:
    case = found(site, works)
    assert sum_taken_chars(Work.objects.all()) == {case.work_id: case.taken_chars}
    file = WorkFile(case.work.title, "", (ChapterText(1, "第一章", "写过一遍的另一段话"),))
    add_work(site.rights_holder, file, "", works, CollectingOutbox())
    assert sum_taken_chars(Work.objects.all()) == {}


def test_a_licence_takes_the_cases_out_and_its_end_brings_them_back(site: Site, works: MemoryWorkStore) -> None:
    found(site, works)
    matter = Matter.objects.get()
    licence = admin_data.licence(site.rights_holder, domain="pirate.example", valid_from=MOMENT.date() - A_DAY)
    assert counts(matter) == (0, 0, 1)
    licence.delete()
    assert counts(matter) == (1, 0, 0)


def test_a_changed_page_marks_its_confirmed_case(site: Site, works: MemoryWorkStore, reviewer: User) -> None:
    case = found(site, works)
    matter = Matter.objects.get()
    decide(case, Verdict.CONFIRMED, reviewer)
    found(site, works)
    assert marks(matter) == (0, 0), "the same version says nothing new"
    changed = page_version(str(site.pk), url="http://pirate.example/1", text="现在是别的文字", at=MOMENT + A_DAY)
    DjangoCaseRepository(works).open_or_update_cases([outcome(changed)])
    assert marks(matter) == (1, 0)
    found(site, works, at=MOMENT + 2 * A_DAY)
    assert marks(matter) == (0, 0), "the page is again what was decided on"
    DjangoCaseRepository(works).open_or_update_cases([outcome(replace(changed, fetched_at=MOMENT + 3 * A_DAY))])
    assert marks(matter) == (1, 0)
    decide(case, Verdict.CONFIRMED, reviewer)
    assert marks(matter) == (0, 0)


def test_only_a_new_finding_marks_a_dismissed_case(site: Site, works: MemoryWorkStore, reviewer: User) -> None:
    case = found(site, works)
    decide(case, Verdict.FALSE_ALARM, reviewer)
    book = DjangoCaseRepository(works)
    other = page_version(str(site.pk), url="http://pirate.example/1", text="别的文字", at=MOMENT + A_DAY)
    book.open_or_update_cases([outcome(other)])
    assert Case.objects.get().changed_since is None
    found(site, works, text="抄来的字句改了几处", at=MOMENT + 2 * A_DAY)
    assert Case.objects.get().changed_since is not None


def test_a_confirmed_page_that_had_gone_comes_back(site: Site, works: MemoryWorkStore, reviewer: User) -> None:
    case = found(site, works)
    matter = Matter.objects.get()
    look_at(site, case.page)
    assert marks(matter) == (0, 0)
    decide(case, Verdict.CONFIRMED, reviewer)
    PageRecord.objects.update(gone_since=MOMENT)
    look_at(site, case.page)
    assert marks(matter) == (0, 1)
    look_at(site, case.page, gone_since=MOMENT + A_DAY)
    assert marks(matter) == (0, 0), "it has gone once more"
    look_at(site, case.page)
    assert marks(matter) == (0, 1)
    decide(case, Verdict.CONFIRMED, reviewer)
    assert marks(matter) == (0, 0)


def look_at(site: Site, page: PageRecord, gone_since: datetime | None = None) -> None:
    """Let a crawl see the page again, or that it is gone."""
    key = SiteId(str(site.pk))
    visit = Visit(
        address_id(key, page.url), page.url, 1, MOMENT, MOMENT + A_DAY, page_id=PageId(page.pk), gone_since=gone_since
    )
    DjangoVisitRepository().save(key, [visit])


def test_the_lead_is_that_of_the_whole_book_view() -> None:
    holder = admin_data.holder()
    work = book_copies.book(holder, 4, published_from=admin_data.NOW)
    site = admin_data.site(holder)
    book_copies.carry(site, work, 1, {1: range(100), 2: range(60)}, admin_data.NOW - timedelta(hours=5))
    book_copies.carry(site, work, 2, {2: range(40, 100)}, admin_data.NOW + 3 * A_DAY)
    matter = Matter.objects.get()
    refresh_matters([matter.pk])
    matter.refresh_from_db()
    book = whole_book(site.pk, work.pk)
    assert matter.early_chapters == len(book.early_chapters) == 2
    assert matter.lead_s == book.lead.total_seconds()
    assert matter.taken_chars == book.taken_chars == 200
    assert matter.work_share == book.share == 0.5

    Chapter.objects.filter(work=work).update(published_at=None)
    refresh_works([work.pk])
    matter.refresh_from_db()
    assert matter.lead_s is None
    assert matter.early_chapters == 0


def test_reach_is_visits_or_works_found(django_capture_on_commit_callbacks: Callable[..., object]) -> None:
    holder = admin_data.holder()
    site = admin_data.site(holder)
    first = book_copies.book(holder, 1, "一")
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        book_copies.carry(site, first, 1, {1: range(100)}, admin_data.NOW)
    alone = Matter.objects.get(work=first).harm
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        for number, title in enumerate("二三四", 2):
            book_copies.carry(site, book_copies.book(holder, 1, title), number, {1: range(100)}, admin_data.NOW)
    assert Matter.objects.get(work=first).harm > alone, "the other matters of the site learn of it"

    Site.objects.filter(pk=site.pk).update(monthly_visits=10**8)
    among_works = Matter.objects.get(work=first).harm
    rank_site(site.pk)
    assert Matter.objects.get(work=first).harm > among_works


def test_only_its_reviewers_take_a_matter(site: Site, works: MemoryWorkStore, reviewer: User) -> None:
    found(site, works)
    matter = Matter.objects.get()
    stranger = admin_data.user("别家", RightsHolder.objects.create(name="乙"))
    assign_matter(matter, reviewer, reviewer)
    matter.refresh_from_db()
    assert matter.assignee == reviewer
    for refused in (
        lambda: assign_matter(matter, stranger, reviewer),
        lambda: assign_matter(matter, reviewer, stranger),
        lambda: set_awaited_documents(matter, "权属证明", stranger),
        lambda: set_awaited_documents(matter, "字" * (MAX_AWAITED_CHARS + 1), reviewer),
    ):
        with pytest.raises(BadInput):
            refused()
    set_awaited_documents(matter, " 权属证明 ", reviewer)
    assign_matter(matter, None, reviewer)
    matter.refresh_from_db()
    assert matter.assignee is None
    assert matter.awaited == "权属证明"
