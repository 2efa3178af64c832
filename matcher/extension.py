"""From hits to segments. The loops stand in matcher.kernels.

A segment is a row of ten numbers: page start, page end, work start, work end (tokens), matches, score, page and work
position of the hit that led to it, which of the texts it is of, and where its way begins in the ways. A way has for
each page token of a segment the work token that stands for it, UNPAIRED for none. A phrase is what agrees around a hit,
be it ever so little: page start, page end, text.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matcher import kernels
from matcher.calibration import Calibration

PAGE_START, PAGE_END, WORK_START, WORK_END, MATCHES, SCORE, PAGE_SEED, WORK_SEED, TEXT, WAY = range(
    kernels.SEGMENT_COLUMNS
)
Segments = NDArray[np.int32]
Ways = NDArray[np.int32]
Phrases = NDArray[np.int32]
PHRASE_START, PHRASE_END, PHRASE_TEXT = range(3)


@dataclass(frozen=True, slots=True, eq=False)
class Streams:
    """Token streams of texts, side by side: that of text t is tokens[starts[t]:ends[t]]."""

    tokens: NDArray[np.uint16]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


def segments_of(  # noqa: PLR0917 - three columns of hits and what they are hits of
    page: NDArray[np.uint16],
    near: kernels.Near,
    streams: Streams,
    texts: NDArray[np.int32],
    page_hits: NDArray[np.int32],
    work_hits: NDArray[np.int32],
    calibration: Calibration,
) -> tuple[Segments, Phrases, Ways]:
    """int32[segments, 10], int32[phrases, 3], int32[ways]: where hits lead, X-drop along the diagonal, then with gaps.

    page: uint16[n]; near: what else each token may stand for, see matcher.kernels.
    texts, page_hits, work_hits: int32[h], in any order: which text, which position of the page, which of the text.
    """
    order = _by_diagonal(page.size, texts, page_hits, work_hits)
    hits = texts[order], page_hits[order], work_hits[order]
    limits = np.array(
        [
            calibration.ungapped_drop,
            calibration.min_ungapped_score,
            calibration.min_segment_score,
            *reaching(calibration),
            calibration.min_faint_score,
            calibration.min_ungapped_score_alone,
            calibration.bridge_drop,
            calibration.max_bridge_tokens,
        ],
        np.int64,
    )
    found: tuple[Segments, Phrases, Ways] = kernels.extend_hits(
        page,
        near,
        streams.tokens,
        streams.starts,
        streams.ends,
        hits,
        limits,
        calibration.max_segments_of_text,
    )
    return found


def _by_diagonal(
    span: int, texts: NDArray[np.int32], page_hits: NDArray[np.int32], work_hits: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Order by text, diagonal and page position: by one number where it fits, which takes a third of the time."""
    diagonals = work_hits.astype(np.int64) - page_hits + span
    width = int(diagonals.max(initial=0)) + 1
    if (int(texts.max(initial=0)) + 1) * width * max(span, 1) >= 1 << 62:
        return np.lexsort((page_hits, diagonals, texts))
    return np.argsort((texts * np.int64(width) + diagonals) * span + page_hits)


def reaching(calibration: Calibration) -> tuple[int, int, int]:
    """The `limits` of matcher.kernels.reach."""
    return calibration.gapped_drop, calibration.gapped_lag, calibration.band_tokens
