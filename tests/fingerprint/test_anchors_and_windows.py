import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from fingerprint.algorithms import ALGORITHMS, FREQUENT_INITIALS, REFERENCE_PERMILLE, Algorithm
from fingerprint.letters import letter_number
from fingerprint.rules import WindowRule
from fingerprint.seeds import find_anchors, hash_anchors, window_digits
from fingerprint.stream import WILDCARD

TOKENS = hnp.arrays(np.uint16, st.integers(0, 120), elements=st.sampled_from([1, 2, 3, 50, 300, WILDCARD]))
EVERY_ALGORITHM = pytest.mark.parametrize("algorithm", ALGORITHMS.values(), ids=lambda algorithm: str(algorithm.id))


def rule(granularity: int = 16, step: int = 8, max_digit: int = 3) -> WindowRule:
    return WindowRule(granularity, step, max_digit, FREQUENT_INITIALS, REFERENCE_PERMILLE)


@EVERY_ALGORITHM
@given(TOKENS)
def test_no_anchor_holds_a_wildcard_or_repeats_the_run_before_it(algorithm: Algorithm, tokens: np.ndarray) -> None:
    rule, symbols = algorithm.anchors, algorithm.symbols
    hashes, positions = find_anchors(tokens, rule, symbols)
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
    _, alone = find_anchors(passage, algorithm.anchors, algorithm.symbols)
    _, within = find_anchors(whole, algorithm.anchors, algorithm.symbols)
    inner = {position for position in alone.tolist() if reach <= position <= last}
    assert inner == {position - before for position in within.tolist() if reach <= position - before <= last}


@EVERY_ALGORITHM
def test_about_one_run_in_w_is_kept(algorithm: Algorithm) -> None:
    tokens = np.random.default_rng(5).integers(1, 400, 100_000).astype(np.uint16)
    _, positions = find_anchors(tokens, algorithm.anchors, algorithm.symbols)
    assert tokens.size / positions.size == pytest.approx(algorithm.anchors.one_in, rel=0.05)
    assert np.diff(positions).max() <= 2 * algorithm.anchors.one_in - 1


def test_a_digit_counts_what_exceeds_the_reference() -> None:
    counts = np.zeros((1, 27), np.uint16)
    counts[0, letter_number("b")] = 5
    counts[0, letter_number("z")] = 1
    found = window_digits(counts, rule(granularity=64, step=64, max_digit=3))[0]
    assert found[FREQUENT_INITIALS.index("b")] == 2  # 5 - 64 * 0.049, rounded up
    assert found[FREQUENT_INITIALS.index("z")] == 0
