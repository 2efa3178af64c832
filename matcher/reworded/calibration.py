"""Every number that decides what is looked at and what is reported, with its source.

Measured by `zhuiwen bench quality --parts reworded`, 28 November 2026, on the shared corpora:
docs/decisions/reworded.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

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

    @property
    def alarm_rate(self) -> float:
        """The measured share of innocent passages with such a score."""
        return self.alarms / self.trials


@dataclass(frozen=True, slots=True)
class RewordedCalibration:
    """What is looked at and what is reported."""

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
    # Strong rewrites score 71 and more, light ones 115. Of innocent passages, at 20 M characters, this many have 35,
    # 40, 45 and 50: 20, 11, 8 and 4 of 10,026 on the half that this was chosen on, 21, 18, 15 and 12 of 10,461 on the
    # other. Of translations 53 of 56 have 42 and more, of 800 innocent ones none; the highest, other chapters of the
    # Bible, have 40.
    min_scores: tuple[tuple[RewordedClass, float], ...] = (
        (RewordedClass.REWORDED, 45.0),
        (RewordedClass.TRANSLATED, 42.0),
    )
    # Who shares that much more rare wording with one stretch than with others needs less of a score. Tried 3, 3.5 and 4
    # with 25, 30 and 35: 4 and 30 find half of the extreme rewrites at one alarm more in 10,461, 25 at six more. 5 is
    # as good at no alarm more (20 M characters); at 8 M 4 gave two more in 4,500.
    min_clearly_standing_out: float = 5.0
    min_score_standing_out: float = 30.0
    # A block of a text that is named by another block joins it with this share of the score that names.
    joining_share: float = 0.5
    min_pair_strength: float = 0.1  # .95 to .98 of the pairs of strong rewrites lie in the passage
    strength_scale: float = 0.8  # the gain of two sentences that are the same, as a rule

    def min_score(self, found: RewordedClass, standing_out: float = 1.0) -> float:
        """The least score that is reported, of a stretch that stands out that much."""
        least = dict(self.min_scores)[found]
        if found is RewordedClass.REWORDED and standing_out >= self.min_clearly_standing_out:
            return min(least, self.min_score_standing_out)
        return least


DEFAULT = RewordedCalibration()
# For works that are told by formulas (`kinds`): a score and a stretch that stands out, both. Innocent news and articles
# against works of their own trade and 8 M characters of others, 28 November 2026: of 3,678 DEFAULT names 657; standing
# out five times, of 70, 80, 90, 100, 110, 120 on, 13, 9, 4, 4, 2 and 1 are (7, 5, 2, 2, 1, 1 of one half, 6, 4, 2, 2,
# 1, 0 of the other; both were looked at), of 90 on without that 33. Of rewrites it finds all light ones and those
# translated back, 19 of 22 strong ones of the development data, 16 of 34 spoken and of 36 official ones.
FORMULAIC = replace(
    DEFAULT,
    min_scores=((RewordedClass.REWORDED, math.inf), (RewordedClass.TRANSLATED, 42.0)),
    min_score_standing_out=90.0,
)


def highest(bands: Sequence[Band], score: float) -> Band | None:
    """The highest band that a score reaches."""
    reached = [band for band in bands if score >= band.min_score]
    return max(reached, key=lambda band: band.min_score, default=None)
