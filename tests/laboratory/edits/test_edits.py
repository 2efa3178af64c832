"""Every edit keeps exact account of where its characters come from, and does as much as it is told."""

import hashlib
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import BadInput, NotFound
from core.text import TextRange
from fingerprint.readings import SYLLABLES, code_points, syllable_ids
from laboratory.edits.catalogue import COMBINATIONS, EDITS, edited
from laboratory.edits.edited import Edited, Passage, passage_of
from laboratory.edits.material import Material, default_material
from laboratory.edits.sentences import sentence_ends
from laboratory.edits.sounds import common_characters, taken_for
from tests.support.corpus_texts import story
from tests.support.examples import examples

STORY = story(5, sentences=40)
SUBSTITUTIONS = ("homophone", "fuzzy-sound", "shape", "random", "traditional-variants", "private-use", "width")
HAN_SUBSTITUTIONS = ("homophone", "random", "private-use")
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


def han_count(text: str) -> int:
    return int(np.count_nonzero(is_han(text)))


def is_han(text: str) -> np.ndarray:
    return np.array(
        [
            syllable > 0 and "\u4e00" <= character <= "\u9fff"
            for character, syllable in zip(text, syllable_ids(text), strict=True)
        ],
        bool,
    )


def changed(page: Edited, text: str) -> np.ndarray:
    return characters(page.text) != characters(text)


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


@given(TEXTS, NAMES, NAMES, STRENGTHS, st.integers(0, 99))
@examples(200)
def test_the_origins_of_two_edits_are_those_of_the_second_looked_up_in_the_first(
    text: str, name: str, then: str, strength: float, seed: int
) -> None:
    first = edited(text, [(name, strength)], seed)
    material = default_material()
    alone = EDITS[then](Edited.of(first.text), strength, random.Random(seed), material)
    both = EDITS[then](first, strength, random.Random(seed), material)
    assert both.text == alone.text
    looked_up = [-1 if origin < 0 else first.origins[origin] for origin in alone.origins.tolist()]
    assert both.origins.tolist() == looked_up


@pytest.mark.parametrize("strength", [0.05, 0.3, 0.77])
@pytest.mark.parametrize("name", [name for name in HAN_SUBSTITUTIONS if name != "private-use"])
def test_a_substitution_changes_exactly_its_share_of_the_han_characters(name: str, strength: float) -> None:
    page = edited(STORY, [(name, strength)], seed=11)
    assert abs(np.count_nonzero(changed(page, STORY)) - strength * han_count(STORY)) <= 1
    assert not np.any(changed(page, STORY) & ~is_han(STORY))


def test_private_use_hides_all_occurrences_of_a_character_by_one_code_point() -> None:
    page = edited(STORY, [("private-use", 0.4)], seed=11)
    pairs = Counter(zip(STORY, page.text, strict=True))
    assert max(Counter(original for original, _ in pairs).values()) == 1
    assert max(Counter(shown for _, shown in pairs).values()) == 1
    hidden = sum(count for (_, shown), count in pairs.items() if "\ue000" <= shown <= "\uf8ff")
    assert abs(hidden - 0.4 * han_count(STORY)) <= Counter(STORY).most_common(1)[0][1]


@pytest.mark.parametrize("name", HAN_SUBSTITUTIONS)
def test_full_strength_changes_nearly_every_han_character(name: str) -> None:
    page = edited(STORY, [(name, 1.0)], seed=11)
    assert np.count_nonzero(changed(page, STORY)) > 0.97 * han_count(STORY)


@pytest.mark.parametrize("name", ["fuzzy-sound", "shape", "traditional-variants", "width"])
def test_full_strength_changes_every_character_that_has_another(name: str) -> None:
    text = "张山牛奶己已发裏，９a（今后)" * 20
    page = edited(text, [(name, 1.0)], seed=11)
    once_more = edited(text, [(name, 1.0)], seed=12)
    assert np.array_equal(changed(page, text), changed(once_more, text))
    assert np.count_nonzero(changed(page, text)) > 0.2 * len(text)


def test_homophones_sound_alike_and_are_mostly_common() -> None:
    page = edited(STORY, [("homophone", 1.0)], seed=11)
    assert np.array_equal(syllable_ids(page.text), syllable_ids(STORY))
    written = characters(page.text)[changed(page, STORY)]
    assert np.isin(written, common_characters()).mean() > 0.7


def test_fuzzy_sounds_are_one_initial_or_final_apart() -> None:
    page = edited(STORY, [("fuzzy-sound", 1.0)], seed=11)
    others = taken_for()
    pairs = {
        (SYLLABLES[one], SYLLABLES[two]) for one, two in zip(syllable_ids(STORY), syllable_ids(page.text), strict=True)
    }
    assert all(two in others[one] for one, two in pairs if one != two)
    assert {("shi", "si"), ("san", "shan")} & pairs
    assert "fang" in others["huang"]
    assert "lan" in others["nan"]
    assert "min" in others["ming"]


