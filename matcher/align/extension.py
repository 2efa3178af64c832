"""From hits to segments, as the rest of the matcher calls it; the loops stand in matcher.align.hit_extension."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from matcher.align.bridging import bridge_gaps
from matcher.align.hit_extension import ExtensionLimits, Hits, Texts, extend_hits
from matcher.align.segments import Phrases, Segments
from matcher.align.token_agreement import NearTokens, Tokens
from matcher.align.xdrop import XDropLimits, working_memory
from matcher.calibration import Calibration
from matcher.token_streams import TokenStreams

MAX_NUMBER = 1 << 62


@dataclass(frozen=True, slots=True, eq=False)
class PageSegments:
    """What the hits of a page lead to."""

    segments: Segments
    phrases: Phrases


def find_segments(
    page: Tokens, near: NearTokens, streams: TokenStreams, hits: Hits, calibration: Calibration
) -> PageSegments:
    """Extend hits, in any order: X-drop along the diagonal, then with gaps, then from one segment to the next."""
    hits = _in_order(page.size, hits)
    found = _extend(page, near, Texts(streams.tokens, streams.starts, streams.ends), hits, _limits(calibration))
    return PageSegments(*found)


def gapped_limits(calibration: Calibration) -> XDropLimits:
    """When an extension from a hit is given up."""
    return XDropLimits(calibration.gapped_drop, calibration.gapped_lag, calibration.band_tokens)


def _limits(calibration: Calibration) -> ExtensionLimits:
    return ExtensionLimits(
        ungapped_drop=calibration.ungapped_drop,
        min_ungapped_score=calibration.min_ungapped_score,
        min_ungapped_score_alone=calibration.min_ungapped_score_alone,
        min_segment_score=calibration.min_segment_score,
        min_faint_score=calibration.min_faint_score,
        gapped=gapped_limits(calibration),
        bridge=gapped_limits(calibration)._replace(drop=calibration.bridge_drop),
        max_bridge_tokens=calibration.max_bridge_tokens,
        max_segments_of_text=calibration.max_segments_of_text,
    )


@kernel()
def _extend(
    page: Tokens, near: NearTokens, texts: Texts, hits: Hits, limits: ExtensionLimits
) -> tuple[Segments, Phrases]:
    memory = working_memory()
    found = extend_hits(page, near, texts, hits, limits, memory)
    segments = found.segments[: found.segment_count]
    segments = bridge_gaps(page, near, texts, segments, limits.bridge, limits.max_bridge_tokens, memory)
    return segments, found.phrases[: found.phrase_count]


def _in_order(span: int, hits: Hits) -> Hits:
    """The hits by text, diagonal and page position. span: tokens of the page.

    Where a hit fits into one number, numbers are sorted and taken apart again: a tenth of the time of sorting rows.
    """
    numbers, width = _as_numbers(span, hits)
    if not width:
        order = np.lexsort((hits.pages, hits.works.astype(np.int64) - hits.pages, hits.texts))
        return Hits(hits.texts[order], hits.pages[order], hits.works[order])
    numbers.sort()
    return _as_hits(numbers, width, span)


@kernel()
def _as_numbers(span: int, hits: Hits) -> tuple[NDArray[np.int64], int]:
    """Each hit as one number that orders it, and how many diagonals there are; 0 where the numbers do not fit."""
    texts, pages, works = hits
    numbers = np.empty(texts.size, np.int64)
    last_text, last_diagonal = 0, 0
    for hit in range(texts.size):
        last_text = max(last_text, as_int(texts[hit]))
        last_diagonal = max(last_diagonal, as_int(works[hit]) - as_int(pages[hit]) + span)
    width = last_diagonal + 1
    if float(last_text + 1) * width * max(span, 1) >= MAX_NUMBER:
        return numbers, 0
    for hit in range(texts.size):
        diagonal = as_int(works[hit]) - as_int(pages[hit]) + span
        numbers[hit] = (as_int(texts[hit]) * width + diagonal) * span + as_int(pages[hit])
    return numbers, width


@kernel()
def _as_hits(numbers: NDArray[np.int64], width: int, span: int) -> Hits:
    texts, pages, works = (
        np.empty(numbers.size, np.int32),
        np.empty(numbers.size, np.int32),
        np.empty(numbers.size, np.int32),
    )
    for hit in range(numbers.size):
        line, page_at = divmod(numbers[hit], span)
        text, diagonal = divmod(line, width)
        texts[hit], pages[hit], works[hit] = text, page_at, diagonal - span + page_at
    return Hits(texts, pages, works)
