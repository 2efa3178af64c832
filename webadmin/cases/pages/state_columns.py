"""The names and colours of the states of cases in lists."""

from core.states import CaseState
from webadmin.cases.models import Case

CASE_STATE_COLORS = {
    CaseState.OPEN: "warning",
    CaseState.CONFIRMED: "danger",
    CaseState.DISMISSED: "success",
    CaseState.SET_ASIDE: "default",
}


def case_state_name(case: Case) -> str:
    """Return the names of a case's state, of its verdict if it differs, and of the right that allows its page."""
    verdict = case.decision.get_verdict_display() if case.decision and case.verdict != case.state else ""
    allowed = case.get_allowed_as_display() if case.allowed_as else ""
    return " · ".join(str(each) for each in (case.get_state_display(), verdict, allowed) if each)
