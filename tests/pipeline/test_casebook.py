"""What Django's case book keeps: frozen evidence, verdicts untouched, figures of the newest version."""

from dataclasses import replace
from datetime import date, datetime, time, timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from core.errors import NotFound
from core.ids import FinalUrl, work_text_id
from core.matches import MatchClass
from core.pages import FROM_FEED
from core.states import CaseState, Rejection, Verdict
from pagestore.memory import MemoryWorkStore
from tests.support.records import MOMENT, match, outcome, page_of, page_version
from webadmin.casebook import DjangoCaseBook, seen_again
from webadmin.models import (
    Case,
    CaseMatch,
    Chapter,
    Licence,
    PageCheck,
    PageRecord,
    RightsHolder,
    Site,
    Work,
)

pytestmark = pytest.mark.django_db
WORK_TEXT = "抄来的字句原本如此"
A_DAY = timedelta(days=1)


@pytest.fixture
def works() -> MemoryWorkStore:
    store = MemoryWorkStore()
    store.put_text(WORK_TEXT)
    return store


@pytest.fixture
def site() -> Site:
    holder = RightsHolder.objects.create(name="甲")
    work = Work.objects.create(rights_holder=holder, title="河")
    Chapter.objects.create(work=work, number=1, title="第一章", text_id=work_text_id(WORK_TEXT), chars=len(WORK_TEXT))
    return Site.objects.create(rights_holder=holder, name="盗版站", start_urls="http://pirate.example/")


def test_a_case_freezes_both_excerpts_and_every_change(site: Site, works: MemoryWorkStore) -> None:
    version = page_version(str(site.pk), text="抄莱的字，别的话")
    DjangoCaseBook(works).record(outcome(version, match(work_text_id(WORK_TEXT))))
    kept = CaseMatch.objects.get()
    assert kept.spans[0]["page_excerpt"] == "抄莱的字"
    assert kept.spans[0]["work_excerpt"] == "抄来的字"
    assert kept.spans[0]["changes"] == [["homophone", 1, 2, 1, 2]]
    assert kept.page_text_digest == version.text_digest
    assert kept.disguises == [{"kind": "homophone", "count": 1, "example": "字→自"}]


def test_a_text_that_stood_in_a_feed_is_a_case_at_its_entry_and_not_at_the_feed(
    site: Site, works: MemoryWorkStore
) -> None:
    seen = page_version(str(site.pk), extractor=FROM_FEED)
    seen = replace(seen, final_url=FinalUrl("http://pirate.example/rss.xml"))
    DjangoCaseBook(works).record(outcome(seen, match(work_text_id(WORK_TEXT))))
    assert Case.objects.get().page_url == seen.requested_url
    assert CaseMatch.objects.get().final_url == seen.requested_url


def test_a_verdict_survives_a_new_version_of_the_page(site: Site, works: MemoryWorkStore) -> None:
    book, text_id = DjangoCaseBook(works), work_text_id(WORK_TEXT)
    book.record(outcome(page_version(str(site.pk)), match(text_id)))
    reviewer = User.objects.create(username="reviewer")
    Case.objects.update(state=CaseState.DISMISSED, verdict=Verdict.QUOTATION, decided_by=reviewer, decided_at=MOMENT)
    later = page_version(str(site.pk), text="抄来的文字改了", at=MOMENT + timedelta(days=1))
    book.record(outcome(later, match(text_id, MatchClass.IDENTICAL)))
    case = Case.objects.get()
    assert (case.state, case.verdict, case.decided_by) == (CaseState.DISMISSED, Verdict.QUOTATION, reviewer)
    assert case.match_class == MatchClass.IDENTICAL
    assert case.matches.count() == 2, "the evidence of the first version stays"


def test_an_older_version_that_comes_late_does_not_turn_the_page_back(site: Site, works: MemoryWorkStore) -> None:
    book, text_id = DjangoCaseBook(works), work_text_id(WORK_TEXT)
    newer = page_version(str(site.pk), text="新的", at=MOMENT + A_DAY)
    book.record(outcome(newer, match(text_id, MatchClass.EXCERPT)))
    older = page_version(str(site.pk), text="旧的")
    book.record(outcome(older, match(text_id, MatchClass.IDENTICAL), is_current=False))
    assert PageRecord.objects.get().version_id == newer.id
    assert Case.objects.get().match_class == MatchClass.EXCERPT
    assert CaseMatch.objects.count() == 2, "its evidence is kept all the same"


def test_a_page_seen_again_unchanged_moves_only_last_seen(site: Site, works: MemoryWorkStore) -> None:
    version = page_version(str(site.pk))
    DjangoCaseBook(works).record(outcome(version, match(work_text_id(WORK_TEXT))))
    assert seen_again([(version.page_id, version.id)], MOMENT + 3 * A_DAY) == []
    assert PageRecord.objects.get().last_seen == MOMENT + 3 * A_DAY
    assert Case.objects.get().last_seen_at == MOMENT + 3 * A_DAY
    assert CaseMatch.objects.get().fetched_at == MOMENT


