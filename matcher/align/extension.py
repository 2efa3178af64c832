"""From hits to segments, as the rest of the matcher calls it; the loops stand in matcher.align.hit_extension."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import kernel
from matcher.align.bridging import bridge_gaps
from matcher.align.hit_extension import ExtensionLimits, Hits, Texts, extend_hits
from matcher.align.segments import Phrases, Segments
from matcher.align.token_agreement import NearTokens, Tokens
from matcher.align.xdrop import XDropLimits, working_memory
from matcher.calibration import Calibration
from matcher.token_streams import TokenStreams


@dataclass(frozen=True, slots=True, eq=False)
class PageSegments:
    """What the hits of a page lead to."""

    segments: Segments
    phrases: Phrases


def find_segments(
    page: Tokens, near: NearTokens, streams: TokenStreams, hits: Hits, calibration: Calibration
) -> PageSegments:
    """Extend hits, in any order: X-drop along the diagonal, then with gaps, then from one segment to the next."""
    order = _diagonal_order(page.size, hits)
    hits = Hits(hits.texts[order], hits.pages[order], hits.works[order])
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


def _diagonal_order(span: int, hits: Hits) -> NDArray[np.int64]:
    """Order by text, diagonal and page position: by one number where it fits, which takes a third of the time."""
    texts, page_hits, work_hits = hits
    diagonals = work_hits.astype(np.int64) - page_hits + span
    width = int(diagonals.max(initial=0)) + 1
    if (int(texts.max(initial=0)) + 1) * width * max(span, 1) >= 1 << 62:
        return np.lexsort((page_hits, diagonals, texts))
    return np.argsort((texts * np.int64(width) + diagonals) * span + page_hits)
