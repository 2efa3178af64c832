from collections.abc import Callable
from dataclasses import replace
from types import FunctionType

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fingerprint.stream import WILDCARD
from matcher.align import xdrop
from matcher.align.extension import PageSegments, find_segments
from matcher.align.token_agreement import NearTokens, TokenBounds, TokenPosition
from matcher.align.xdrop import Extension, XDropLimits, extend_xdrop, working_memory
from matcher.calibration import DEFAULT, Calibration
from matcher.corpus import Hits, TokenStreams
from tests.support.examples import examples

TOKEN = st.sampled_from([1, 2, 3, 4, 50, 51, 52, WILDCARD])


def extend_ahead(page: np.ndarray, work: np.ndarray, limits: XDropLimits) -> Extension:
    """Return what the compiled loop makes of both from their beginnings; the definition makes the same."""
    start, bounds = TokenPosition(0, 0), TokenBounds(0, work.size)
    arguments = (page, no_alternatives(page), work, start, 1, bounds, limits, working_memory())
    compiled, plain = extend_xdrop(*arguments), as_defined()(*arguments)
    assert compiled == plain
    return compiled


def as_defined() -> Callable[..., Extension]:
    """The extension as plain Python, with all kernels of its module."""
    names = dict(vars(xdrop))
    for name, value in vars(xdrop).items():
        if hasattr(value, "py_func") and value.py_func.__module__ == xdrop.__name__:
            names[name] = FunctionType(value.py_func.__code__, names, name)
    return names["extend_xdrop"]


def no_alternatives(page: np.ndarray) -> NearTokens:
    return NearTokens(np.zeros(page.size, np.int32), np.zeros((1, 1024), np.uint64))


def best_prefix_score(page: np.ndarray, work: np.ndarray) -> int:
    """The best score of any alignment of a prefix of each, by the whole table; wildcards score 0."""
    table = np.zeros((page.size + 1, work.size + 1), int)
    table[:, 0], table[0, :] = -np.arange(page.size + 1), -np.arange(work.size + 1)
    for row, token in enumerate(page.tolist(), 1):
        for column, other in enumerate(work.tolist(), 1):
            gain = 0 if WILDCARD in (token, other) else 1 if token == other else -1
            table[row, column] = max(
                table[row - 1, column - 1] + gain, table[row - 1, column] - 1, table[row, column - 1] - 1
            )
    return int(table.max())


