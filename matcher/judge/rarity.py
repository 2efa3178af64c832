"""The share of original wording in a passage: wording shared with other texts proves little."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from matcher.align.segments import PHRASE_TEXT, Phrases
from matcher.calibration import Calibration
from matcher.judge.coverage_kernels import Starts, count_own_tokens, count_phrases_around
from matcher.judge.figures import Figures


def own_share(  # noqa: PLR0917 - as the kernel behind it
    starts: Starts, ends: Starts, phrases: Phrases, same: Sequence[int], capped: NDArray[np.int32], anchor_tokens: int
) -> float:
    """Return the share of the passages' page tokens outside phrases of other texts and common anchors.

    starts, ends: of the passages. phrases: of all texts; same: those whose own do not count. capped: page positions of
    anchors that occur too often, each of `anchor_tokens` tokens. 1.0 without any token.
    """
    total = sum((ends - starts).tolist())
    own = count_own_tokens(starts, ends, phrases, np.array(same, np.int32), capped, anchor_tokens)
    return own / total if total else 1.0


def background_share(page_tokens: int, starts: Starts, ends: Starts, phrases: Phrases) -> float:
    """Return the share of the page outside all passages that is in other texts, 0.0 without a rest: its formulas."""
    covered, rest = count_phrases_around(starts, ends, phrases, page_tokens)
    return covered / rest if rest else 0.0


def is_common(found: Figures, own: float, surroundings: float, postings: int, calibration: Calibration) -> bool:
    """Return whether the passages of a page from a text are common wording rather than a copy.

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


def without_texts(phrases: Phrases, texts: Sequence[int]) -> Phrases:
    """Return the phrases of all but these texts."""
    return np.asarray(phrases[~np.isin(phrases[:, PHRASE_TEXT], texts)]) if texts else phrases
