import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from fingerprint.algorithms import ALGORITHMS, DEFAULT, FREQUENT_INITIALS, REFERENCE_PERMILLE, Algorithm
from fingerprint.engines.frequency import letter_counts
from fingerprint.letters import LATIN, letter_number
from fingerprint.readings import SYLLABLES
from fingerprint.rules import WindowRule
from fingerprint.seeds import NEVER, bytes_per_window, digits, hash_anchors, window_count
from fingerprint.stream import WILDCARD
from fingerprint.tables import TABLES_2026
from tests.support.fingerprint_definition import (
    anchor_positions,
    gram_hashes,
    pack_digits,
    rightmost_minima,
    window_fingerprints,
)

TOKENS = hnp.arrays(np.uint16, st.integers(0, 120), elements=st.sampled_from([1, 2, 3, 50, 300, WILDCARD]))
LETTERS = hnp.arrays(np.uint8, st.integers(0, 150), elements=st.integers(0, 26))
EVERY_ALGORITHM = pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=lambda algorithm: str(algorithm.id))


def rule(granularity: int = 16, step: int = 8, max_digit: int = 3) -> WindowRule:
    return WindowRule(granularity, step, max_digit, FREQUENT_INITIALS, REFERENCE_PERMILLE)


@given(hnp.arrays(np.uint64, st.integers(7, 60), elements=st.integers(0, 5)), st.integers(2, 7))
def test_minima_equal_the_plain_definition(hashes: np.ndarray, window: int) -> None:
    plain = set()
    for start in range(hashes.size - window + 1):
        least = min(hashes[start : start + window])
        plain.add(max(at for at in range(start, start + window) if hashes[at] == least))
    assert rightmost_minima(hashes, window).tolist() == sorted(plain)


@EVERY_ALGORITHM
@given(TOKENS)
def test_no_anchor_holds_a_wildcard_or_repeats_the_run_before_it(algorithm: Algorithm, tokens: np.ndarray) -> None:
    rule, symbols = algorithm.anchors, algorithm.symbols
    hashes, positions = anchor_positions(tokens, rule, symbols)
    length = rule.tokens
    assert (hashes == hash_anchors(tokens, positions, rule, symbols)).all()
    for position in positions.tolist():
        gram = tokens[position : position + length]
        assert WILDCARD not in gram
        before = tokens[position - 1 : position - 1 + length]
        start = np.array([0])
        assert position == 0 or hash_anchors(before, start, rule, symbols) != hash_anchors(gram, start, rule, symbols)


@EVERY_ALGORITHM
@given(st.integers(0, 2**32), st.integers(0, 40), st.integers(0, 40))
def test_a_passage_keeps_its_anchors_whatever_stands_around_it(
    algorithm: Algorithm, seed: int, before: int, after: int
) -> None:
    rng = np.random.default_rng(seed)
    passage = rng.integers(1, 400, 120).astype(np.uint16)
    around = rng.integers(1, 400, before + after).astype(np.uint16)
    whole = np.concatenate([around[:before], passage, around[before:]])
    reach = 2 * algorithm.anchors.one_in - 1
    last = passage.size - algorithm.anchors.tokens - reach
    _, alone = anchor_positions(passage, algorithm.anchors, algorithm.symbols)
    _, within = anchor_positions(whole, algorithm.anchors, algorithm.symbols)
    inner = {position for position in alone.tolist() if reach <= position <= last}
    assert inner == {position - before for position in within.tolist() if reach <= position - before <= last}


@EVERY_ALGORITHM
def test_about_one_run_in_w_is_kept(algorithm: Algorithm) -> None:
    tokens = np.random.default_rng(5).integers(1, 400, 100_000).astype(np.uint16)
    _, positions = anchor_positions(tokens, algorithm.anchors, algorithm.symbols)
    assert tokens.size / positions.size == pytest.approx(algorithm.anchors.one_in, rel=0.05)
    assert np.diff(positions).max() <= 2 * algorithm.anchors.one_in - 1


def test_one_character_repeated_has_one_anchor() -> None:
    hashes = gram_hashes(np.full(10_000, 7, np.uint16), DEFAULT.anchors, DEFAULT.symbols)
    assert np.count_nonzero(hashes != NEVER) == 1


@given(LETTERS, st.integers(1, 40), st.integers(1, 40))
def test_windows_sum_to_the_granularity_and_equal_the_plain_count(
    letters: np.ndarray, granularity: int, step: int
) -> None:
    step = min(step, granularity)
    counts = letter_counts(letters, granularity, step)
    assert len(counts) == window_count(letters.size, rule(granularity, step))
    assert (counts.sum(axis=1) == granularity).all()
    for number, row in enumerate(counts):
        window = letters[number * step : number * step + granularity]
        assert row.tolist() == np.bincount(window, minlength=27).tolist()


@pytest.mark.parametrize(("max_digit", "width"), [(1, 3), (3, 5), (7, 8), (9, 9)])
def test_each_published_range_has_its_published_size(max_digit: int, width: int) -> None:
    assert bytes_per_window(rule(max_digit=max_digit)) == width


@given(hnp.arrays(np.uint8, (3, 20), elements=st.integers(0, 9)), st.sampled_from([1, 3, 7, 9]))
def test_digits_are_joined_into_one_number(values: np.ndarray, max_digit: int) -> None:
    values = np.minimum(values, max_digit).astype(np.uint8)
    for row, bytes_of_row in zip(values, pack_digits(values, rule(max_digit=max_digit)), strict=True):
        plain = 0
        for digit in row.tolist():
            plain = plain * (max_digit + 1) + digit
        assert int.from_bytes(bytes_of_row.tobytes(), "big") == plain


def test_a_digit_counts_what_exceeds_the_reference() -> None:
    counts = np.zeros((1, 27), np.uint16)
    counts[0, letter_number("b")] = 5
    counts[0, letter_number("z")] = 1
    found = digits(counts, rule(granularity=64, step=64, max_digit=3))[0]
    assert found[FREQUENT_INITIALS.index("b")] == 2  # 5 - 64 * 0.049, rounded up
    assert found[FREQUENT_INITIALS.index("z")] == 0


def test_two_windows_overlap_by_half_as_in_the_source() -> None:
    letters = np.ones(128, np.uint8)
    assert len(window_fingerprints(letters, rule(64, 32))) == 3


def test_initials_are_first_letters_and_a_wildcard_has_none() -> None:
    tokens = np.array([SYLLABLES.index("zhuang"), SYLLABLES.index("an"), WILDCARD], np.uint16)
    assert [LATIN[letter - 1] if letter else "" for letter in TABLES_2026.initials[tokens]] == ["z", "a", ""]
