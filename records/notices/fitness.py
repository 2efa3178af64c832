"""Whether a page may stand in a notice: who notifies wrongly and does harm answers for it (Civil Code, art. 1195)."""

from collections.abc import Iterable

from core.states import CaseState
from core.wording import Message
from records.models import Case


def unfit(case: Case) -> Message | None:
    """Why the page of a case may stand in no notice; None where it may. Read page and decision with the case."""
    if case.allowed_as:
        return Message("notice.page-allowed")
    if case.state != CaseState.CONFIRMED or case.decision is None:
        return Message("notice.page-not-confirmed")
    if case.page.gone_since is not None:
        return Message("notice.page-gone")
    if case.page.version_id != case.decided_version:
        return Message("notice.page-changed")
    return None


def parted(cases: Iterable[Case]) -> tuple[list[Case], list[tuple[Case, Message]]]:
    """Those that may stand in a notice, and the others with their reasons."""
    fit: list[Case] = []
    others: list[tuple[Case, Message]] = []
    for case in cases:
        reason = unfit(case)
        if reason is None:
            fit.append(case)
        else:
            others.append((case, reason))
    return fit, others
