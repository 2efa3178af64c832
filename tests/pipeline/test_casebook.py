"""What Django's case book keeps: frozen evidence, verdicts untouched, figures of the newest version."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from core.errors import NotFound
from core.ids import work_text_id
from core.matches import MatchClass
from core.states import CaseState, Verdict
from pagestore.memory import MemoryWorkStore
from tests.support.records import MOMENT, match, outcome, page_version
from webadmin.casebook import DjangoCaseBook, pages_seen_again
from webadmin.models import Case, CaseMatch, Chapter, PageRecord, RightsHolder, Site, Work

pytestmark = pytest.mark.django_db
WORK_TEXT = "抄来的字句原本如此"


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
    newer = page_version(str(site.pk), text="新的", at=MOMENT + timedelta(days=1))
    book.record(outcome(newer, match(text_id, MatchClass.EXCERPT)))
    book.record(outcome(page_version(str(site.pk), text="旧的"), match(text_id, MatchClass.IDENTICAL)))
    assert PageRecord.objects.get().version_id == newer.id
    assert Case.objects.get().match_class == MatchClass.EXCERPT


def test_a_page_seen_again_unchanged_moves_only_last_seen(site: Site, works: MemoryWorkStore) -> None:
    version = page_version(str(site.pk))
    DjangoCaseBook(works).record(outcome(version, match(work_text_id(WORK_TEXT))))
    again = MOMENT + timedelta(days=3)
    pages_seen_again([version.page_id], again)
    assert PageRecord.objects.get().last_seen == again
    assert Case.objects.get().last_seen_at == again
    assert CaseMatch.objects.get().fetched_at == MOMENT


def test_an_outcome_for_a_site_that_is_gone_names_the_site(works: MemoryWorkStore) -> None:
    with pytest.raises(NotFound, match="there is no site 404"):
        DjangoCaseBook(works).record(outcome(page_version("404")))
