"""Extends hits to segments; the loops are in matcher.align.hit_extension."""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import kernel
from matcher.align.bridging import bridge_gaps
from matcher.align.hit_extension import ExtensionLimits, Hits, TextTokens, extend_hits
from matcher.align.numbered_hits import NumberForm, number_hits, promising_hits
from matcher.align.segments import Phrases, Segments
from matcher.align.token_agreement import NearTokens, Tokens
from matcher.align.xdrop import XDropLimits, working_memory
from matcher.calibration import Calibration
from matcher.token_streams import TokenStreams


class PageSegments(NamedTuple):
    """The segments and phrases of a page's hits."""

    segments: Segments
    phrases: Phrases


def find_segments(
    page: Tokens, near: NearTokens, streams: TokenStreams, hits: Hits, calibration: Calibration
) -> PageSegments:
    """Return the segments of hits in any order: X-drop along the diagonal, then with gaps, then bridging."""
    texts = TextTokens(streams.tokens, streams.starts, streams.ends)
    numbers, form = number_hits(page.size, hits)
    if form.page_bits:
        numbers.sort()
    else:
        order = np.lexsort((hits.pages, hits.works.astype(np.int64) - hits.pages, hits.texts))
        hits = Hits(hits.texts[order], hits.pages[order], hits.works[order])
    return PageSegments(*_extend(page, near, texts, hits, numbers, form, _limits(calibration)))


def gapped_limits(calibration: Calibration) -> XDropLimits:
    """Return the limits at which a gapped extension from a hit is given up."""
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
    texts: TextTokens,
    hits: Hits,
    numbers: NDArray[np.int64],
    form: NumberForm,
    limits: ExtensionLimits,
) -> tuple[Segments, Phrases]:
    """Return segments and phrases. numbers: the hits as sorted numbers, if they fit; else `hits` is in order."""
    memory = working_memory()
    if form.page_bits:
        hits = promising_hits(page, texts, numbers, form, limits.gapped.band)
    segments, phrases = extend_hits(page, near, texts, hits, limits, memory)
    return bridge_gaps(page, near, texts, segments, limits.bridge, limits.max_bridge_tokens, memory), phrases
