"""How much of a passage is its own: wording that other texts share proves little."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from matcher.align.changes import Comparison
from matcher.align.segments import PHRASE_END, PHRASE_START, PHRASE_TEXT, Phrases
from matcher.calibration import Calibration
from matcher.judge.figures import Figures

RUNS_LOOKED_AT = 64  # at a time


def own_share(
    comparisons: Sequence[Comparison],
    others: Phrases,
    capped: NDArray[np.int32],
    anchor_tokens: int,
) -> float:
    """Share of the passages' page tokens that no other text has in a phrase, and that no common anchor covers.

    others: phrases of other texts; capped: increasing page positions of anchors that occur too often, each of
    `anchor_tokens` tokens. 1.0 without any token.
    """
    own = total = 0
    for found in comparisons:
        covered = np.zeros(found.page_end - found.page_start + 1, np.int32)
        first, last = np.searchsorted(capped, [found.page_start, found.page_end])
        starts = np.concatenate([others[:, PHRASE_START], capped[first:last]]) - found.page_start
        ends = np.concatenate([others[:, PHRASE_END], capped[first:last] + anchor_tokens]) - found.page_start
        is_here = (starts < covered.size - 1) & (ends > 0)
        np.add.at(covered, np.maximum(starts[is_here], 0), 1)
        np.add.at(covered, np.minimum(ends[is_here], covered.size - 1), -1)
        own += int(np.count_nonzero(np.cumsum(covered[:-1]) == 0))
        total += covered.size - 1
    return own / total if total else 1.0


def count_distinct_runs(tokens: NDArray[np.uint16], comparisons: Sequence[Comparison], enough: int) -> int:
    """How many different runs of three tokens the passages of a page have; stops counting at `enough`."""
    seen: set[tuple[int, int, int]] = set()
    for found in comparisons:
        for start in range(found.page_start, found.page_end - 2, RUNS_LOOKED_AT):
            piece = tokens[start : min(found.page_end, start + RUNS_LOOKED_AT + 2)].tolist()
            seen.update(zip(piece, piece[1:], piece[2:], strict=False))
            if len(seen) >= enough:
                return len(seen)
    return len(seen)


def background_share(page_tokens: int, passages: Sequence[Comparison], phrases: Phrases) -> float:
    """Share of the page outside all passages that some text has too: how formulaic the page is. 0.0 without a rest."""
    is_rest = np.ones(page_tokens, np.bool_)
    for found in passages:
        is_rest[found.page_start : found.page_end] = False
    rest = int(np.count_nonzero(is_rest))
    if not rest:
        return 0.0
    edges = np.zeros(page_tokens + 1, np.int32)
    np.add.at(edges, phrases[:, PHRASE_START], 1)
    np.add.at(edges, phrases[:, PHRASE_END], -1)
    return int(np.count_nonzero(np.cumsum(edges[:-1])[is_rest])) / rest


def is_common(found: Figures, own: float, surroundings: float, postings: int, calibration: Calibration) -> bool:
    """Whether what a page has of a text is common wording rather than a copy.

    own: share of it that no other text has; surroundings: `background_share` of the page; postings: of the whole index.
    """
    if found.page_containment >= calibration.most_of_page:
        return False
    if found.page_containment >= calibration.much_of_page:
        return own < calibration.min_own_share_of_much
    own_tokens = own * found.matched
    if own < calibration.own_share(postings):
        return own_tokens < calibration.min_own_tokens_among_phrases
    return surroundings > calibration.max_background and own_tokens < calibration.min_own_tokens


def phrases_of_others(phrases: Phrases, texts: Sequence[int]) -> Phrases:
    """The phrases of all but these texts."""
    return np.asarray(phrases[~np.isin(phrases[:, PHRASE_TEXT], texts)])