@st.composite
def edited_pair(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """A work and a page made out of it by edits, or of nothing."""
    work = draw(st.lists(TOKEN, min_size=1, max_size=90))
    page: list[int] = []
    for token in work:
        edit = draw(st.integers(0, 11))
        if edit == 0:
            continue
        page += [token] if edit > 2 else [draw(TOKEN), token] if edit == 1 else [draw(TOKEN)]
    return np.array(page or [1], np.uint16), np.array(work, np.uint16)


@examples(100)
@given(edited_pair(), st.integers(1, 25), st.integers(2, 30))
def test_the_compiled_loop_equals_its_definition_and_beats_no_optimum(
    pair: tuple[np.ndarray, np.ndarray], drop: int, band: int
) -> None:
    page, work = pair
    score, page_taken, work_taken, matches = extend_ahead(page, work, XDropLimits(drop, 6, band))
    assert 0 <= score <= best_prefix_score(page, work)
    assert score <= matches <= min(page_taken, work_taken) or not score
    assert page_taken <= page.size
    assert work_taken <= work.size


def test_edited_text_is_aligned_within_a_little_of_the_optimum() -> None:
    rng = np.random.default_rng(7)
    for share in (0.0, 0.1, 0.2, 0.3):
        work = rng.integers(1, 400, 400).astype(np.uint16)
        page = work[rng.random(400) >= share / 3]
        changed = rng.random(page.size) < share * 2 / 3
        page[changed] = rng.integers(1, 400, int(changed.sum()))
        score = extend_ahead(page, work, DEFAULT.extension.gapped).score
        assert score >= 0.98 * best_prefix_score(page, work)


def test_an_extension_goes_on_over_thousands_of_edits() -> None:
    rng = np.random.default_rng(8)
    work = rng.integers(1, 400, 12_000).astype(np.uint16)
    page = work.copy()
    page[::4] = rng.integers(400, 410, page[::4].size)
    start, bounds = TokenPosition(0, 0), TokenBounds(0, work.size)
    near, memory = no_alternatives(page), working_memory()
    found = extend_xdrop(page, near, work, start, 1, bounds, DEFAULT.extension.gapped, memory)
    assert found.page_tokens > 11_990
    assert 8_990 < found.matches <= 9_000
    assert 5_990 < found.score <= 6_000


def one_text(work: np.ndarray) -> TokenStreams:
    return TokenStreams(work, np.array([0]), np.array([work.size]))


def align_hits(
    page: np.ndarray,
    streams: TokenStreams,
    places: list[tuple[int, int, int]],
    calibration: Calibration = DEFAULT,
    near: NearTokens | None = None,
) -> PageSegments:
    """Return what hits lead to: text, page position and work position of each."""
    hits = Hits(*(np.array([place[side] for place in places], np.int32) for side in range(3)))
    return find_segments(page, near or no_alternatives(page), streams, hits, calibration)


def test_a_copy_with_a_gap_on_each_side_is_one_segment() -> None:
    work = np.arange(1, 301, dtype=np.uint16)
    page = np.concatenate([work[:100], work[105:200], np.full(7, 400, np.uint16), work[200:]])
    segments = align_hits(page, one_text(work), [(0, 10, 10)]).segments
    assert segments.tolist() == [[0, page.size, 0, 300, 295, 295 - 12, 0]]


def test_what_a_token_may_also_stand_for_agrees() -> None:
    work = np.arange(1, 41, dtype=np.uint16)
    page = work.copy()
    page[10::3] = 300
    rows, masks = np.zeros(40, np.int32), np.zeros((41, 1024), np.uint64)
    rows[10::3] = np.arange(10, 40, 3)
    masks[rows[10::3], 0] = np.uint64(1) << work[10::3].astype(np.uint64)
    segments = align_hits(page, one_text(work), [(0, 2, 2)], near=NearTokens(rows, masks)).segments
    assert segments[0, :6].tolist() == [0, 40, 0, 40, 40, 40]


def test_a_long_text_that_drifts_off_its_diagonal_is_one_segment() -> None:
    rng = np.random.default_rng(11)
    work = rng.integers(1, 400, 60_000).astype(np.uint16)
    # The first half loses a tenth, the second nothing: the way lies far off the straight line between its ends.
    is_kept = rng.random(work.size) >= np.where(np.arange(work.size) < 30_000, 0.1, 0.0)
    page, origins = work[is_kept], np.flatnonzero(is_kept)
    runs = np.flatnonzero(np.diff(origins) == 1)[::20]
    places = [(0, run, origin) for run, origin in zip(runs.tolist(), origins[runs].tolist(), strict=True)]
    assert len(align_hits(page, one_text(work), places).segments) == 1


def test_neighbours_on_one_diagonal_are_joined_by_a_more_patient_walk() -> None:
    rng = np.random.default_rng(12)
    work = rng.integers(1, 400, 600).astype(np.uint16)
    page = work.copy()
    confused = np.arange(200, 300)[rng.permutation(100) < 62]
    page[confused] = rng.integers(400, 410, confused.size)
    seeds = [(0, 50, 50), (0, 400, 400)]
    found = align_hits(page, one_text(work), seeds)
    (segment,) = found.segments
    assert segment[:4].tolist() == [0, 600, 0, 600]
    assert segment[4] == 600 - confused.size
    assert segment[5] == segment[4] - confused.size
    apart = replace(DEFAULT, extension=DEFAULT.extension._replace(max_bridge_tokens=0))
    assert len(align_hits(page, one_text(work), seeds, apart).segments) == 2
