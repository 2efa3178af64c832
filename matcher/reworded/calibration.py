"""The numbers that decide what is looked at and what is reported, with their source; others stand in their modules.

Measured by `zhuiwen bench quality --parts reworded`, 28 November 2026, on the shared corpora:
docs/decisions/rewritten-text.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.matches import RewordedClass

# Of a page, all works together: one that copies more is not compared by meaning (the design's, none other tried).
COPIED_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Band:
    """From this score on, so many innocent passages were named: alarms of trials, at the size measured."""

    name: str
    min_score: float
    alarms: int
    trials: int


@dataclass(frozen=True, slots=True)
class RewordedCalibration:
    """Thresholds of what is compared and what is reported."""

    block_units: int = 16  # sentences of a page that are looked up at once: a passage of 300 characters has some ten
    block_step: int = 8
    max_stretches: int = 3  # of works, that a block is compared with
    # How many times the tenth best chunk the best must share with a block. Of 600 innocent passages against 20 M
    # characters 11 in 100 reach 1.8; no strong rewrite is below 5.5 and no extreme one below 3.6, alone on a page. Of
    # 105 strong ones among four other passages, at 8 M and with a share of .02 of common pairs (chunks), 1.8 lost one,
    # 1.5 and 1.3 none at once and a half and three times the time; blocks of 12 and 20 sentences find as many.
    min_standing_out: float = 1.8
    # The same of a look-up by meaning. No translation is below 6, but innocent pages reach 20: it saves time at most.
    min_meaning_standing_out: float = 1.3
    # Of a rewrite what is left of what it says in other words when rival_weight times what is said elsewhere is off. At
    # 8 M characters, November 2026, the weights 1.25 to 2 and the thresholds 20 to 30 were tried
    # (docs/decisions/rewritten-text.md). At 25 M this names 14 of 20,486 innocent passages, 7 in either half.
    # Of translations 53 of 56 have 42 and more, of 1,102 innocent ones none; the highest, other chapters of
    # the Bible, have 40.
    min_scores: tuple[tuple[RewordedClass, float], ...] = (
        (RewordedClass.REWORDED, 25.0),
        (RewordedClass.TRANSLATED, 42.0),
    )
    rival_weight: float = 1.5
    # Of another block of the page, for its pairs to be told too. Half of 42, what translations were measured with.
    min_joining_score: float = 21.0
    min_pair_strength: float = 0.1  # .95 to .98 of the pairs of strong rewrites lie in the passage
    strength_scale: float = 0.8  # the gain of two sentences that are the same, as a rule

    def min_score(self, found: RewordedClass) -> float:
        """Return the least score that is reported."""
        return dict(self.min_scores)[found]


DEFAULT = RewordedCalibration()


def highest(bands: Sequence[Band], score: float) -> Band | None:
    """Return the highest band that a score reaches."""
    reached = [band for band in bands if score >= band.min_score]
    return max(reached, key=lambda band: band.min_score, default=None)
