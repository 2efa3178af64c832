"""Sentences that stand on both sides and were left over, or given another place."""

import numpy as np
import pytest

from fingerprint.fingerprinting import fingerprint_text
from matcher.align.jump_cells import UNALIGNED, AlignmentSide
from matcher.align.whole_sentences import match_sentences
from tests.support.corpus_texts import shuffled_sentences, story
from tests.support.matchers import compared

NONE = UNALIGNED


def make_side(text: str) -> AlignmentSide:
    """Each sentence ends with a full stop, which is no token."""
    kept = [(character, not at or text[at - 1] == ".") for at, character in enumerate(text) if character != "."]
    codes = np.array([ord(character) for character, _ in kept])
    return AlignmentSide(codes.astype(np.uint16), codes.astype(np.uint32), np.array([begins for _, begins in kept]))


def pair_sentences(page: str, work: str, aligned: list[int]) -> tuple[int, list[int]]:
    aligned_to = np.array(aligned, np.int32)
    found = match_sentences(aligned_to, make_side(page), make_side(work))
    return found, aligned_to.tolist()


@pytest.mark.parametrize(
    ("page", "work", "aligned", "expected"),
    [
        pytest.param(
            "ab.xy.cd.", "ab.pq.xy.cd.", [0, 1, NONE, NONE, 6, 7], (1, [0, 1, 4, 5, 6, 7]), id="left over on both sides"
        ),
        pytest.param(
            "ab.x.cd.x.ef.",
            "ab.x.cd.x.ef.",
            [0, 1, NONE, 3, 4, 2, 6, 7],
            (1, [0, 1, 5, 3, 4, 2, 6, 7]),
            id="one of two",
        ),
        pytest.param(
            "ab.xy.cd.gh.",
            "ab.xz.cd.xy.ef.gh.",
            [0, 1, 8, 9, 4, 5, 10, 11],
            (1, [0, 1, 6, 7, 4, 5, 10, 11]),
            id="beside another",
        ),
        pytest.param("ab.xy.cd.", "ab.cd.", [0, 1, NONE, NONE, 2, 3], (0, None), id="not in the work"),
        pytest.param("ab.xz.cd.", "ab.xy.cd.xz.", [0, 1, 2, 3, 4, 5], (0, None), id="an edit in its place"),
        pytest.param("ab.xy.", "ab.xy.", [0, 1, NONE, NONE], (0, None), id="behind all that has a counterpart"),
        pytest.param("ab.xy.cd.", "ab.cd.xy.", [0, 1, NONE, NONE, 2, 3], (0, None), id="behind all in the work"),
        pytest.param(
            "ab.xy.cd.xy.ef.",
            "ab.xy.cd.ef.",
            [0, 1, NONE, NONE, 4, 5, NONE, NONE, 6, 7],
            (1, [0, 1, 2, 3, 4, 5, NONE, NONE, 6, 7]),
            id="twice here, once there",
        ),
    ],
)
def test_loose_sentences_are_given_the_same_ones_that_are_free(
    page: str, work: str, aligned: list[int], expected: tuple[int, list[int] | None]
) -> None:
    found, aligned_to = expected
    assert pair_sentences(page, work, aligned) == (found, aligned if aligned_to is None else aligned_to)


def test_of_several_places_the_one_that_goes_on_is_taken() -> None:
    found, aligned_to = pair_sentences("ab.x.cd.", "pq.x.ab.x.ef.cd.", [3, 4, NONE, 8, 9])
    assert (found, aligned_to) == (1, [3, 4, 5, 8, 9])  # the first x stands before all that has a counterpart
    found, aligned_to = pair_sentences("gh.ab.x.cd.", "gh.x.ab.x.ef.cd.", [0, 1, 3, 4, NONE, 8, 9])
    assert (found, aligned_to) == (1, [0, 1, 3, 4, 5, 8, 9])


@pytest.mark.parametrize("seed", range(6))
def test_shuffled_formulas_are_all_shown_as_they_are(seed: int) -> None:
    formulas = ["行不遇盜。", "歲中毋兵。", "吉。", "見貴人吉。", "來者不來。"]
    rng = np.random.default_rng(seed)
    first, *sentences, last = [each + "。" for each in story(21).split("。") if each][:24]
    middle = "".join(each + formulas[rng.integers(len(formulas))] for each in sentences)
    work, page = first + middle + last, first + shuffled_sentences(middle, seed) + last
    found = compared(page, work)
    assert not found.changes.size
    assert found.matched == fingerprint_text(page).tokens.size
