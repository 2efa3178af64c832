"""Characters that changed places near by: which are paired, and what comes of it in a comparison."""

import numpy as np
import pytest

from core.matches import ChangeKind
from matcher.align.changes import drop_duplicated_deletions
from matcher.align.jump_cells import UNALIGNED, AlignmentSide
from matcher.align.transpositions import settle_transpositions
from tests.support.corpus_texts import story
from tests.support.matchers import compared

NONE = UNALIGNED


def make_side(text: str) -> AlignmentSide:
    codes = np.array([ord(character) for character in text])
    return AlignmentSide(codes.astype(np.uint16), codes.astype(np.uint32), np.zeros(codes.size, np.bool_))


def settle(page: str, work: str, aligned: list[int]) -> tuple[int, list[int]]:
    """How many stretches were paired, and the counterpart of each character then."""
    aligned_to = np.array(aligned, np.int32)
    found = settle_transpositions(aligned_to, make_side(page), make_side(work))
    return found, aligned_to.tolist()


@pytest.mark.parametrize(
    ("page", "work", "aligned", "expected"),
    [
        pytest.param("abdcef", "abcdef", [0, 1, NONE, 2, 4, 5], [0, 1, 3, 2, 4, 5], id="two"),
        pytest.param("abecdf", "abcdef", [0, 1, NONE, 2, 3, 5], [0, 1, 4, 2, 3, 5], id="three"),
        pytest.param("abdcef", "abcdef", [0, 1, 2, 3, 4, 5], [0, 1, 3, 2, 4, 5], id="two that stand for each other"),
        pytest.param("abccdee", "abcecde", [0, 1, 2, NONE, 5, 6, NONE], [0, 1, 2, 4, 5, 3, 6], id="a character twice"),
        pytest.param(
            "ab12345cd", "ab51234cd", [0, 1, NONE, *range(3, 7), 7, 8], [0, 1, 3, 4, 5, 6, 2, 7, 8], id="five"
        ),
    ],
)
def test_characters_in_another_order_are_given_each_other(
    page: str, work: str, aligned: list[int], expected: list[int]
) -> None:
    assert settle(page, work, aligned) == (1, expected)


@pytest.mark.parametrize(
    ("page", "work", "aligned", "expected"),
    [
        pytest.param(
            "acbedgfh", "abcdefgh", [0, NONE, 1, 2, 3, 4, 5, 7], (3, [0, 2, 1, 4, 3, 6, 5, 7]), id="three in a row"
        ),
        pytest.param("acbdfeg", "abcdefg", [0, NONE, 1, 2, 3, 4, 6], (2, [0, 2, 1, 3, 5, 4, 6]), id="one between"),
        pytest.param("acbdxeg", "abcdefg", [0, NONE, 1, 2, 3, 4, 6], (1, [0, 2, 1, 3, NONE, 4, 6]), id="one, replaced"),
    ],
)
def test_what_only_stands_beside_another_on_the_wrong_way_is_taken_from_it(
    page: str, work: str, aligned: list[int], expected: tuple[int, list[int]]
) -> None:
    """Where neighbours changed places, one token farther on every second character is the same, too."""
    assert settle(page, work, aligned) == expected


@pytest.mark.parametrize(
    ("page", "work", "aligned"),
    [
        pytest.param("abxdef", "abcdef", [0, 1, 2, 3, 4, 5], id="another character"),
        pytest.param("abddef", "abcdef", [0, 1, NONE, 3, 4, 5], id="one twice and another never"),
        pytest.param("dcab", "cdab", [NONE, 0, 2, 3], id="at the very beginning, behind no counterpart"),
        pytest.param("abdcef", "abcdeffgchd", [0, 1, 10, 2, 4, 5], id="one that has its counterpart elsewhere"),
        pytest.param("abcdef", "abcdef", [0, 1, 2, 3, 4, 5], id="nothing changed"),
    ],
)
def test_what_is_no_transposition_stays_as_it_was(page: str, work: str, aligned: list[int]) -> None:
    assert settle(page, work, aligned) == (0, aligned)


def with_swapped_neighbours(text: str, every: int) -> str:
    characters = list(text)
    for place in range(every, len(characters) - 2, every):
        pair = characters[place : place + 2]
        if all("一" <= character <= "鿿" for character in pair) and pair[0] != pair[1]:
            characters[place : place + 2] = pair[::-1]
    return "".join(characters)


@pytest.mark.parametrize("every", [5, 9, 20])
def test_swapped_neighbours_are_shown_as_moved_and_as_nothing_else(every: int) -> None:
    work = story(3)[:600]
    page = with_swapped_neighbours(work, every)
    found = compared(page, work)
    assert found.changes.size == 0
    swapped = sum(a != b for a, b in zip(page, work, strict=True)) / 2
    # A pair that touches another one, or looks like one over a mark, may be told as one stretch.
    assert found.transposed == pytest.approx(swapped, rel=0.1)
    assert found.changed_tokens == found.transposed
    assert found.displaced == 0
    assert len(found.moved) >= found.transposed


def test_what_one_passage_lacks_and_another_has_leaves_the_transposed_ones_counted() -> None:
    work = story(3)[:400]
    page = with_swapped_neighbours(work[:200], 15)
    here = compared(page[:60] + page[100:], work[:200])
    other = compared(work[60:100], work[:200])
    assert here.changes_of_kind(ChangeKind.DELETED).size
    first, _ = drop_duplicated_deletions([here, other])
    assert not first.changes_of_kind(ChangeKind.DELETED).size
    assert first.changed_tokens == first.transposed == here.transposed > 0
