"""A shuffled page, as the matcher finds it, beside its work in a real browser."""

import pytest
from playwright.sync_api import expect

from core.ids import WorkTextId
from core.marks import RawPlaces
from core.matches import ChangeKind
from fingerprint.fingerprinting import fingerprint_text
from matcher.corpus import MemoryCorpus, WorkEntry
from matcher.index.memory import MemoryIndex
from matcher.matching import Matcher
from tests.support import browser, case_texts
from tests.support.admin_data import World
from tests.support.corpus_texts import story, with_homophones
from webadmin.cases.models import Case, CaseMatch
from webadmin.cases.services.findings import frozen_span

pytestmark = pytest.mark.django_db(transaction=True)
CASES = 2

WORK = story(5, 20)
SENTENCES = [sentence + "。" for sentence in WORK.split("。") if sentence]
ORDER = [0, 3, 1, 2, 4]
PAGE = with_homophones("".join("".join(SENTENCES[4 * number : 4 * number + 4]) for number in ORDER), 0.02)


@pytest.fixture
def shuffled_case(world: World, monkeypatch: pytest.MonkeyPatch) -> Case:
    """A case whose page has the pieces of its work in another order, with the passages that the matcher finds."""
    case = world.ours.cases[0]
    index, corpus = MemoryIndex(), MemoryCorpus()
    corpus[WorkTextId("work")] = WorkEntry(WORK, fingerprint_text(WORK))
    index.add(WorkTextId("work"), corpus[WorkTextId("work")].fingerprint)
    (match,) = Matcher(index, corpus).match(PAGE, fingerprint_text(PAGE))
    spans = [frozen_span(span, PAGE, WORK, RawPlaces((), len(PAGE))) for span in match.spans]
    CaseMatch.objects.filter(case=case).update(spans=spans)
    case_texts.use(monkeypatch).keep_case(case, PAGE, WORK)
    return case


def test_signs_of_moved_pieces_lead_to_each_other(opened: browser.Opened, world: World, shuffled_case: Case) -> None:
    reviewer = opened(world.ours.reviewer)
    reviewer.go(f"/admin/cases/case/{shuffled_case.pk}/change/")
    page = reviewer.page
    moved = str(ChangeKind.MOVED)
    on_page, in_work = (page.locator(f'[data-side="{side}"] .zw-{moved}') for side in ("page", "work"))
    expect(on_page).to_have_count(1)
    expect(in_work).to_have_count(1)
    assert "moved" in str(on_page.first.get_attribute("title"))
    sign = "(element) => getComputedStyle(element, '::before').content"
    assert on_page.first.evaluate(sign) == in_work.first.evaluate(sign) == '"↷"'
    on_page.first.click()
    key = on_page.first.get_attribute("data-changes")
    linked = page.locator(".zw-change.is-linked")
    expect(linked).to_have_count(2)
    assert linked.evaluate_all("(signs) => signs.map((sign) => sign.dataset.changes)") == [key, key]
    assert "".join(page.locator('[data-side="page"] .zw-passage').all_text_contents()) in PAGE
    expect(page.locator(".zw-legend")).to_contain_text("moved")
    assert not reviewer.complaints
