"""The thresholds for comparing and reporting, with their source. Other parameters are in their modules.

Measured by `zhuiwen bench quality --parts reworded`, 28 November 2026, on the shared corpora:
docs/decisions/rewritten-text.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.matches import RewordedClass

# Of a page, all works together: a page that copies more is not compared by meaning (from the design, no other tried).
COPIED_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Band:
    """A range of scores from `min_score` on. Of `trials` innocent passages, `alarms` reached it."""

    name: str
    min_score: float
    alarms: int
    trials: int


@dataclass(frozen=True, slots=True)
class RewordedCalibration:
    """The thresholds for comparing and reporting."""

    block_units: int = 16  # sentences of a page looked up at once: a passage of 300 characters has some ten
    block_step: int = 8
    max_stretches: int = 3  # of works, compared with a block
    # The ratio of pairs shared with a block by the best chunk to those of the tenth best. Of 600 innocent passages
    # against 20 M characters 11 in 100 reach 1.8; no strong rewrite is below 5.5 and no extreme one below 3.6, if alone
    # on a page. Of 105 strong rewrites among four other passages, at 8 M and with a share of .02 of common pairs
    # (chunks), 1.8 lost one, 1.5 and 1.3 none at 1.5 and three times the time; blocks of 12 and 20 sentences find as
    # many.
    min_standing_out: float = 1.8
    # The same for a look-up by meaning. No translation is below 6, but innocent pages reach 20: it can only save time.
    min_meaning_standing_out: float = 1.3
    # For a rewrite: the score of text in other words minus rival_weight times the score elsewhere. At 8 M characters,
    # November 2026, the weights 1.25 to 2 and the thresholds 20 to 30 were tried (docs/decisions/rewritten-text.md). At
    # 25 M these values name 14 of 20,486 innocent passages, 7 in either half. 53 of 56 translations have 42 and more,
    # none of 1,102 innocent ones has; the highest of these, other chapters of the Bible, have 40.
    min_scores: tuple[tuple[RewordedClass, float], ...] = (
        (RewordedClass.REWORDED, 25.0),
        (RewordedClass.TRANSLATED, 42.0),
    )
    rival_weight: float = 1.5
    # Of another block of the page, so that its pairs are reported too. Half of 42, the threshold for translations.
    min_joining_score: float = 21.0
    min_pair_strength: float = 0.1  # .95 to .98 of the pairs of strong rewrites are in the passage
    strength_scale: float = 0.8  # the usual gain of two equal sentences

    def min_score(self, reworded_class: RewordedClass) -> float:
        """Return the lowest score at which a match of this class is reported."""
        return dict(self.min_scores)[reworded_class]


DEFAULT = RewordedCalibration()


def highest(bands: Sequence[Band], score: float) -> Band | None:
    """Return the highest band that a score reaches, or None if it reaches none."""
    reached = [band for band in bands if score >= band.min_score]
    return max(reached, key=lambda band: band.min_score, default=None)
