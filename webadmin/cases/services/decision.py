"""Decides whether findings of a work on a page become a case or are excluded, and why."""

from dataclasses import dataclass

from core.states import Rejection
from webadmin.cases.services.permissions import ALLOWANCES, Allowance, Rights, RightsQuery


@dataclass(frozen=True, slots=True)
class DecisionFacts:
    """The facts of one decision.

    rejection: why the matcher calls it no copy (a quotation, a teaser), if it does; source: the quoted source.
    opens_teasers: whether the rights holder wants cases of teasers. is_nothing_left: all of it is noise or ignored.
    is_known: the page already has a case of the work.
    """

    copied: RightsQuery
    rejection: Rejection | None = None
    source: str = ""
    opens_teasers: bool = False
    is_nothing_left: bool = False
    is_known: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """The outcome. is_case: False for findings excluded for the reason of `allowance`; a case may have one too."""

    allowance: Allowance
    is_case: bool


def decide(finding: DecisionFacts, rights: Rights) -> Decision:
    """Decide by the first rule that holds and that no reviewer overruled.

    1. The rights holder's own account, own domain or licence allows the page, or the work is not protected.
    2. The matcher left it out: a teaser, unless the rights holder wants cases of these; a quotation.
    3. Nothing is left once noise and ignored texts do not count.
    4. Everything else is a case.

    A known case stays one: what allows it now, or leaves nothing of it, sets it aside, and is written down there.
    """
    allowance = rights.ruling(finding.copied)
    if allowance.reason is None and finding.rejection is not None and not _is_wanted(finding):
        left_out = Allowance(finding.rejection, finding.source)
        allowance = rights.unless_overruled(finding.copied.page, finding.copied.work, left_out)
    if allowance.reason is None and finding.is_nothing_left:
        allowance = Allowance(Rejection.NOTHING_LEFT)
    stays = finding.is_known and allowance.reason in (*ALLOWANCES, Rejection.NOTHING_LEFT)
    return Decision(allowance, is_case=allowance.reason is None or stays)


def _is_wanted(finding: DecisionFacts) -> bool:
    return finding.rejection is Rejection.TEASER and finding.opens_teasers