def test_a_copy_that_was_taken_down_is_not_last_seen_today(site: Site, works: MemoryWorkStore) -> None:
    book = DjangoCaseBook(works)
    book.record(outcome(page_version(str(site.pk)), match(work_text_id(WORK_TEXT))))
    cleaned = page_version(str(site.pk), text="此页已删除", at=MOMENT + A_DAY)
    book.record(outcome(cleaned, at=MOMENT + A_DAY))
    seen_again([(cleaned.page_id, cleaned.id)], MOMENT + 300 * A_DAY)
    assert PageRecord.objects.get().last_seen == MOMENT + 300 * A_DAY
    assert Case.objects.get().last_seen_at == MOMENT


def test_a_page_that_shows_its_old_copy_again_has_to_be_recorded_anew(site: Site, works: MemoryWorkStore) -> None:
    book, text_id = DjangoCaseBook(works), work_text_id(WORK_TEXT)
    copy = page_version(str(site.pk))
    book.record(outcome(copy, match(text_id)))
    book.record(outcome(page_version(str(site.pk), text="此页已删除", at=MOMENT + A_DAY), at=MOMENT + A_DAY))
    assert PageRecord.objects.get().rejection == Rejection.NO_MATCH
    back = MOMENT + 2 * A_DAY
    assert seen_again([(copy.page_id, copy.id)], back) == [copy.id]
    book.record(outcome(copy, match(text_id), at=back, seen_at=back))
    assert (PageRecord.objects.get().version_id, PageRecord.objects.get().rejection) == (copy.id, "")
    assert Case.objects.get().last_seen_at == back


def test_a_chapter_added_later_raises_the_figures_of_a_case_seen_again(site: Site, works: MemoryWorkStore) -> None:
    book, version = DjangoCaseBook(works), page_version(str(site.pk))
    book.record(outcome(version, match(work_text_id(WORK_TEXT), MatchClass.EXCERPT)))
    seen_again([(version.page_id, version.id)], MOMENT + A_DAY)
    Chapter.objects.create(work=Work.objects.get(), number=2, text_id="second", chars=8)
    both = (match(work_text_id(WORK_TEXT), MatchClass.EXCERPT), match("second", MatchClass.IDENTICAL, chars=6))
    book.record(outcome(version, *both, at=MOMENT + 2 * A_DAY, seen_at=MOMENT + A_DAY))
    case = Case.objects.get()
    assert (case.matched_chars, case.match_class) == (10, MatchClass.IDENTICAL)
    assert case.last_seen_at == MOMENT + A_DAY


def test_a_text_that_stands_twice_in_a_work_counts_once(site: Site, works: MemoryWorkStore) -> None:
    text_id = work_text_id(WORK_TEXT)
    Chapter.objects.create(work=Work.objects.get(), number=2, text_id=text_id, chars=len(WORK_TEXT))
    DjangoCaseBook(works).record(outcome(page_version(str(site.pk)), match(text_id)))
    case = Case.objects.get()
    assert case.matched_chars == 4
    assert case.page_containment == pytest.approx(0.8)
    assert case.disguises[0]["count"] == 1
    assert PageCheck.objects.get().match_count == 1


def test_a_change_of_rights_owes_every_page_another_look(site: Site, works: MemoryWorkStore) -> None:
    book, version = DjangoCaseBook(works), page_version(str(site.pk))
    book.record(outcome(version, match(work_text_id(WORK_TEXT)), at=timezone.now()))
    assert book.owed([page_of(version)], 1) == set()
    licence = Licence.objects.create(
        rights_holder=site.rights_holder, licensee="书城", domain="b.example", valid_from=date(2020, 1, 1)
    )
    assert book.owed([page_of(version)], 1) == {version.id}
    book.record(outcome(version, match(work_text_id(WORK_TEXT)), at=timezone.now()))
    assert book.owed([page_of(version)], 1) == set()
    licence.delete()
    assert book.owed([page_of(version)], 1) == {version.id}


def test_the_end_of_a_licence_owes_every_page_another_look(site: Site, works: MemoryWorkStore) -> None:
    book, version = DjangoCaseBook(works), page_version(str(site.pk))
    today = timezone.localdate()
    Licence.objects.create(
        rights_holder=site.rights_holder, licensee="书城", domain="b.example",
        valid_from=today - timedelta(days=30), valid_until=today - timedelta(days=1),
    )  # fmt: skip
    RightsHolder.objects.update(changed_at=None)
    midnight = datetime.combine(today, time(), tzinfo=timezone.get_default_timezone())
    book.record(outcome(version, at=midnight - timedelta(hours=1)))
    assert book.owed([page_of(version)], 1) == {version.id}
    book.record(outcome(version, at=midnight + timedelta(seconds=1)))
    assert book.owed([page_of(version)], 1) == set()


def test_what_no_database_stores_is_replaced_and_offsets_stay_true(site: Site, works: MemoryWorkStore) -> None:
    version = page_version(str(site.pk), text="抄\x00的\ud800话", title="标\x00题")
    DjangoCaseBook(works).record(outcome(version, match(work_text_id(WORK_TEXT))))
    assert CaseMatch.objects.get().spans[0]["page_excerpt"] == "抄\ufffd的\ufffd"
    assert PageRecord.objects.get().title == Case.objects.get().page_title == "标\ufffd题"


def test_an_outcome_for_a_site_that_is_gone_names_the_site(works: MemoryWorkStore) -> None:
    with pytest.raises(NotFound, match="there is no site 404"):
        DjangoCaseBook(works).record(outcome(page_version("404")))
