"""From hits to segments, as the rest of the matcher calls it; the loops stand in matcher.align.hit_extension."""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from matcher.align.bridging import bridge_gaps
from matcher.align.hit_extension import ExtensionLimits, Hits, Texts, extend_hits, without_idle_hits
from matcher.align.segments import Phrases, Segments
from matcher.align.token_agreement import NearTokens, Tokens
from matcher.align.xdrop import XDropLimits, working_memory
from matcher.calibration import Calibration
from matcher.token_streams import TokenStreams

MAX_BITS = 62


class PageSegments(NamedTuple):
    """What the hits of a page lead to."""

    segments: Segments
    phrases: Phrases


def find_segments(
    page: Tokens, near: NearTokens, streams: TokenStreams, hits: Hits, calibration: Calibration
) -> PageSegments:
    """Extend hits, in any order: X-drop along the diagonal, then with gaps, then from one segment to the next."""
    texts = Texts(streams.tokens, streams.starts, streams.ends)
    numbers, page_bits, diagonal_bits = _as_numbers(page.size, *hits)
    if page_bits:
        numbers.sort()  # a tenth of the time of sorting rows
    else:
        order = np.lexsort((hits.pages, hits.works.astype(np.int64) - hits.pages, hits.texts))
        hits = Hits(hits.texts[order], hits.pages[order], hits.works[order])
    return PageSegments(*_extend(page, near, texts, hits, numbers, page_bits, diagonal_bits, _limits(calibration)))


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
def _extend(  # noqa: PLR0917 - kernels take no keywords
    page: Tokens,
    near: NearTokens,
    texts: Texts,
    hits: Hits,
    numbers: NDArray[np.int64],
    page_bits: int,
    diagonal_bits: int,
    limits: ExtensionLimits,
) -> tuple[Segments, Phrases]:
    """Segments and phrases. numbers: the hits as sorted numbers, where they fit into such; else `hits` is in order."""
    memory = working_memory()
    ordered = _as_hits(numbers, page_bits, diagonal_bits, page.size) if page_bits else hits
    promising = without_idle_hits(page, texts, ordered, limits.gapped.band)
    segments, phrases = extend_hits(page, near, texts, promising, limits, memory)
    return bridge_gaps(page, near, texts, segments, limits.bridge, limits.max_bridge_tokens, memory), phrases


@kernel()
def _as_numbers(
    span: int, texts: NDArray[np.int32], pages: NDArray[np.int32], works: NDArray[np.int32]
) -> tuple[NDArray[np.int64], int, int]:
    """Each hit as one number that orders it by text, diagonal and page position. span: tokens of the page.

    Also how many bits say the place on the page, and how many above them the diagonal; 0 where the numbers do not fit.
    """
    numbers = np.empty(texts.size, np.int64)
    last_text, last_diagonal = 0, 0
    for hit in range(texts.size):
        last_text = max(last_text, as_int(texts[hit]))
        last_diagonal = max(last_diagonal, as_int(works[hit]) - as_int(pages[hit]) + span)
    page_bits, diagonal_bits = _bits_for(span), _bits_for(last_diagonal)
    if page_bits + diagonal_bits + _bits_for(last_text) > MAX_BITS:
        return numbers, 0, 0
    for hit in range(texts.size):
        line = as_int(texts[hit]) << diagonal_bits | as_int(works[hit]) - as_int(pages[hit]) + span
        numbers[hit] = line << page_bits | as_int(pages[hit])
    return numbers, page_bits, diagonal_bits


@kernel(allocates=False)
def _bits_for(number: int) -> int:
    bits = 1
    while number >> bits:
        bits += 1
    return bits


@kernel()
def _as_hits(numbers: NDArray[np.int64], page_bits: int, diagonal_bits: int, span: int) -> Hits:
    size = numbers.size
    texts, pages, works = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.int32)
    for hit in range(size):
        page_at, line = numbers[hit] & ((1 << page_bits) - 1), numbers[hit] >> page_bits
        diagonal = line & ((1 << diagonal_bits) - 1)
        texts[hit], pages[hit], works[hit] = line >> diagonal_bits, page_at, diagonal - span + page_at
    return Hits(texts, pages, works)
