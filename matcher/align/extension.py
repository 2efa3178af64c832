"""From hits to segments, as the rest of the matcher calls it; the loops stand in matcher.align.hit_extension."""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

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

MAX_BITS = 62


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


@cache
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
    numbers, widths = _as_numbers(span, hits)
    if not widths.page:
        order = np.lexsort((hits.pages, hits.works.astype(np.int64) - hits.pages, hits.texts))
        return Hits(hits.texts[order], hits.pages[order], hits.works[order])
    numbers.sort()
    return _as_hits(numbers, widths, span)


class _Widths(NamedTuple):
    """Bits of a number that say the place on the page, and those above them that say the diagonal."""

    page: int
    diagonal: int


@kernel()
def _as_numbers(span: int, hits: Hits) -> tuple[NDArray[np.int64], _Widths]:
    """Each hit as one number that orders it, and what its bits mean; 0 and 0 where the numbers do not fit."""
    texts, pages, works = hits
    numbers = np.empty(texts.size, np.int64)
    last_text, last_diagonal = 0, 0
    for hit in range(texts.size):
        last_text = max(last_text, as_int(texts[hit]))
        last_diagonal = max(last_diagonal, as_int(works[hit]) - as_int(pages[hit]) + span)
    widths = _Widths(_bits_for(span), _bits_for(last_diagonal))
    if widths.page + widths.diagonal + _bits_for(last_text) > MAX_BITS:
        return numbers, _Widths(0, 0)
    for hit in range(texts.size):
        line = as_int(texts[hit]) << widths.diagonal | as_int(works[hit]) - as_int(pages[hit]) + span
        numbers[hit] = line << widths.page | as_int(pages[hit])
    return numbers, widths


@kernel(allocates=False)
def _bits_for(number: int) -> int:
    bits = 1
    while number >> bits:
        bits += 1
    return bits


@kernel()
def _as_hits(numbers: NDArray[np.int64], widths: _Widths, span: int) -> Hits:
    size = numbers.size
    texts, pages, works = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.int32)
    for hit in range(size):
        page_at, line = numbers[hit] & ((1 << widths.page) - 1), numbers[hit] >> widths.page
        diagonal = line & ((1 << widths.diagonal) - 1)
        texts[hit], pages[hit], works[hit] = line >> widths.diagonal, page_at, diagonal - span + page_at
    return Hits(texts, pages, works)
