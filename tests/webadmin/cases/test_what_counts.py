"""Test what people leave out and overrule on pages that are compared: figures, states, later comparisons."""

import pytest

from core.errors import BadInput
from core.states import CaseState, Rejection
from core.taken import Places
from tests.support import admin_data
from tests.support.corpus_texts import story, with_homophones
from tests.support.desk_chain import DeskChain
from tests.support.refusals import refused
from webadmin.cases.models import Case, CaseMatch, ExcludedPassage, Exclusion, Overruling, TakenText
from webadmin.cases.services import ignoring, overruling, passages
from webadmin.cases.services.taken import taken_by_work

pytestmark = pytest.mark.django_db
CHAPTER, OTHER = story(3), story(4)
ADVERT = "请收藏本站新网址免费阅读最新章节"
OTHERS_TEXT = story(90, 8)


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> DeskChain:
    return DeskChain(monkeypatch, CHAPTER, OTHER)


def figures(case: Case) -> tuple[float, float, int, int]:
    case.refresh_from_db()
    return case.similarity, case.page_containment, case.taken_chars, case.matched_chars


def excluded(desk: DeskChain, text: str, reason: str = "quotation") -> ExcludedPassage:
    match = CaseMatch.objects.filter(case=desk.case, version_id=desk.case.version_id).first()
    assert match is not None
    return passages.exclude_passages(match, [text], desk.reviewer, reason=reason)[0]


# passages