def test_traditional_text_gets_traditional_characters() -> None:
    text = edited(STORY, [("script", 1.0)], seed=1).text
    page = edited(text, [("homophone", 0.5), ("random", 0.2), ("insertion", 0.2)], seed=2)
    put_in = {
        shown for shown, origin in zip(page.text, page.origins, strict=True) if origin < 0 or shown != text[origin]
    }
    assert len(put_in) > 200
    assert not put_in & set("这说们时对发学会国过还没门车马鸟鱼贝见风")
    assert page.text != text


def test_random_characters_are_common_ones_or_the_text_s_own() -> None:
    text = "魑魅魍魉，" * 200
    page = edited(text, [("random", 1.0)], seed=4)
    written = characters(page.text)[is_han(text)]
    own = np.isin(written, characters("魑魅魍魉"))
    assert 0.3 < own.mean() < 0.5
    assert np.isin(written[~own], common_characters()).all()


@pytest.mark.parametrize(("name", "longer"), [("insertion", 1), ("spaces", 1), ("zero-width", 1), ("deletion", -1)])
@pytest.mark.parametrize("strength", [0.1, 0.5, 1.0])
def test_insertions_and_deletions_count_by_han_characters(name: str, longer: int, strength: float) -> None:
    page = edited(STORY, [(name, strength)], seed=9)
    assert abs((len(page.text) - len(STORY)) - longer * strength * han_count(STORY)) <= 1


def test_every_letter_of_pinyin_stands_for_its_character() -> None:
    page = edited("天地，玄黄", [("pinyin-in-place", 1.0)], seed=1)
    assert page.text == "tiandi，xuanhuang"
    assert page.origins.tolist() == [0] * 4 + [1] * 2 + [2] + [3] * 4 + [4] * 5


def test_pinyin_behind_a_character_is_put_in_in_brackets_of_one_kind() -> None:
    pages = [edited("天地，玄黄", [("pinyin-after", 1.0)], seed) for seed in range(30)]
    assert {page.text for page in pages} >= {
        "天(tian)地(di)，玄(xuan)黄(huang)",
        "天（tian）地（di），玄（xuan）黄（huang）",
    }
    assert pages[0].origins[:8].tolist() == [0, -1, -1, -1, -1, -1, -1, 1]


def test_swapped_neighbours_keep_their_origins() -> None:
    page = edited("天地玄黄。宇", [("swap", 1.0)], seed=1)
    assert page.text == "地天黄玄。宇"
    assert page.origins.tolist() == [1, 0, 3, 2, 4, 5]
    assert edited("的的的的", [("swap", 1.0)], seed=1).text == "的的的的"


def test_sentences_end_behind_their_quotes_and_line_ends() -> None:
    text = "他说：“走吧！”然后走了。\n（真的……）还有"
    ends = sentence_ends(code_points(text)).tolist()
    assert [text[start:end] for start, end in zip([0, *ends], ends, strict=False)] == [
        "他说：“走吧！”",
        "然后走了。\n",
        "（真的……）",
        "还有",
    ]


def test_a_full_shuffle_moves_every_sentence_and_keeps_each_whole() -> None:
    text = "".join(f"第{number}句。" for number in "一二三四五六七八九十")
    page = edited(text, [("sentence-shuffle", 1.0)], seed=5)
    before, after = text.split("。")[:-1], page.text.split("。")[:-1]
    assert sorted(before) == sorted(after)
    assert all(one != other for one, other in zip(before, after, strict=True))


def test_dropped_sentences_are_a_share_of_them() -> None:
    page = edited(STORY, [("sentence-drop", 0.25)], seed=5)
    assert page.text.count("。") == 30
    assert edited(STORY, [("sentence-drop", 1.0)], seed=5).text == ""


def test_advertisements_stand_between_sentences_only() -> None:
    slogans = default_material().slogans
    assert len(set(slogans)) == 40
    page = edited("一句。\n两句！三句", [("advertisement", 1.0)], seed=5)
    rest, kept = page.text, page.origins >= 0
    for slogan in slogans:
        rest = rest.replace(slogan, "|")
    assert rest == "一句。\n|\n两句！|三句|"
    assert "".join(np.array(list(page.text))[kept]) == "一句。\n两句！三句"


def test_the_script_is_turned_to_the_one_the_text_is_not_in() -> None:
    simplified, traditional = "这里没有发生过什么。", "這裡沒有發生過什麼。"
    for seed in range(12):
        assert edited(simplified, [("script", 1.0)], seed).text[0] == "這"
        assert edited(traditional, [("script", 1.0)], seed).text == simplified


def test_half_of_the_sentences_are_converted_at_half_strength() -> None:
    page = edited("这里没有发生过什么。" * 40, [("script", 0.5)], seed=2)
    assert page.text.count("這") == page.text.count("过") == 20


def test_words_that_are_longer_in_the_other_script_stand_for_their_word() -> None:
    pages = [edited("用互联网看吧。打印机坏了。\ud800", [("script", 1.0)], seed) for seed in range(40)]
    longer = next(page for page in pages if "網際網路" in page.text)
    assert longer.text == "用網際網路看吧。印表機壞了。\ud800".replace("\ud800", longer.text[-1])
    assert longer.origins[0] == 0
    assert set(longer.origins[1:5].tolist()) <= {1, 2, 3}
    assert longer.origins[5:9].tolist() == [4, 5, 6, 8] or longer.origins[5:8].tolist() == [4, 5, 6]
    assert np.all(np.diff(longer.origins) >= 0)
    assert longer.origins[-1] == 13


