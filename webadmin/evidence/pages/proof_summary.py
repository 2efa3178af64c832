"""What a case's own page and a matter's preview say of what others made: the papers that stand, the open captures."""

from typing import Any

from webadmin.evidence.pages.proofs_view import proof_entry, task_entries
from webadmin.evidence.pages.subjects import subject_url
from webadmin.evidence.services.subject import Subject

SHOWN = 10  # papers and captures; the page behind has all


def third_party_context(subject: Subject) -> dict[str, Any]:
    """Of a case or a matter that the caller may see: the newest papers, the most urgent captures, the pages of both.

    damages_address: of a matter, "" of a case; export_address: of a matter with confirmed cases, else "".
    """
    standing = subject.proofs().filter(withdrawn_at=None)
    tasks = [each for each in task_entries(subject) if each["task"].ended_at is None]
    has_confirmed = subject.matter is not None and subject.matter.confirmed_cases > 0
    more = max(0, standing.count() - SHOWN) + max(0, len(tasks) - SHOWN)
    return {
        "proofs": [proof_entry(proof) for proof in standing[:SHOWN]],
        "tasks": tasks[:SHOWN],
        "more": more,
        "proofs_address": subject_url(subject, "proofs"),
        "factors_address": subject_url(subject, "factors"),
        "damages_address": subject_url(subject, "damages") if subject.matter is not None else "",
        "export_address": subject_url(subject, "export") if has_confirmed else "",
    }
