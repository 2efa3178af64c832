import numpy as np
import pytest

from matcher.align.passages import AlignedPassage, chain_segments
from matcher.align.segments import (
    MATCHES,
    PAGE_END,
    PAGE_START,
    SCORE,
    SEGMENT_COLUMNS,
    WORK_END,
    WORK_START,
    Segments,
)
from matcher.calibration import DEFAULT

FAR = 5_000  # tokens: nothing is joined across them
TOO_LITTLE = 18  # tokens of a piece that counts only among many


def place_pieces(*places: tuple[int, int, int]) -> Segments:
    """Exact pieces in order of the page: where each begins there and in the work, and how long it is."""
    segments = np.zeros((len(places), SEGMENT_COLUMNS), np.int32)
    for number, (here, there, length) in enumerate(sorted(places)):
        segments[number, [PAGE_START, PAGE_END, WORK_START, WORK_END]] = here, here + length, there, there + length
        segments[number, [MATCHES, SCORE]] = length
    return segments


def make_pieces(*lengths: int) -> Segments:
    """Exact pieces of these lengths, in order on both sides, each far from the next."""
    return place_pieces(*((number * FAR, number * FAR, length) for number, length in enumerate(lengths)))


def measure_lengths(found: list[AlignedPassage]) -> list[int]:
    return [passage.matches for passage in found]


def test_a_short_piece_does_not_count_if_the_long_one_is_far_away() -> None:
    assert measure_lengths(chain_segments(make_pieces(DEFAULT.min_scattered_tokens, TOO_LITTLE), DEFAULT)) == [120]
    assert measure_lengths(chain_segments(make_pieces(2_000, TOO_LITTLE, TOO_LITTLE), DEFAULT)) == [2_000]


def test_many_short_pieces_count_next_to_a_long_one_or_alone() -> None:
    many = [TOO_LITTLE] * 7
    assert sum(many) >= DEFAULT.min_scattered_tokens
    assert measure_lengths(chain_segments(make_pieces(*many), DEFAULT)) == many
    assert measure_lengths(chain_segments(make_pieces(500, *many), DEFAULT)) == [500, *many]
    assert chain_segments(make_pieces(*many[:6]), DEFAULT) == []


def shuffle_pieces(size: int, length: int, apart: int, seed: int) -> list[tuple[int, int, int]]:
    """Neighbouring pieces of the work in another order, so many tokens apart on the page."""
    order = np.random.default_rng(seed).permutation(size).tolist()
    return [(number * (length + apart), place * length, length) for number, place in enumerate(order)]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("size", "apart"), [(6, 25), (12, 50), (40, 60), (40, 0)])
def test_sentences_of_one_stretch_are_one_passage_in_whatever_order_among_others(
    size: int, apart: int, seed: int
) -> None:
    assert measure_lengths(chain_segments(place_pieces(*shuffle_pieces(size, 20, apart, seed)), DEFAULT)) == [20 * size]


def test_chance_agreement_in_a_mixture_is_dropped_and_foreign_text_splits_it() -> None:
    mixture = [(number * 45, number * 20, 20) for number in range(20)]
    short, long = ([*mixture, (9 * 45 + 24, 90_000, length)] for length in (14, 21))
    assert measure_lengths(chain_segments(place_pieces(*short), DEFAULT)) == [400]
    assert measure_lengths(chain_segments(place_pieces(*long), DEFAULT)) == [200, 21, 200]


def test_short_missing_sentences_leave_a_gap_of_their_length_in_a_mixture() -> None:
    def with_gap(page: int, work: int) -> list[int]:
        before = [(number * 45, number * 20, 20) for number in range(10)]
        after = [(page + number * 45, work + number * 20, 20) for number in range(10, 20)]
        return measure_lengths(chain_segments(place_pieces(*before, *after), DEFAULT))

    assert with_gap(360, 60) == [400]
    assert with_gap(360, 0) == [200, 200]
    assert with_gap(700, 60) == [200, 200]
