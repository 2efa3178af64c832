import numpy as np

from matcher.align.passages import chain_segments
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


def pieces_of(*lengths: int) -> Segments:
    """Exact pieces of these lengths, in order on both sides, each far from the next."""
    segments = np.zeros((len(lengths), SEGMENT_COLUMNS), np.int32)
    for number, length in enumerate(lengths):
        start, end = number * FAR, number * FAR + length
        segments[number, [PAGE_START, PAGE_END, WORK_START, WORK_END]] = start, end, start, end
        segments[number, [MATCHES, SCORE]] = length
    return segments


def lengths_of(found: list[Segments]) -> list[int]:
    return [int(piece[:, MATCHES].sum()) for piece in found]


def test_a_piece_that_is_too_little_does_not_count_because_a_long_one_stands_far_away() -> None:
    assert lengths_of(chain_segments(pieces_of(DEFAULT.min_scattered_tokens, TOO_LITTLE), DEFAULT)) == [120]
    assert lengths_of(chain_segments(pieces_of(2_000, TOO_LITTLE, TOO_LITTLE), DEFAULT)) == [2_000]


def test_pieces_that_are_too_little_count_when_there_are_many_beside_a_long_one_or_alone() -> None:
    many = [TOO_LITTLE] * 7
    assert sum(many) >= DEFAULT.min_scattered_tokens
    assert lengths_of(chain_segments(pieces_of(*many), DEFAULT)) == many
    assert lengths_of(chain_segments(pieces_of(500, *many), DEFAULT)) == [500, *many]
    assert chain_segments(pieces_of(*many[:6]), DEFAULT) == []


def test_the_least_pieces_never_count_however_many() -> None:
    assert chain_segments(pieces_of(*[DEFAULT.min_companion_tokens - 1] * 40), DEFAULT) == []
