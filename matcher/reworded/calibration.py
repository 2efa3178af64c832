"""Every number that decides what is looked at and what is reported, with its source.

Measured by `zhuiwen bench quality --parts reworded`, 28 November 2026, on the shared corpora:
docs/decisions/reworded.md.
"""

from dataclasses import dataclass
from enum import StrEnum


class RewordedClass(StrEnum):
    """What kind of lead it is; neither is a class of copies (`core.matches.MatchClass`)."""

    REWORDED = "reworded"  # page and work in one language
    TRANSLATED = "translated"


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
    # How many times the tenth best chunk the best must share with a block. Of 1,500 innocent passages against 8 M
    # characters 8 in 100 reach 1.8; no strong rewrite is below 4.3 and no extreme one below 3.7, alone on a page.
    min_standing_out: float = 1.8
    min_meaning_standing_out: float = 1.3  # the same of a look-up by meaning
    min_scores: tuple[tuple[RewordedClass, float], ...] = (
        (RewordedClass.REWORDED, 45.0),
        (RewordedClass.TRANSLATED, 42.0),
    )
    # Who shares that much more rare wording with one stretch than with others needs less of a score.
    min_clearly_standing_out: float = 4.0
    min_score_standing_out: float = 30.0
    # A block of a text that is named by another block joins it with this share of the score that names.
    joining_share: float = 0.5
    min_pair_strength: float = 0.1
    strength_scale: float = 0.8  # the gain of two sentences that are the same, as a rule

    def min_score(self, found: RewordedClass, standing_out: float = 1.0) -> float:
        """The least score that is reported, of a stretch that stands out that much."""
        least = dict(self.min_scores)[found]
        if found is RewordedClass.REWORDED and standing_out >= self.min_clearly_standing_out:
            return min(least, self.min_score_standing_out)
        return least


DEFAULT = RewordedCalibration()