def test_punctuation_is_changed_dropped_and_added_and_no_word_touched() -> None:
    page = edited(STORY, [("punctuation", 1.0)], seed=3)
    kept = page.origins >= 0
    assert "".join(character for character, han in zip(page.text, is_han(page.text), strict=True) if han) == "".join(
        character for character, han in zip(STORY, is_han(STORY), strict=True) if han
    )
    marks = np.flatnonzero(~is_han(STORY))
    left = np.intersect1d(page.origins[kept], marks)
    assert 0.35 * marks.size < left.size < 0.65 * marks.size
    assert not np.any(characters(page.text)[np.isin(page.origins, left)] == characters(STORY)[left])
    assert np.count_nonzero(~kept) == pytest.approx(han_count(STORY) / 14, abs=1)


def test_width_goes_both_ways_and_back() -> None:
    page = edited("Ab1 你，好。（ａ）", [("width", 1.0)], seed=3)
    assert page.text == "Ａｂ１　你,好｡(a)"
    assert edited(page.text, [("width", 1.0)], seed=3).text == "Ab1 你，好。（ａ）"


@pytest.mark.parametrize("name", ["homophone", "random", "deletion", "insertion", "punctuation", "sentence-drop"])
def test_what_is_edited_at_a_low_strength_is_edited_at_a_high_one_too(name: str) -> None:
    low, high = (edited(STORY, [(name, strength)], seed=6) for strength in (0.1, 0.4))
    if name in HAN_SUBSTITUTIONS:
        assert not np.any(changed(low, STORY) & ~changed(high, STORY))
    else:
        untouched = set(high.origins.tolist())
        assert untouched <= set(low.origins.tolist()) | {-1}


def test_short_texts_get_their_share_on_average() -> None:
    edits = [
        np.count_nonzero(changed(edited("天地玄黄", [("homophone", 0.1)], seed), "天地玄黄")) for seed in range(400)
    ]
    assert set(edits) == {0, 1}
    assert np.mean(edits) == pytest.approx(0.4, abs=0.1)


def test_a_seed_says_what_is_edited_and_another_says_otherwise() -> None:
    for name in EDITS:
        text = STORY + "己已巳，张三。李四。" * 10
        assert len({edited(text, [(name, 0.5)], seed).text for seed in (1, 2, -1, 10**30)}) == 4, name


def test_a_change_of_one_strength_leaves_the_choices_of_the_other_edits_alone() -> None:
    one = edited(STORY, [("width", 0.0), ("homophone", 0.3)], seed=8)
    other = edited(STORY, [("width", 1.0), ("homophone", 0.3)], seed=8)
    assert np.array_equal(one.codes[is_han(STORY)], other.codes[is_han(STORY)])


@pytest.mark.parametrize("name", EDITS)
def test_a_strength_outside_its_bounds_is_refused(name: str) -> None:
    for strength in (-0.1, 1.01, float("nan"), float("inf")):
        with pytest.raises(BadInput, match="must be between 0 and 1"):
            edited("天地玄黄。", [(name, strength)], seed=1)


def test_an_unknown_edit_is_refused_with_the_names_of_all() -> None:
    with pytest.raises(NotFound, match=r"no edit homofone; choose from homophone, fuzzy-sound"):
        edited("天地玄黄。", [("homofone", 0.1)], seed=1)


def test_the_combinations_rise() -> None:
    kept = []
    for name in ("combo1", "combo2", "combo3"):
        page = edited(STORY, COMBINATIONS[name], seed=2)
        standing = page.origins >= 0
        same = np.count_nonzero(characters(page.text)[standing] == characters(STORY)[page.origins[standing]])
        kept.append(same / len(STORY))
    assert kept[0] > kept[1] > kept[2] > 0.3


def test_spans_run_from_the_first_to_the_last_character_that_stands_for_one() -> None:
    page = Edited("广告乙甲丁！", np.array([-1, -1, 1, 0, 3, -1], np.int32))
    taken = Passage("4", TextRange(12, 15), TextRange(100, 104))
    assert passage_of(page, "4", page_start=10, work_start=100) == taken
    assert passage_of(Edited("广告", np.array([-1, -1], np.int32)), "4") is None


def test_origins_of_another_length_or_type_are_refused() -> None:
    with pytest.raises(ValueError, match="do not go with"):
        Edited("天地", np.arange(3, dtype=np.int32))
    with pytest.raises(ValueError, match="do not go with"):
        Edited("天地", np.arange(2))


def test_material_of_the_product_needs_no_file() -> None:
    material = Material()
    assert "己" in material.shapes.candidates("已")
    assert "見" in material.shapes.candidates("貝")
    assert "後" in material.variants.candidates("后")
    assert "他" not in material.homophones.candidates("他")
    assert material.common.size == 3755


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
