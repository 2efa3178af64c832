"""Test what Django's case repository keeps: frozen evidence, verdicts untouched, figures of the newest version."""

from dataclasses import replace
from datetime import timedelta

import pytest

from core.errors import NotFound
from core.ids import FinalUrl, work_text_id
from core.matches import MatchClass
from core.pages import FROM_FEED, Poster
from core.states import CaseState, Verdict
from tests.support.memory_pages import MemoryWorkStore
from tests.support.records import MOMENT, match, outcome, page_version
from tests.webadmin.cases.conftest import COPIED_TEXT
from webadmin.accounts.models import User
from webadmin.cases.models import Case, CaseMatch, VerdictRecord
from webadmin.cases.services.case_repository import DjangoCaseRepository
from webadmin.sites.models import PageRecord, Site
from webadmin.works.models import Chapter, Work

pytestmark = pytest.mark.django_db
A_DAY = timedelta(days=1)


def test_a_case_freezes_both_excerpts_and_every_change(site: Site, works: MemoryWorkStore) -> None:
    version = page_version(str(site.pk), text="抄莱的字，别的话")
    DjangoCaseRepository(works).open_or_update_cases([outcome(version, match(work_text_id(COPIED_TEXT)))])
    kept = CaseMatch.objects.get()
    assert kept.spans[0]["page_excerpt"] == "抄莱的字"
    assert kept.spans[0]["work_excerpt"] == "抄来的字"
    assert kept.spans[0]["changes"] == [["homophone", 1, 2, 1, 2]]
    assert kept.page_text_digest == version.text_digest
    assert kept.obfuscations == [{"kind": "homophone", "count": 1, "example": "字→自"}]


def test_a_case_keeps_the_author_and_the_time_that_its_page_states(site: Site, works: MemoryWorkStore) -> None:
    posters = (Poster("路人", 0), Poster("过客", 1))
    version = page_version(str(site.pk), author="搬运\x00工" * 80, published=MOMENT - A_DAY, posters=posters)
    DjangoCaseRepository(works).open_or_update_cases([outcome(version, match(work_text_id(COPIED_TEXT)))])
    case = Case.objects.get()
    assert (case.page_author, case.page_published_at) == (("搬运\ufffd工" * 80)[:200], MOMENT - A_DAY)
    assert case.page_poster == "路人", "who posted the passages, not who else posted there"
    later = page_version(str(site.pk), text="抄来的字句", at=MOMENT + A_DAY)
    DjangoCaseRepository(works).open_or_update_cases([outcome(later, match(work_text_id(COPIED_TEXT)))])
    case.refresh_from_db()
    assert (case.page_author, case.page_published_at) == ("", None)


def test_a_text_of_a_feed_is_a_case_at_its_entry(site: Site, works: MemoryWorkStore) -> None:
    seen = page_version(str(site.pk), extractor=FROM_FEED)
    seen = replace(seen, final_url=FinalUrl("http://pirate.example/rss.xml"))
    DjangoCaseRepository(works).open_or_update_cases([outcome(seen, match(work_text_id(COPIED_TEXT)))])
    assert Case.objects.get().page_url == seen.requested_url
    assert CaseMatch.objects.get().final_url == seen.requested_url


def test_a_verdict_survives_a_new_version_of_the_page(site: Site, works: MemoryWorkStore) -> None:
    book, text_id = DjangoCaseRepository(works), work_text_id(COPIED_TEXT)
    book.open_or_update_cases([outcome(page_version(str(site.pk)), match(text_id))])
    reviewer = User.objects.create(username="reviewer")
    given = VerdictRecord.objects.create(
        case=Case.objects.get(), verdict=Verdict.FAIR_USE, decided_by=reviewer, decided_at=MOMENT
    )
    Case.objects.update(state=CaseState.DISMISSED, decision=given)
    later = page_version(str(site.pk), text="抄来的文字改了", at=MOMENT + timedelta(days=1))
    book.open_or_update_cases([outcome(later, match(text_id, MatchClass.IDENTICAL))])
    case = Case.objects.get()
    assert (case.state, case.decision) == (CaseState.DISMISSED, given)
    assert case.match_class == MatchClass.IDENTICAL
    assert case.matches.count() == 2, "the evidence of the first version stays"


def test_a_chapter_added_later_raises_the_figures_of_a_case_seen_again(site: Site, works: MemoryWorkStore) -> None:
    book, version = DjangoCaseRepository(works), page_version(str(site.pk))
    book.open_or_update_cases([outcome(version, match(work_text_id(COPIED_TEXT), MatchClass.EXCERPT))])
    Chapter.objects.create(work=Work.objects.get(), number=2, text_id="second", chars=8)
    both = (match(work_text_id(COPIED_TEXT), MatchClass.EXCERPT), match("second", MatchClass.IDENTICAL, chars=6))
    book.open_or_update_cases([outcome(version, *both, at=MOMENT + 2 * A_DAY, seen_at=MOMENT + A_DAY)])
    case = Case.objects.get()
    assert (case.matched_chars, case.match_class) == (10, MatchClass.IDENTICAL)
    assert case.last_seen_at == MOMENT + A_DAY


def test_what_no_database_stores_is_replaced_and_offsets_stay_true(site: Site, works: MemoryWorkStore) -> None:
    version = page_version(str(site.pk), text="抄\x00的\ud800话", title="标\x00题")
    DjangoCaseRepository(works).open_or_update_cases([outcome(version, match(work_text_id(COPIED_TEXT)))])
    assert CaseMatch.objects.get().spans[0]["page_excerpt"] == "抄\ufffd的\ufffd"
    assert PageRecord.objects.get().title == Case.objects.get().page_title == "标\ufffd题"


def test_an_outcome_for_a_site_that_is_gone_names_the_site(works: MemoryWorkStore) -> None:
    with pytest.raises(NotFound, match="there is no site 404"):
        DjangoCaseRepository(works).open_or_update_cases([outcome(page_version("404"))])
