"""A work beside a site: which chapters stand there, since when against the official time, what is missing or merged."""

from datetime import UTC, datetime, timedelta

import pytest

from core.states import CaseState
from tests.support import admin_data
from tests.support.book_copies import CHARS, book, carry, found_in
from webadmin.accounts.models import RightsHolder
from webadmin.review.services.whole_book import CopyExtent, whole_book
from webadmin.sites.models import PageRecord, Site
from webadmin.works.models import Chapter, Work

pytestmark = pytest.mark.django_db
BEGUN = datetime(2026, 3, 1, 4, 0, tzinfo=UTC)  # chapter 1; the others a day apart
WHOLE = range(CHARS)


@pytest.fixture
def owner() -> RightsHolder:
    return admin_data.holder()


@pytest.fixture
def site(owner: RightsHolder) -> Site:
    return admin_data.site(owner)


@pytest.fixture
def work(owner: RightsHolder) -> Work:
    return book(owner, 6, published_from=BEGUN)


def official(chapter: int) -> datetime:
    return BEGUN + timedelta(days=chapter - 1)


def test_nothing_that_was_found_is_a_book_of_missing_chapters(site: Site, work: Work) -> None:
    shown = whole_book(site.pk, work.pk)
    assert [each.number for each in shown.chapters if not each.taken_chars] == [1, 2, 3, 4, 5, 6]
    assert (shown.share, shown.lead, shown.gaps, shown.pages) == (0.0, None, [], ())
    assert {each.extent for each in shown.chapters} == {CopyExtent.NONE}


def test_each_character_of_a_chapter_counts_once_however_many_pages_have_it(site: Site, work: Work) -> None:
    carry(site, work, 1, {1: WHOLE}, official(1))
    carry(site, work, 2, {1: range(20, 60), 2: range(50)}, official(2))
    shown = whole_book(site.pk, work.pk)
    first, second = shown.chapters[:2]
    assert (first.share, first.extent, second.share, second.extent) == (1.0, CopyExtent.FULL, 0.5, CopyExtent.PART)
    assert [each.share for each in first.pages] == [1.0, 0.4]
    assert shown.share == 150 / 600
    assert [each.number for each in shown.copied_chapters] == [1, 2]


def test_the_clock_runs_from_the_first_sight_to_the_official_time(site: Site, work: Work) -> None:
    carry(site, work, 1, {1: WHOLE}, official(1) + timedelta(days=2))
    carry(site, work, 2, {2: WHOLE}, official(2) - timedelta(hours=3))
    carry(site, work, 3, {2: WHOLE}, official(2) - timedelta(hours=1))
    Chapter.objects.filter(work=work, number=3).update(published_at=None)
    carry(site, work, 4, {3: WHOLE}, official(3))
    carry(site, work, 5, {4: WHOLE}, official(4))
    shown = whole_book(site.pk, work.pk)
    leads = [each.lead for each in shown.chapters]
    assert leads == [timedelta(days=-2), timedelta(hours=3), None, timedelta(0), None, None]
    assert [each.number for each in shown.early_chapters] == [2]
    assert shown.lead == timedelta(hours=3)
    assert shown.chapters[2].first_seen == official(3)


def test_a_chapter_appeared_with_the_version_that_has_it_not_with_its_page(site: Site, work: Work) -> None:
    """A page of the catalogue, or with a foretaste, stands there long before the chapter does."""
    case = carry(site, work, 1, {2: WHOLE}, official(2) + timedelta(hours=5))
    page = PageRecord.objects.get(pk=case.page_id)
    found_in(case, page, "a" * 40, {1: range(90)}, official(2) - timedelta(days=9))
    found_in(case, page, "b" * 40, {2: range(20)}, official(2) - timedelta(days=3))
    assert whole_book(site.pk, work.pk).chapters[1].lead == timedelta(hours=-5)
    found_in(case, page, "c" * 40, {2: range(90)}, official(2) - timedelta(days=1))
    assert whole_book(site.pk, work.pk).chapters[1].lead == timedelta(days=1)


def test_what_pages_state_of_themselves_stands_beside_what_was_seen(site: Site, work: Work) -> None:
    stated = official(1) - timedelta(days=30)
    carry(site, work, 1, {1: WHOLE}, official(1), page_published_at=stated)
    carry(site, work, 2, {1: WHOLE}, official(1))
    (chapter, *_) = whole_book(site.pk, work.pk).chapters
    assert (chapter.stated_publication, chapter.lead) == (stated, timedelta(0))


def test_several_chapters_on_a_page_and_a_chapter_over_several_pages(site: Site, work: Work) -> None:
    merged = carry(site, work, 1, {1: WHOLE, 2: range(80), 6: range(10)}, official(2))
    carry(site, work, 2, {3: range(50)}, official(3))
    carry(site, work, 3, {3: range(50, 95)}, official(3))
    carry(site, work, 4, {4: WHOLE}, official(4))
    shown = whole_book(site.pk, work.pk)
    (page,) = shown.merged_pages
    assert (page.case_id, page.carries) == (merged.pk, (1, 2))
    assert [each.number for each in shown.chapters if each.is_merged] == [1, 2]
    assert [each.number for each in shown.chapters if each.is_spread] == [3]
    assert (shown.chapters[2].share, shown.chapters[2].extent) == (0.95, CopyExtent.FULL)


def test_only_copies_on_this_site_of_this_work_count(owner: RightsHolder, site: Site, work: Work) -> None:
    elsewhere, other = admin_data.site(owner, "另一站", "other.example.net"), book(owner, 2, "另一本")
    carry(elsewhere, work, 1, {1: WHOLE}, official(1))
    carry(site, other, 2, {1: WHOLE}, official(1))
    carry(site, work, 3, {2: WHOLE}, official(2), state=CaseState.DISMISSED)
    carry(site, work, 4, {3: WHOLE}, official(3), state=CaseState.SET_ASIDE)
    carry(site, work, 5, {4: WHOLE}, official(4), state=CaseState.CONFIRMED)
    shown = whole_book(site.pk, work.pk)
    assert [each.number for each in shown.copied_chapters] == [4]
    assert shown.uncounted_cases == 2


def test_a_long_book_costs_no_more_queries(owner: RightsHolder, site: Site, django_assert_max_num_queries) -> None:
    long = book(owner, 60, "长卷")
    for number in range(1, 41):
        carry(site, long, number, {number: WHOLE}, official(1))
    with django_assert_max_num_queries(9):
        assert len(whole_book(site.pk, long.pk).copied_chapters) == 40
