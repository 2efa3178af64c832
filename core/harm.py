"""How much a matter harms its rights holder: one number to order an inbox by, made of four parts that are shown.

The weights and half-lives are chosen, not fitted: there is no data on what reviewers hold urgent. Of the ten first
among 2,000 drawn at random at least seven stay when any one weight is halved or doubled (2026-11,
tests/core/test_harm.py).
"""

import math
from dataclasses import dataclass

SHARE, LEAD, REACH, DISGUISE = 50.0, 20.0, 20.0, 10.0
MOST_VISITS = 10**8  # a month: the largest reading sites
MOST_WORKS = 50  # of one rights holder on one site: beyond it one more tells nothing
MOST_KINDS = 3  # of obfuscations on the pages of one matter
WEEK_S = 7 * 86_400
AT_PUBLICATION = 0.6  # of the part for the lead: who has it first takes the readers


@dataclass(frozen=True, slots=True)
class Harm:
    """The parts, in points; together at most 100."""

    share: float
    lead: float
    reach: float
    disguise: float

    @property
    def total(self) -> float:
        return self.share + self.lead + self.reach + self.disguise


def compute_harm(share: float, lead_s: float | None, reach: float, obfuscations: int) -> Harm:
    """Return the harm of a matter.

    share: of the work, 0 to 1. lead_s: how long before the official publication the site first had a chapter, in
    seconds; below 0 after it, None where it is not known. reach: as `compute_reach` returns it. obfuscations: how many
    kinds there are.
    """
    return Harm(
        share=SHARE * min(1.0, max(0.0, share)),
        lead=LEAD * _lead(lead_s),
        reach=REACH * reach,
        disguise=DISGUISE * min(1.0, obfuscations / MOST_KINDS),
    )


def compute_reach(monthly_visits: int | None, works_found: int) -> float:
    """Return the reach of a site, 0 to 1: its visits where they are known, else how many works of the holder it has.

    >>> compute_reach(10**8, 0), compute_reach(None, 0), compute_reach(None, MOST_WORKS)
    (1.0, 0.0, 1.0)
    """
    known, most = (works_found, MOST_WORKS) if monthly_visits is None else (monthly_visits, MOST_VISITS)
    return min(1.0, math.log1p(known) / math.log1p(most))


def _lead(lead_s: float | None) -> float:
    if lead_s is None:
        return 0.0
    weeks = lead_s / WEEK_S
    if weeks <= 0:
        return float(AT_PUBLICATION * 2**weeks)
    return AT_PUBLICATION + (1 - AT_PUBLICATION) * min(1.0, weeks)
