"""Made pages say exactly what they took, in offsets of the page and of the work."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import BadInput
from fingerprint.readings import code_points
from laboratory.edits.catalogue import COMBINATIONS
from laboratory.edits.edited import TruthSpan
from laboratory.edits.passages import MadePage, chapter, excerpt, patchwork
from laboratory.edits.sentences import sentence_ends
from tests.support.corpus_texts import story

WORKS = [story(seed, sentences=30) for seed in (1, 2, 3)]
CARRIER = story(9, sentences=25)
NO_EDITS: list[tuple[str, float]] = []


def page_side(page: MadePage, span: TruthSpan) -> str:
    return page.text[span.page_start : span.page_end]


def without_passages(page: MadePage) -> str:
    text, position = "", 0
    for span in page.truth:
        text += page.text[position : span.page_start]
        position = span.page_end
    return text + page.text[position:]


@given(st.integers(0, 9999), st.integers(1, 500))
@settings(max_examples=60, deadline=None)
def test_an_unedited_excerpt_is_the_passage_in_the_carrier(seed: int, length: int) -> None:
    page = excerpt(WORKS[0], length, CARRIER, Random(seed), NO_EDITS)
    (span,) = page.truth
    assert page_side(page, span) == WORKS[0][span.work_start : span.work_end]
    assert (span.work, span.work_end - span.work_start) == (0, length)
    assert without_passages(page) == CARRIER


def test_an_excerpt_stands_behind_a_sentence_of_the_carrier() -> None:
    ends = set(sentence_ends(code_points(CARRIER)).tolist())
    starts = {excerpt(WORKS[0], 60, CARRIER, Random(seed), NO_EDITS).truth[0].page_start for seed in range(60)}
    assert starts <= ends
    assert len(starts) > 15


def test_an_excerpt_begins_anywhere_with_a_han_character() -> None:
    spans = [excerpt(WORKS[0], 40, CARRIER, Random(seed), NO_EDITS).truth[0] for seed in range(200)]
    sides = [WORKS[0][span.work_start : span.work_end] for span in spans]
    assert all(side[0] not in "，。" and side[-1] not in "，。" for side in sides)
    before = [WORKS[0][span.work_start - 1] for span in spans if span.work_start]
    assert sum(character not in "，。" for character in before) > 100
    assert len({span.work_start for span in spans}) > 150


@given(
    st.integers(0, 9999),
    st.sampled_from(["deletion", "insertion", "advertisement", "sentence-drop", "sentence-shuffle", "swap"]),
    st.floats(0, 1),
)
@settings(max_examples=120, deadline=None)
def test_the_truth_of_an_edited_excerpt_holds_its_characters(seed: int, name: str, strength: float) -> None:
    page = excerpt(WORKS[0], 150, CARRIER, Random(seed), [(name, strength)])
    plain = excerpt(WORKS[0], 150, CARRIER, Random(seed), NO_EDITS).truth[0]
    for span in page.truth:
        assert plain.work_start <= span.work_start < span.work_end <= plain.work_end
        work_side = WORKS[0][span.work_start : span.work_end]
        assert page_side(page, span)[0] in work_side
        assert page_side(page, span)[-1] in work_side
        assert CARRIER.startswith(page.text[: plain.page_start])
    if not page.truth:
        assert page.text == CARRIER


@given(st.integers(0, 9999), st.sampled_from([CARRIER, None, "", "只有一句。"]))
@settings(max_examples=60, deadline=None)
def test_a_patchwork_takes_of_every_work_what_its_truth_says(seed: int, carrier: str | None) -> None:
    page = patchwork(WORKS, [50, 120, 200], carrier, Random(seed), NO_EDITS)
    assert [span.work for span in page.truth] == [0, 1, 2]
    assert [span.work_end - span.work_start for span in page.truth] == [50, 120, 200]
    assert all(page_side(page, span) == WORKS[span.work][span.work_start : span.work_end] for span in page.truth)
    assert all(one.page_end <= other.page_start for one, other in zip(page.truth, page.truth[1:], strict=False))
    assert without_passages(page) == ("\n\n" if carrier is None else carrier)


def test_passages_stand_apart_while_the_carrier_has_sentences() -> None:
    for seed in range(30):
        page = patchwork(WORKS, [50, 50, 50], CARRIER, Random(seed), NO_EDITS)
        assert all(one.page_end < other.page_start for one, other in zip(page.truth, page.truth[1:], strict=False))


def test_a_chapter_is_counted_in_offsets_of_the_work() -> None:
    page = chapter(WORKS[0], Random(1), NO_EDITS, start=100, end=400)
    assert page == MadePage(WORKS[0][100:400], (TruthSpan(0, 0, 300, 100, 400),))
    last = chapter(WORKS[0], Random(1), NO_EDITS, start=-50)
    assert last.truth == (TruthSpan(0, 0, 50, len(WORKS[0]) - 50, len(WORKS[0])),)
    whole = chapter(WORKS[0], Random(1), [("homophone", 0.3)])
    assert whole.truth == (TruthSpan(0, 0, len(WORKS[0]), 0, len(WORKS[0])),)


@pytest.mark.parametrize("name", COMBINATIONS)
def test_what_is_put_in_at_the_ends_is_no_part_of_the_truth(name: str) -> None:
    for seed in range(20):
        page = chapter(WORKS[1], Random(seed), [*COMBINATIONS[name], ("advertisement", 1.0)])
        (span,) = page.truth
        assert span.page_end < len(page.text)
        assert span.page_start == 0


def test_nothing_is_taken_where_nothing_is_left() -> None:
    assert chapter(WORKS[0], Random(1), [("sentence-drop", 1.0)]) == MadePage("", ())
    assert excerpt("", 30, CARRIER, Random(1), NO_EDITS) == MadePage(CARRIER, ())
    assert patchwork([], [], None, Random(1), NO_EDITS) == MadePage("", ())


@pytest.mark.parametrize("work", ["天地玄黄", "\ud800", "。" * 20, "no Chinese at all"])
def test_short_and_strange_works_give_pages(work: str) -> None:
    page = excerpt(work, 10, "", Random(1), NO_EDITS)
    assert page.text == work[page.truth[0].work_start : page.truth[0].work_end]
    assert len(page.text) == min(10, len(work))


def test_a_seed_makes_one_page() -> None:
    pages = [patchwork(WORKS, [50, 60, 70], CARRIER, Random(seed), COMBINATIONS["combo3"]) for seed in (1, 1, 2)]
    assert pages[0] == pages[1] != pages[2]


def test_lengths_that_cannot_be_are_refused() -> None:
    with pytest.raises(BadInput, match="at least one character, not 0"):
        excerpt(WORKS[0], 0, CARRIER, Random(1), NO_EDITS)
    with pytest.raises(BadInput, match="3 works need as many lengths, not 1"):
        patchwork(WORKS, [10], CARRIER, Random(1), NO_EDITS)
