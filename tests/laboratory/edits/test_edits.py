"""Every edit keeps exact account of where its characters come from, and does as much as it is told."""

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import BadInput, NotFound
from core.text import TextRange
from fingerprint.readings import code_points
from laboratory.edits.catalogue import EDITS, edited
from laboratory.edits.edited import Edited, Passage, passage_of
from tests.support.corpus_texts import story
from tests.support.examples import examples

STORY = story(5, sentences=40)
SUBSTITUTIONS = ("homophone", "fuzzy-sound", "shape", "random", "traditional-variants", "private-use", "width")
IN_ORDER = ("insertion", "deletion", "spaces", "zero-width", "pinyin-after", "advertisement", "sentence-drop")
MOVING = ("swap", "sentence-shuffle")
PUTTING_IN = ("insertion", "spaces", "zero-width", "pinyin-after", "advertisement")
HOSTILE = (
    "",
    "\n",
    "。",
    "，。！？……——“”",
    "plain ASCII text, no Chinese. 12345!",
    "\ud800\udfff\udc00",
    "天\ud83d地\x00玄\udc00黄",
    "\u200b\ufeff\u2060",
    "\U0001f600\U00020000\U0010ffff\ue000",
    "的" * 300,
    "\n" * 50,
    "”’」天。”",
)
CHARACTERS = st.one_of(
    st.sampled_from("的一是在天地玄黄己已士土後后裏发發，。！？“”\n 　aZ9Ａ９（）\u200b\ue000"),
    st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF),
    st.characters(exclude_categories=()),
)
TEXTS = st.text(CHARACTERS, max_size=80)
STRENGTHS = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1))
NAMES = st.sampled_from(list(EDITS))


def characters(text: str) -> np.ndarray:
    return np.array(code_points(text))


@pytest.mark.parametrize("name", EDITS)
def test_no_strength_changes_nothing_and_hostile_texts_are_edited_without_a_fault(name: str) -> None:
    for text in (*HOSTILE, STORY):
        page = edited(text, [(name, 0.0)], seed=3)
        assert page.text == text
        assert np.array_equal(page.origins, np.arange(len(text)))
        for strength in (0.3, 1.0):
            page = edited(text, [(name, strength)], seed=3)
            assert page.origins.shape == (len(page.text),)


@given(TEXTS, st.sampled_from([*IN_ORDER, *MOVING]), STRENGTHS, st.integers(0, 99))
@examples(300)
def test_what_is_kept_is_the_character_that_stood_at_its_origin(
    text: str, name: str, strength: float, seed: int
) -> None:
    page = edited(text, [(name, strength)], seed)
    kept = page.origins >= 0
    assert np.array_equal(characters(page.text)[kept], characters(text)[page.origins[kept]])
    assert np.unique(page.origins[kept]).size == np.count_nonzero(kept)
    if name in PUTTING_IN:
        assert np.array_equal(page.origins[kept], np.arange(len(text)))
    if name in MOVING:
        assert sorted(page.origins.tolist()) == list(range(len(text)))
    if name in IN_ORDER:
        assert np.all(np.diff(page.origins[kept]) > 0)


@given(TEXTS, st.sampled_from(SUBSTITUTIONS), STRENGTHS, st.integers(0, 99))
@examples(300)
def test_a_substitution_leaves_every_character_in_its_place(text: str, name: str, strength: float, seed: int) -> None:
    page = edited(text, [(name, strength)], seed)
    assert len(page.text) == len(text)
    assert np.array_equal(page.origins, np.arange(len(text)))


@given(TEXTS, st.lists(st.tuples(NAMES, STRENGTHS), max_size=4), st.integers(0, 2**64))
@examples(400)
def test_edits_one_after_the_other_add_up(text: str, recipe: list[tuple[str, float]], seed: int) -> None:
    page = edited(text, recipe, seed)
    assert page.origins.dtype == np.int32
    assert page.origins.shape == (len(page.text),)
    assert np.all((page.origins >= -1) & (page.origins < len(text)))
    again = edited(text, recipe, seed)
    assert again.text == page.text
    assert np.array_equal(again.origins, page.origins)


def test_a_seed_says_what_is_edited_and_another_says_otherwise() -> None:
    for name in EDITS:
        text = STORY + "己已巳，张三。李四。" * 10
        assert len({edited(text, [(name, 0.5)], seed).text for seed in (1, 2, -1, 10**30)}) == 4, name


@pytest.mark.parametrize("name", EDITS)
def test_a_strength_outside_its_bounds_is_refused(name: str) -> None:
    for strength in (-0.1, 1.01, float("nan"), float("inf")):
        with pytest.raises(BadInput, match="must be between 0 and 1"):
            edited("天地玄黄。", [(name, strength)], seed=1)


def test_an_unknown_edit_is_refused_with_the_names_of_all() -> None:
    with pytest.raises(NotFound, match=r"no edit homofone; choose from homophone, fuzzy-sound"):
        edited("天地玄黄。", [("homofone", 0.1)], seed=1)


def test_spans_run_from_the_first_to_the_last_character_that_stands_for_one() -> None:
    page = Edited("广告乙甲丁！", np.array([-1, -1, 1, 0, 3, -1], np.int32))
    taken = Passage("4", TextRange(12, 15), TextRange(100, 104))
    assert passage_of(page, "4", page_start=10, work_start=100) == taken
    assert passage_of(Edited("广告", np.array([-1, -1], np.int32)), "4") is None


# Text and origins at strength .3: pages made today are the pages made tomorrow, on every Python and numpy.
DIGESTS = {
    "homophone": "1bfbe37b5b0d",
    "fuzzy-sound": "f2b943c92c15",
    "shape": "b2aaa69ff882",
    "random": "0fdb07e19e73",
    "insertion": "e8562f8702f0",
    "deletion": "e2a0c1dab62c",
    "swap": "c028fe0dcbf7",
    "script": "b23f782c576b",
    "traditional-variants": "3937cf9ab6fe",
    "pinyin-in-place": "5afac96d7e90",
    "pinyin-after": "14bd895bc1c6",
    "punctuation": "15779c678ab3",
    "width": "8a1327595bab",
    "spaces": "fb2f4c7a1fb6",
    "zero-width": "d385e492fb85",
    "private-use": "1876a3201e46",
    "advertisement": "ffd987d3326f",
    "sentence-shuffle": "d3f5be925050",
    "sentence-drop": "57129aec0515",
}


@pytest.mark.parametrize("name", EDITS)
def test_pages_stay_the_same_from_version_to_version(name: str) -> None:
    text = "天地玄黄，宇宙洪荒。日月盈昃，辰宿列张。寒来暑往，秋收冬藏。这里没有发生过什么！Abc 123" * 5
    page = edited(text, [(name, 0.3)], seed=77)
    digest = hashlib.sha256(page.text.encode() + page.origins.astype("<i4").tobytes()).hexdigest()[:12]
    assert digest == DIGESTS[name]