def test_a_passage_that_is_left_out_counts_no_more_and_its_evidence_stays(desk: DeskChain) -> None:
    desk.compare(CHAPTER)
    before, frozen = figures(desk.case), CaseMatch.objects.values().get()
    excluded(desk, CHAPTER[: len(CHAPTER) // 2])
    after = figures(desk.case)
    assert after[2] == pytest.approx(before[2] / 2, rel=0.05)
    assert after[1] == pytest.approx(before[1] / 2, rel=0.05)
    assert after[0] == before[0] == 1.0
    assert taken_by_work(Case.objects.all())[desk.work.pk] == after[2]
    assert CaseMatch.objects.values().get() == frozen


def test_taking_it_back_gives_every_figure_back(desk: DeskChain) -> None:
    desk.compare(with_homophones(CHAPTER, 0.2) + OTHERS_TEXT)
    before = figures(desk.case)
    passage = excluded(desk, CHAPTER[100:900])
    assert figures(desk.case)[2:] < before[2:]
    passages.withdraw_exclusion(passage, desk.reviewer)
    assert figures(desk.case) == before
    assert not TakenText.objects.exclude(left_out=b"").exists()
    refused("already withdrawn", passages.withdraw_exclusion, passage, desk.reviewer)
    excluded(desk, CHAPTER[100:900])
    assert figures(desk.case)[2:] < before[2:]
    refused("already", excluded, desk, CHAPTER[100:900])


def test_other_line_ends_and_another_order_of_the_page_shift_no_passage(desk: DeskChain) -> None:
    copied, cut = with_homophones(CHAPTER, 0.1), CHAPTER.index("。", len(CHAPTER) // 2) + 1
    desk.compare((copied[cut:] + copied[:cut]).replace("。", "。\n\n　　"))
    for start in range(60, len(CHAPTER) - 120, 400):
        passage = excluded(desk, copied[start : start + 90].replace("。", "。\n\n　　"))
        assert passage.text.strip("，。") == CHAPTER[start : start + 90].strip("，。")


def test_a_case_of_which_nothing_is_left_is_set_aside_and_says_so(desk: DeskChain) -> None:
    version = desk.compare(CHAPTER)
    passage = excluded(desk, CHAPTER)
    case = desk.case
    assert (case.state, case.allowed_as, case.taken_chars) == (CaseState.SET_ASIDE, Rejection.NOTHING_LEFT, 0)
    record = case.rights_records.get()
    assert (record.cause, record.entered_by) == ("passages", desk.reviewer)
    desk.compare(OTHERS_TEXT + CHAPTER)
    assert desk.case.state == CaseState.SET_ASIDE, "the next comparison keeps it so"
    assert desk.case.version_id != version
    passages.withdraw_exclusion(passage, desk.reviewer)
    assert (desk.case.state, desk.case.allowed_as) == (CaseState.OPEN, "")


def test_a_chapter_is_left_out_whole_and_the_other_one_stays(desk: DeskChain) -> None:
    desk.compare(CHAPTER + OTHER)
    first = CaseMatch.objects.get(text_id=desk.text_ids[0])
    before = figures(desk.case)
    passages.exclude_chapter(first, desk.reviewer, reason="public_domain")
    assert figures(desk.case)[2] == pytest.approx(before[2] / 2, rel=0.1)
    assert len(Places.unpack(TakenText.objects.get(text_id=desk.text_ids[0]).places)) == 0


def test_what_is_no_passage_is_refused_with_a_sentence(desk: DeskChain) -> None:
    desk.compare(CHAPTER)
    for text, reason, sentence in (
        ("字", "quotation", "at least 4 readable characters"),
        ("这段文字哪里都没有出现过", "quotation", "neither in the work nor"),
        (CHAPTER[:40], "nothing", "choose a reason"),
        (CHAPTER[:40], "other", "give a reason"),
        ("字" * (passages.MAX_PASSAGE_CHARS + 1), "quotation", "longer than"),
    ):
        refused(sentence, excluded, desk, text, reason)
    assert not ExcludedPassage.objects.exists()


def test_another_holders_reviewer_leaves_out_nothing(desk: DeskChain) -> None:
    desk.compare(CHAPTER)
    passage, stranger = excluded(desk, CHAPTER[:40]), admin_data.user("zhao", admin_data.holder("别家"))
    refused("no role", passages.withdraw_exclusion, passage, stranger)
    with pytest.raises(BadInput, match="no role"):
        passages.exclude_passages(CaseMatch.objects.get(), [CHAPTER[50:90]], stranger, reason="quotation")
    refused("no role", passages.exclude_chapter, CaseMatch.objects.get(), stranger, reason="quotation")
    assert ExcludedPassage.objects.get().withdrawn_at is None


@pytest.mark.parametrize("gone", ["work", "page", "work_text_digest", "page_text_digest"])
def test_without_a_text_nothing_is_counted_anew(desk: DeskChain, monkeypatch: pytest.MonkeyPatch, gone: str) -> None:
    desk.compare(CHAPTER)
    passage, before = excluded(desk, CHAPTER[:40]), figures(desk.case)
    if gone == "page":
        monkeypatch.setattr(desk.ports.pages, "version", lambda key: None)
    elif gone == "work":
        monkeypatch.setattr(desk.ports.works, "text", lambda key: None)
    else:
        CaseMatch.objects.update(**{gone: "0" * 64})
    refused("no longer stored", excluded, desk, CHAPTER[100:140])
    refused("no longer stored", passages.withdraw_exclusion, passage, desk.reviewer)
    assert figures(desk.case) == before
    assert ExcludedPassage.objects.get().withdrawn_at is None


def test_a_passage_with_text_mixed_in_is_found_in_the_work(desk: DeskChain) -> None:
    """As the page has it, with an advertisement in it, and behind a sentence that the page lacks."""
    copied = CHAPTER[:150] + ADVERT + CHAPTER[150:400] + CHAPTER[460:900]
    desk.compare(copied)
    assert excluded(desk, CHAPTER[140:150] + ADVERT + CHAPTER[150:190]).text == CHAPTER[140:190]
    assert excluded(desk, copied[-200:-150]).text == copied[-200:-150]


def test_what_never_counts_for_one_rights_holder_counts_for_another(desk: DeskChain) -> None:
    desk.compare(CHAPTER)
    before = figures(desk.case)
    other = admin_data.holder("别家")
    manager = admin_data.user("qian", other, "manager")
    ignoring.ignore_everywhere(other, CHAPTER[:600], manager, reason="notice")
    desk.again(desk.compare(OTHERS_TEXT + CHAPTER))
    assert figures(desk.case)[2:] == before[2:]


# exclusions that are overruled


def quoted(desk: DeskChain) -> str:
    """A page with a short quotation."""
    return desk.compare(story(91, 30) + "书中说：“" + CHAPTER[40:75] + "”" + story(92, 30))


def test_an_overruled_exclusion_is_a_case(desk: DeskChain, django_capture_on_commit_callbacks: object) -> None:
    version = quoted(desk)
    assert (desk.exclusion.reason, Case.objects.count()) == (Rejection.QUOTATION, 0)
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        overruling.overrule_exclusion(desk.exclusion, desk.reviewer, "是照搬")
    assert desk.outbox.sent, "the comparison is asked for at once"
    refused("already overruled", overruling.overrule_exclusion, desk.exclusion, desk.reviewer, "是照搬")
    assert Overruling.objects.count() == 1
    desk.again()
    assert not Exclusion.objects.exists()
    assert (desk.case.state, desk.case.matches.count()) == (CaseState.OPEN, 1)
    assert desk.case.version_id == version
    desk.compare(story(93, 30) + "书中说：“" + CHAPTER[40:75] + "”" + story(92, 30))
    assert desk.case.state == CaseState.OPEN
    assert not Exclusion.objects.exists(), "it is left out for this reason never again"


def test_an_overruled_licence_leaves_a_case_until_another(desk: DeskChain) -> None:
    licence = admin_data.licence(desk.holder, domain="luoxia.example.net")
    version = desk.compare(CHAPTER)
    assert desk.exclusion.reason == Rejection.LICENSED
    overruling.overrule_exclusion(desk.exclusion, desk.reviewer, "授权不含本章")
    desk.again(version)
    assert desk.case.state == CaseState.OPEN
    licence.save()  # every change of a right rules again
    assert desk.case.state == CaseState.OPEN
    licence.number = "HT-2026-099"
    licence.save()
    assert desk.case.state == CaseState.SET_ASIDE, "another contract is another reason"


# noise of a site


def with_adverts(text: str) -> str:
    return "".join(text[start : start + 150] + ADVERT for start in range(0, len(text), 150))


def test_noise_that_was_marked_counts_neither_here_nor_on_other_pages_of_the_site(desk: DeskChain) -> None:
    desk.compare(with_adverts(CHAPTER))
    case = desk.case
    before = figures(case)
    assert before[0] < 0.97
    ignored = ignoring.mark_noise(case, f"【{ADVERT}】", desk.reviewer)
    after = figures(case)
    assert after[0] > 0.99
    assert (after[2], case.state) == (before[2], CaseState.OPEN)
    assert (ignored.site, ignored.page_url) == (desk.site, case.page_url)
    desk.compare(with_adverts(OTHER), "https://luoxia.example.net/2.html")
    assert Case.objects.get(page__url__endswith="2.html").similarity > 0.99
    desk.site = admin_data.site(desk.holder, "云笺阁", "yunjian.example.net")
    desk.compare(with_adverts(OTHER), "https://yunjian.example.net/3.html")
    assert Case.objects.get(page__url__endswith="3.html").similarity < 0.97, "of another site"


def test_noise_that_is_taken_back_counts_from_the_next_comparison_on(desk: DeskChain) -> None:
    version = desk.compare(with_adverts(CHAPTER))
    before = figures(desk.case)
    ignored = ignoring.mark_noise(desk.case, ADVERT, desk.reviewer)
    desk.again(version)
    ignoring.withdraw_ignored_text(ignored, desk.reviewer)
    desk.again(version)
    assert figures(desk.case) == before


# texts that count on no site


def test_what_a_text_would_change_is_foreseen_and_then_so(desk: DeskChain) -> None:
    desk.compare(CHAPTER)
    desk.compare(OTHER, "https://luoxia.example.net/2.html")
    foreseen = ignoring.preview_effect(desk.holder, CHAPTER[:600])
    (loss,) = foreseen.losses
    assert (loss.case.page.url[-6:], foreseen.looked_at, foreseen.is_cut) == ("1.html", 2, False)
    ignoring.ignore_everywhere(desk.holder, CHAPTER[:600], desk.manager, reason="notice")
    case = Case.objects.get(page__url__endswith="1.html")
    assert case.taken_chars == loss.after < loss.before
    assert figures(Case.objects.get(page__url__endswith="2.html"))[0] == 1.0


def test_a_finding_of_ignored_text_is_left_out_until_it_counts(desk: DeskChain) -> None:
    notice = CHAPTER[:600]
    ignored, _ = ignoring.ignore_everywhere(desk.holder, notice, desk.manager, reason="notice")
    version = desk.compare(notice)
    assert (desk.exclusion.reason, Case.objects.count()) == (Rejection.NOTHING_LEFT, 0)
    ignoring.withdraw_ignored_text(ignored, desk.manager)
    desk.again(version)
    assert desk.case.taken_chars > 400
    assert not Exclusion.objects.exists()


def test_a_finding_of_an_ignored_text_is_overruled_for_one_page(desk: DeskChain) -> None:
    ignoring.ignore_everywhere(desk.holder, CHAPTER[:600], desk.manager, reason="notice")
    version = desk.compare(CHAPTER[:600])
    made = overruling.overrule_exclusion(desk.exclusion, desk.reviewer, "此页确系抄袭")
    desk.again(version)
    whole = desk.case.taken_chars
    assert (desk.case.state, whole > 400) == (CaseState.OPEN, True)
    excluded(desk, CHAPTER[:300])
    assert 0.4 * whole < desk.case.taken_chars < 0.6 * whole, "what a reviewer left out stays so"
    assert desk.case.state == CaseState.OPEN
    overruling.withdraw_overruling(made, desk.reviewer)
    assert (desk.case.state, desk.case.taken_chars) == (CaseState.SET_ASIDE, 0)
