"""Test what sentences of the same wording, or with other numbers, count for."""

import numpy as np
import pytest

from matcher.reworded.alignment import Alignment, UnitPair
from matcher.reworded.other_words import OTHER_NUMBERS, SentenceSide, keep_other_words

PAGE = ("清早她挑水上山，", "路上遇见打柴的老人。", "全县二〇一〇年有人口三百二十五万人。")
OTHER_WORDS = ("天蒙蒙亮，女孩担着两只桶往坡上走，", "半道碰到一位樵夫。", "本市共六百四十三万居民。")


def side(*sentences: str) -> SentenceSide:
    ends = np.cumsum([len(each) for each in sentences])
    return SentenceSide("".join(sentences), np.stack([ends - [len(each) for each in sentences], ends], axis=1))


def count_other_words(page: SentenceSide, work: SentenceSide, *pairs: tuple[int, int, float]) -> Alignment:
    return keep_other_words(Alignment(40.0, tuple(UnitPair(*pair) for pair in pairs)), page, work)


def test_what_is_told_in_other_words_counts_in_full() -> None:
    found = count_other_words(side(*PAGE), side(*OTHER_WORDS), (0, 0, 0.5), (1, 1, 0.25))
    assert found == Alignment(40.0, (UnitPair(0, 0, 0.5), UnitPair(1, 1, 0.25)))


@pytest.mark.parametrize("same", [PAGE[1], "路上，遇見打柴的老人！", "从前他在路上遇见打柴的老人，没有说话。"])
def test_the_same_words_count_for_nothing_in_either_script_nor_as_a_part(same: str) -> None:
    found = count_other_words(side(*PAGE), side(OTHER_WORDS[0], same), (0, 0, 0.25), (1, 1, 0.75))
    assert found == Alignment(10.0, (UnitPair(0, 0, 0.25), UnitPair(1, 1, 0.0)))
    turned = count_other_words(side(OTHER_WORDS[0], same), side(*PAGE), (0, 0, 0.25), (1, 1, 0.75))
    assert turned == found


def test_the_same_words_that_were_given_to_a_neighbour_count_for_nothing() -> None:
    assert count_other_words(side(*PAGE), side(*PAGE), (0, 1, 0.5), (1, 0, 0.5)).score == 0.0
    before, after = side(PAGE[0], OTHER_WORDS[1]), side(OTHER_WORDS[0], PAGE[1])
    assert count_other_words(side(*PAGE), before, (0, 1, 0.5)).score == 0.0, (
        "the work's sentence before is the page's own"
    )
    assert count_other_words(side(*PAGE), after, (1, 0, 0.5)).score == 0.0, "the one behind it"
    assert count_other_words(before, side(*PAGE), (1, 0, 0.5)).score == 0.0
    assert count_other_words(after, side(*PAGE), (0, 1, 0.5)).score == 0.0
    assert count_other_words(side(*PAGE, *OTHER_WORDS[:2]), side(*OTHER_WORDS[:2], *PAGE), (0, 4, 0.5)).score == 40.0


def test_other_numbers_count_by_half_however_they_are_written() -> None:
    page = side(PAGE[2])
    assert count_other_words(page, side("本市共六百四十三万居民。"), (0, 0, 1.0)).score == 40.0 * OTHER_NUMBERS
    assert count_other_words(page, side("到2010年，居民已逾六百四十三万。"), (0, 0, 1.0)).score == 40.0
    assert count_other_words(page, side("那一歲戶籍簿上寫着三百二十五萬這個數目。"), (0, 0, 1.0)).score == 40.0
    assert count_other_words(page, side("那时城里住着325万人。"), (0, 0, 1.0)).score == 40.0
    assert count_other_words(page, side("本市的居民可真不少。"), (0, 0, 1.0)).score == 40.0
    assert count_other_words(side("他又买了两只鸡。"), side("家里添了三只鸭子。"), (0, 0, 1.0)).score == 40.0


def test_a_number_that_stands_in_the_next_sentence_is_no_other() -> None:
    page = side("全县有三百二十五万人，", "二〇一〇年数过一回。")
    parted = side("2010年查过户口，", "共得325万。")
    assert (
        count_other_words(page, parted, (0, 0, 1.0)).score == count_other_words(parted, page, (0, 0, 1.0)).score == 40.0
    )
    assert count_other_words(page, side("2011年查过户口，", "共得326万。"), (0, 0, 1.0)).score == 20.0


def test_where_nothing_is_alike_nothing_is_counted() -> None:
    assert count_other_words(side(*PAGE), side(*OTHER_WORDS)) == Alignment(0.0, ())
