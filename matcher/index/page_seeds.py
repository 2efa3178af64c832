"""The seeds of a page, to look up in an index."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingerprint.fingerprinting import Fingerprint
from fingerprint.rules import Seeds
from fingerprint.seeds import find_anchors, window_seeds_at_step
from matcher.calibration import Calibration


@dataclass(frozen=True, slots=True, eq=False)
class PageSeeds:
    """Seeds of one page.

    hashes uint64[s], positions int32[s] in the stream, widths int32[s]: tokens of the window, 0 for an anchor.
    """

    hashes: NDArray[np.uint64]
    positions: NDArray[np.int32]
    widths: NDArray[np.int32]


def page_seeds(fingerprint: Fingerprint, calibration: Calibration) -> PageSeeds:
    """Return the seeds of a page: the anchors of its fingerprint, and windows at the step of the calibration.

    Works have a window every half granularity. With one at every token of the page, all of theirs are in phase.
    """
    algorithm, tokens = fingerprint.algorithm, fingerprint.tokens
    if Seeds.WINDOWS not in algorithm.seeds:
        return PageSeeds(fingerprint.hashes, fingerprint.anchors, np.zeros(fingerprint.hashes.size, np.int32))
    parts = []
    if Seeds.ANCHORS in algorithm.seeds:
        parts.append((*find_anchors(tokens, algorithm.anchors, algorithm.symbols), 0))
    for rule in algorithm.windows:
        step = min(rule.step, calibration.page_window_step_tokens)
        parts.append((*window_seeds_at_step(tokens, rule, algorithm.tables.initials, step), rule.granularity))
    return PageSeeds(
        np.concatenate([hashes for hashes, _, _ in parts]),
        np.concatenate([positions for _, positions, _ in parts]),
        np.concatenate([np.full(hashes.size, width, np.int32) for hashes, _, width in parts]),
    )
