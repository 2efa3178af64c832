"""Scores the harm of a matter to its rights holder. The inbox is sorted by the score and shows its four parts.

The weights and half-lives are chosen, not fitted: there are no data on what reviewers consider urgent.
"""

import math
from dataclasses import dataclass

# At least seven of the top ten of 2,000 random matters stay in the top ten if any one weight is halved or doubled
# (2026-11, tests/core/test_harm.py).
SHARE, LEAD, REACH, DISGUISE = 50.0, 20.0, 20.0, 10.0
MOST_VISITS = 10**8  # a month: the largest reading sites
MOST_WORKS = 50  # works of one rights holder on one site; more make no difference
MOST_KINDS = 3  # kinds of obfuscation on the pages of one matter; more make no difference
WEEK_S = 7 * 86_400
AT_PUBLICATION = 0.6  # share of the lead part at a lead of 0: the first publisher attracts the readers


@dataclass(frozen=True, slots=True)
class Harm:
    """The parts of the score in points, at most 100 in total."""

    share: float
    lead: float
    reach: float
    disguise: float

    @property
    def total(self) -> float:
        return self.share + self.lead + self.reach + self.disguise


def compute_harm(share: float, lead_s: float | None, reach: float, obfuscations: int) -> Harm:
    """Return the harm of a matter.

    share: the copied share of the work, 0 to 1. lead_s: how many seconds before the official publication of a chapter
    the site published it; negative if it did so later, None if unknown. reach: the result of `compute_reach`.
    obfuscations: the number of kinds of obfuscation.
    """
    return Harm(
        share=SHARE * min(1.0, max(0.0, share)),
        lead=LEAD * _lead_weight(lead_s),
        reach=REACH * reach,
        disguise=DISGUISE * min(1.0, obfuscations / MOST_KINDS),
    )


def compute_reach(monthly_visits: int | None, works_found: int) -> float:
    """Return the reach of a site, 0 to 1: by its visits if known, otherwise by its works of the rights holder.

    >>> compute_reach(10**8, 0), compute_reach(None, 0), compute_reach(None, MOST_WORKS)
    (1.0, 0.0, 1.0)
    """
    count, max_count = (works_found, MOST_WORKS) if monthly_visits is None else (monthly_visits, MOST_VISITS)
    return min(1.0, math.log1p(count) / math.log1p(max_count))


def _lead_weight(lead_s: float | None) -> float:
    if lead_s is None:
        return 0.0
    weeks = lead_s / WEEK_S
    if weeks <= 0:
        return float(AT_PUBLICATION * 2**weeks)
    return AT_PUBLICATION + (1 - AT_PUBLICATION) * min(1.0, weeks)
