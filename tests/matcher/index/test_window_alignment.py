"""From hits of windows to places that agree, against the definition."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from fingerprint.stream import WILDCARD
from matcher.corpus import Hits, TokenStreams
from matcher.index.window_alignment import align_window_hits
from tests.support.examples import examples

TOKENS = st.one_of(st.integers(1, 3), st.integers(1, 60), st.just(WILDCARD))


@st.composite
def windows_that_meet(draw: st.DrawFn) -> tuple[np.ndarray, TokenStreams, Hits, np.ndarray]:
    """A page, two texts of which one has pieces of it, and hits of windows anywhere, some behind an end."""
    page = draw(hnp.arrays(np.uint16, st.integers(1, 60), elements=TOKENS))
    cut = draw(st.integers(0, page.size))
    works = [draw(hnp.arrays(np.uint16, st.integers(0, 40), elements=TOKENS)) for _ in range(2)]
    works[1] = np.concatenate([works[1][:9], page[cut:], works[1][9:], page[:cut]])
    sizes = [work.size for work in works]
    starts = np.array([0, sizes[0]], np.int64)
    streams = TokenStreams(np.concatenate(works), starts, starts + np.array(sizes, np.int64))
    rows = st.tuples(st.integers(0, 1), st.integers(0, page.size - 1), st.integers(0, 99), st.sampled_from([0, 8, 30]))
    hits = np.array(draw(st.lists(rows, max_size=12)), np.int32).reshape(-1, 4)
    return page, streams, Hits(*hits[:, :3].T.copy()), hits[:, 3].copy()


@examples(40)
@given(windows_that_meet(), st.integers(1, 6))
def test_hits_of_windows_stand_where_both_sides_agree(
    case: tuple[np.ndarray, TokenStreams, Hits, np.ndarray], gram: int
) -> None:
    page, streams, hits, widths = case
    kept = align_window_hits(page, streams, hits, widths, gram)
    found = list(zip(*(column.tolist() for column in kept), strict=True))
    expected = list(by_definition(page, streams, hits, widths, gram))
    assert found == [row[:3] for row in expected]
    for text, page_at, work_at, width in expected:
        work = streams.tokens[streams.starts[text] : streams.ends[text]]
        if width:
            run = page[page_at : page_at + gram].tolist()
            assert len(run) == gram
            assert WILDCARD not in run
            assert run == work[work_at : work_at + gram].tolist()


def by_definition(
    page: np.ndarray, streams: TokenStreams, hits: Hits, widths: np.ndarray, gram: int
) -> Iterator[tuple[int, int, int, int]]:
    """Text, page position, work position and width of what `align_window_hits` keeps, as it is documented."""
    for text, page_at, work_at, width in zip(*(column.tolist() for column in (*hits, widths)), strict=True):
        if not width:
            yield text, page_at, work_at, width
            continue
        work = streams.tokens[streams.starts[text] : streams.ends[text]]
        firsts: dict[tuple[int, ...], int] = {}
        for at, run in _runs(page[page_at : page_at + width], gram):
            firsts.setdefault(run, at)
        pairs = [(firsts[run], at) for at, run in _runs(work[work_at : work_at + width], gram) if run in firsts]
        counts: Counter[int] = Counter()
        fullest = 0, 0
        for here, there in pairs:
            counts[there - here] += 1
            if counts[there - here] > fullest[0]:
                fullest = counts[there - here], there - here
        if pairs:
            here, there = next(pair for pair in pairs if pair[1] - pair[0] == fullest[1])
            yield text, page_at + here, work_at + there, width


def _runs(tokens: np.ndarray, gram: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    for at in range(tokens.size - gram + 1):
        run = tuple(tokens[at : at + gram].tolist())
        if WILDCARD not in run:
            yield at, run
