import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fingerprint.normalization import WILDCARD
from matcher import kernels
from matcher.calibration import DEFAULT
from matcher.extension import extend_hits, gapped, limits_of, segments_of, ungapped

TOKEN = st.sampled_from([1, 2, 3, 4, 50, 51, 52, WILDCARD])


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


@settings(max_examples=150, deadline=None)
@given(edited_pair(), st.data())
def test_the_kernel_equals_the_definition(pair: tuple[np.ndarray, np.ndarray], data: st.DataObject) -> None:
    page, work = pair
    places = st.tuples(st.integers(0, page.size - 1), st.integers(0, work.size - 1))
    hits = sorted(set(data.draw(st.lists(places, max_size=12))), key=lambda hit: (hit[1] - hit[0], hit[0]))
    arrays = [np.array([hit[side] for hit in hits], np.int32) for side in (0, 1)]
    plain = extend_hits(page, work, hits, limits_of(DEFAULT).tolist())
    assert segments_of(page, work, *arrays, DEFAULT).tolist() == [list(segment) for segment in plain]


@settings(max_examples=100, deadline=None)
@given(edited_pair(), st.integers(1, 20), st.integers(2, 12))
def test_each_kernel_step_equals_its_definition(pair: tuple[np.ndarray, np.ndarray], drop: int, band: int) -> None:
    page, work = pair
    rows = np.empty((4, 2 * band + 1), np.int32)
    assert kernels.gapped(page, work, 0, 0, 1, drop, band, rows) == gapped(page, work, drop, band)
    middle = min(page.size, work.size) // 2
    assert kernels.ungapped(page, work, middle, middle, drop) == ungapped(page, work, middle, middle, drop)


def test_a_copy_with_a_gap_on_each_side_is_one_segment() -> None:
    work = np.arange(1, 301, dtype=np.uint16)
    page = np.concatenate([work[:100], work[105:200], np.full(7, 400, np.uint16), work[200:]])
    segments = segments_of(page, work, np.array([10], np.int32), np.array([10], np.int32), DEFAULT)
    assert segments.tolist() == [[0, page.size, 0, 300, 295, 295 - 12]]


def test_wildcards_neither_help_nor_hurt() -> None:
    work = np.arange(1, 61, dtype=np.uint16)
    page = work.copy()
    page[::3] = WILDCARD
    segments = segments_of(page, work, np.array([31], np.int32), np.array([31], np.int32), DEFAULT)
    assert segments[0, 4] == segments[0, 5] == 40
