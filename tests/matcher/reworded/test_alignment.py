"""Made vectors: sentence i of the work is axis i, so that what corresponds is known."""

import numpy as np
import pytest

from matcher.reworded.alignment import NO_ALIGNMENT, align, csls, sentence_matrix, solve_assignment
from matcher.reworded.background import SentenceWindows

linear_sum_assignment = pytest.importorskip(
    "scipy.optimize", reason="the extra reworded is not installed"
).linear_sum_assignment
ROOM = 40


def windows(axes: list[int], nearness: float = 0.3) -> SentenceWindows:
    singles = np.eye(ROOM, dtype=np.float32)[axes]
    pairs = singles[:-1] + singles[1:]
    vectors = np.concatenate([singles, pairs / np.linalg.norm(pairs, axis=1, keepdims=True)])
    return SentenceWindows(vectors, np.full(len(vectors), nearness, np.float32))


def pairs(page: list[int], work: list[int]) -> list[tuple[int, int]]:
    return [(pair.page, pair.work) for pair in align(windows(page), windows(work)).pairs]


def test_each_sentence_is_given_the_one_that_says_the_same_in_whatever_order() -> None:
    work = list(range(10))
    assert pairs([7, 8, 9, 0, 1], work) == [(0, 7), (1, 8), (2, 9), (3, 0), (4, 1)]


def test_what_says_nothing_of_the_work_has_no_pair_and_no_score() -> None:
    found = align(windows([20, 21, 22]), windows([0, 1, 2]))
    assert found.pairs == ()
    assert found.score == 0.0


def test_sentences_in_the_order_of_the_work_score_more_than_the_same_out_of_order() -> None:
    work = windows(list(range(12)))
    assert align(windows([1, 2, 3, 4]), work).score > align(windows([1, 6, 11, 3]), work).score


def test_what_is_alike_everywhere_scores_less_than_what_is_alike_in_its_place() -> None:
    alike = windows([0] * 8)
    assert align(windows([0] * 4), alike).score < align(windows([0, 1, 2, 3]), windows(list(range(8)))).score


def test_a_sentence_that_says_what_two_of_the_work_say_is_given_their_pair() -> None:
    work = windows([0, 1, 5])
    both = SentenceWindows(work.vectors[3:4], work.nearness[3:4])
    matrix = sentence_matrix(csls(both, work), 1, 3)
    assert matrix[0, 0] == matrix[0, 1] == pytest.approx(1.4)
    assert matrix[0, 2] < 1


def test_the_assignment_is_the_best_there_is() -> None:
    gains = np.random.default_rng(3).random((7, 9)).astype(np.float32)
    twice = np.concatenate([gains, gains / 2], axis=1)
    assert solve_assignment(gains, 0.5)[2].sum() == pytest.approx(
        twice[linear_sum_assignment(twice, maximize=True)].sum()
    )


def test_nothing_on_either_side_is_no_alignment() -> None:
    nothing = SentenceWindows(np.zeros((0, ROOM), np.float32), np.zeros(0, np.float32))
    assert align(nothing, windows([0])) == align(windows([0]), nothing) == NO_ALIGNMENT
