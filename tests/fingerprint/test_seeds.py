from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from fingerprint.algorithms import ALGORITHMS, DEFAULT, PUBLISHED_WINDOWS
from fingerprint.fingerprinting import fingerprint_text
from fingerprint.rules import Seeds
from fingerprint.seeds import window_seeds, window_seeds_at_step
from tests.support.corpus_texts import story

TEXT = story(7)
ROWS = hnp.arrays(np.uint8, st.tuples(st.integers(0, 20), st.just(9)), elements=st.integers(0, 1))


def test_seeds_of_the_published_index_are_its_windows() -> None:
    fingerprint = fingerprint_text(TEXT, ALGORITHMS[3])
    rows = fingerprint.windows[0]
    assert fingerprint.anchors.tolist() == [32 * number for number in range(len(rows))]
    assert len(set(fingerprint.hashes.tolist())) == len({row.tobytes() for row in rows})


def test_both_kinds_of_seeds_stand_side_by_side_in_order() -> None:
    both, anchors = fingerprint_text(TEXT, ALGORITHMS[4]), fingerprint_text(TEXT, ALGORITHMS[1])
    assert (np.diff(both.anchors) >= 0).all()
    pairs = set(zip(both.hashes.tolist(), both.anchors.tolist(), strict=True))
    assert pairs > set(zip(anchors.hashes.tolist(), anchors.anchors.tolist(), strict=True))
    windows = [window_seeds(rows, rule) for rows, rule in zip(both.windows, ALGORITHMS[4].windows, strict=True)]
    assert both.hashes.size == anchors.hashes.size + sum(hashes.size for hashes, _ in windows)


@given(ROWS, st.sampled_from([1, 5, 32]))
def test_equal_windows_have_equal_seeds_and_neighbours_only_one(rows: np.ndarray, step: int) -> None:
    hashes, positions = window_seeds(rows, replace(PUBLISHED_WINDOWS, step=step))
    kept = [at for at in range(len(rows)) if at == 0 or rows[at].tolist() != rows[at - 1].tolist()]
    assert positions.tolist() == [at * step for at in kept]
    of_rows = dict(zip((rows[at].tobytes() for at in kept), hashes.tolist(), strict=True))
    assert [of_rows[rows[at].tobytes()] for at in kept] == hashes.tolist()
    assert len(set(of_rows.values())) == len(of_rows)


@pytest.mark.parametrize("start", [0, 7, 333])
def test_windows_of_a_work_are_found_at_any_phase_when_a_page_has_one_at_every_token(start: int) -> None:
    work = fingerprint_text(TEXT, ALGORITHMS[3])
    page = fingerprint_text(TEXT[start:], ALGORITHMS[3])
    hashes, positions = window_seeds_at_step(page.tokens, PUBLISHED_WINDOWS, ALGORITHMS[3].tables.initials, 1)
    cut = work.tokens.size - page.tokens.size
    reached = work.hashes[work.anchors >= cut]
    assert set(reached.tolist()) <= set(hashes.tolist())
    assert (np.diff(positions) > 0).all()


def test_rules_that_say_nothing_sensible_are_refused() -> None:
    with pytest.raises(ValueError, match="step of 0"):
        replace(PUBLISHED_WINDOWS, step=0)
    with pytest.raises(ValueError, match="digits up to 5"):
        replace(PUBLISHED_WINDOWS, max_digit=5)
    with pytest.raises(ValueError, match="alphabetical"):
        replace(PUBLISHED_WINDOWS, letters=PUBLISHED_WINDOWS.letters[::-1])
    with pytest.raises(ValueError, match="1 to 255"):
        replace(DEFAULT, id=256)
    with pytest.raises(ValueError, match="no rule to make them"):
        replace(DEFAULT, windows=(), seeds=Seeds.WINDOWS)
