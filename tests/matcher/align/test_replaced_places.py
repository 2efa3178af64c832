"""Test which of two characters of the work a replaced one stands for, where the other was left out."""

import numpy as np
import pytest

from core.matches import ChangeKind
from matcher.align.changes import CHANGE_KINDS
from matcher.align.jump_cells import UNALIGNED, AlignmentSide
from matcher.align.passage_kernel import settle_replaced
from matcher.align.token_agreement import NearTokens
from matcher.align.tokenized_text import TokenizedText
from tests.support.matchers import compared, sides_of

NONE = UNALIGNED


def settle(page: str, work: str, aligned: list[int]) -> tuple[int, list[int]]:
    """Letters that differ by their case alone are near: they are one token."""

    def make_side(text: str) -> AlignmentSide:
        tokens = np.array([ord(character.lower()) for character in text], np.uint16)
        return AlignmentSide(tokens, np.array(list(map(ord, text)), np.uint32), np.zeros(len(text), np.bool_))

    aligned_to = np.array(aligned, np.int32)
    near = NearTokens(np.zeros(len(page), np.int32), np.zeros((1, 4), np.uint64))
    return settle_replaced(aligned_to, make_side(page), near, make_side(work)), aligned_to.tolist()


@pytest.mark.parametrize(
    ("page", "work", "aligned", "expected"),
    [
        pytest.param("abDe", "abcde", [0, 1, 2, 4], (1, [0, 1, 3, 4]), id="near, behind"),
        pytest.param("abCe", "abcde", [0, 1, 3, 4], (1, [0, 1, 2, 4]), id="near, before"),
        pytest.param("abde", "abcde", [0, 1, 2, 4], (1, [0, 1, 3, 4]), id="the same"),
        pytest.param("abce", "abCcde", [0, 1, 2, 5], (1, [0, 1, 3, 5]), id="the same rather than a near one"),
        pytest.param("abCe", "abCde", [0, 1, 2, 4], (0, [0, 1, 2, 4]), id="where it should be"),
        pytest.param("abxe", "abcde", [0, 1, 2, 4], (0, [0, 1, 2, 4]), id="like neither"),
        pytest.param("abdf", "abcxydf", [0, 1, 2, 6], (0, [0, 1, 2, 6]), id="too far away"),
        pytest.param("abDd", "abcd", [0, 1, 2, 3], (0, [0, 1, 2, 3]), id="not free"),
        pytest.param("abD", "abcd", [0, 1, 2], (0, [0, 1, 2]), id="behind all that has a counterpart"),
    ],
)
def test_a_replaced_token_stands_beside_the_likest(
    page: str, work: str, aligned: list[int], expected: tuple[int, list[int]]
) -> None:
    assert settle(page, work, aligned) == expected


FIRST = "王富跪在地下连连磕头，说道奴才实在不敢撒谎。"
SECOND = "大少爷这才把茶碗放下，叫人把他带到后面的小屋里去。"
THIRD = "外头的雨下得正紧，檐前的水流成了一道帘子。"
LAST = "那天夜里谁也没有睡着，只听见更夫在巷口敲梆子。"


def test_a_homophone_behind_a_character_left_out_is_shown_beside_its_own() -> None:
    work, page = FIRST + SECOND + THIRD + LAST, FIRST.replace("撒谎", "慌") + THIRD + SECOND + LAST
    sides = sides_of(page, work)
    shown = [
        (CHANGE_KINDS[kind], _show_changes(sides[0], start, end), _show_changes(sides[1], first, last))
        for kind, start, end, first, last in compared(page, work).changes.tolist()
    ]
    assert shown == [(ChangeKind.DELETED, "", "撒"), (ChangeKind.HOMOPHONE, "慌", "谎")]


def _show_changes(text: TokenizedText, start: int, end: int) -> str:
    place = text.text_range(start, end)
    return text.text[place.start : place.end]
