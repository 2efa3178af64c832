"""The summary of third-party evidence on the case page and in the matter preview: valid proofs and open captures."""

from typing import Any

from webadmin.evidence.pages.proofs_view import proof_entry, task_entries
from webadmin.evidence.pages.subjects import subject_url
from webadmin.evidence.services.subject import Subject

SHOWN = 10  # proofs and captures; the linked page has all


def third_party_context(subject: Subject) -> dict[str, Any]:
    """Return the template context of a case or matter: the newest proofs, the most urgent captures, the links.

    The caller has checked access. damages_address: for a matter, "" for a case; export_address: for a matter with
    confirmed cases, else "".
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
