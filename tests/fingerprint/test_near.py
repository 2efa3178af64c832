import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import BrokenInvariant
from fingerprint.near import (
    ALTERNATIVES_WIDTH,
    NEAR_2026,
    SHAPE_ALTERNATIVES_WIDTH,
    NearTable,
)
from fingerprint.readings import READINGS_2026, code_points
from fingerprint.syllables_2026 import SYLLABLES
from tests.support.fingerprint_definition import alternatives, are_alike, are_homophones, shape_alternatives

HOSTILE = st.text(st.sampled_from("行航长常还環着著住乾前9九，a \ue000\ud800") | st.characters(exclude_categories=[]))
ALIKE = ["己已巳", "士土", "未末", "日曰", "戌戍", "人入", "大太犬", "天夭"]
ALIKE += ["清情", "官宫", "荼茶"]


def list_near_sounds(character: str) -> list[str]:
    return [SYLLABLES[token] for token in alternatives(code_points(character))[0] if token]


def homophones(first: str, second: str) -> list[bool]:
    return are_homophones(code_points(first), code_points(second)).tolist()


def test_other_readings_of_a_character_are_its_alternatives() -> None:
    assert "hang" in list_near_sounds("行")
    assert "chang" in list_near_sounds("长")
    assert list_near_sounds("長") == list_near_sounds("长")
    assert list_near_sounds("，") == list_near_sounds("a") == []


def test_polyphones_are_homophones_when_any_reading_agrees() -> None:
    assert homophones("行行长長著", "航走常常住") == [True, False, True, True, True]


def test_every_character_with_a_reading_has_a_row_but_some_rare_ones() -> None:
    has_reading, has_row = READINGS_2026.syllables > 0, NEAR_2026.rows > 0
    assert not (has_row & ~has_reading).any()
    without = [chr(code) for code in np.flatnonzero(has_reading & ~has_row).tolist()]
    assert len(without) == 529
    assert not [each for each in without if each.encode("gb2312", "ignore")]


@given(HOSTILE)
def test_alternatives_repeat_neither_the_token_nor_one_another_by_sound_or_shape(text: str) -> None:
    codes = code_points(text)
    by_sound, by_shape = alternatives(codes), shape_alternatives(codes)
    assert by_sound.shape == (codes.size, ALTERNATIVES_WIDTH)
    assert by_shape.shape == (codes.size, SHAPE_ALTERNATIVES_WIDTH)
    assert by_sound.dtype == by_shape.dtype == np.uint16
    for code, *rows in zip(codes.tolist(), by_sound.tolist(), by_shape.tolist(), strict=True):
        named = [[token for token in row if token] for row in rows]
        assert [row[: len(each)] for row, each in zip(rows, named, strict=True)] == named
        every = [int(READINGS_2026.syllables[code]), *named[0], *named[1]]
        assert len(set(every)) == len(every)
        assert max(every) < len(SYLLABLES)


@pytest.mark.parametrize("group", ALIKE)
def test_characters_of_like_shape_are_alike(group: str) -> None:
    for first in group:
        for second in group:
            pair = code_points(first), code_points(second)
            assert are_alike(*pair).tolist() == [first != second]


def test_a_character_has_the_tokens_of_what_looks_like_it() -> None:
    near = [SYLLABLES[token] for token in shape_alternatives(code_points("未"))[0]]
    assert "mo" in near  # 末
    assert (shape_alternatives(code_points("為")) == shape_alternatives(code_points("为"))).all()


def test_a_table_that_is_not_there_says_what_to_do(tmp_path) -> None:
    with pytest.raises(BrokenInvariant, match="reinstall the product"):
        alternatives(code_points("行"), NearTable(tmp_path / "near.bin", READINGS_2026))
