"""Manages captures requested from third parties. Each is due on a day, and is completed or abandoned."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.db import transaction
from django.db.models import Min, Q, QuerySet
from django.utils import timezone

from core.errors import BadInput
from core.states import CaseState
from core.text import storable
from webadmin.accounts.models import User
from webadmin.accounts.services.access import user_role
from webadmin.accounts.services.holders import lock_rights
from webadmin.cases.models import Case, Matter
from webadmin.evidence.models import ThirdPartyProof, ThirdPartyTask
from webadmin.evidence.services.subject import Subject

MAX_ASKED_CHARS, MAX_NOTE_CHARS, MAX_REASON_CHARS = 200, 500, 300
MAX_OPEN = 50  # open tasks of a case or matter
LONGEST = 366  # days: a later day is a typing error


class TaskRefused(BadInput):
    """A task cannot be created or changed."""


@dataclass(frozen=True, slots=True)
class ProposedCapture:
    """A confirmed case without a third party's capture. task: the open request for a capture, or None."""

    case: Case
    task: ThirdPartyTask | None


def request_capture(
    subject: Subject, asked: str, until: date, note: str = "", *, by: User, now: datetime
) -> ThirdPartyTask:
    """Create a task to capture the page by the day `until`, or return the open task with the same values.

    asked: the institution. Raises TaskRefused for a user without a role, an invalid value or too many open tasks.
    """
    _require_role(subject.record.rights_holder_id, by)
    asked, note = " ".join(storable(asked).split()), " ".join(storable(note).split())
    if not asked:
        raise TaskRefused("proof.task-nobody")
    if len(asked) > MAX_ASKED_CHARS or len(note) > MAX_NOTE_CHARS:
        raise TaskRefused("proof.too-long", most=MAX_ASKED_CHARS if len(asked) > MAX_ASKED_CHARS else MAX_NOTE_CHARS)
    today = timezone.localdate(now)
    if not today <= until or (until - today).days > LONGEST:
        raise TaskRefused("proof.task-day", first=today.isoformat(), days=LONGEST)
    with transaction.atomic():
        lock_rights(subject.record.rights_holder_id)
        standing = open_tasks(subject)
        there = standing.filter(**subject.fields, asked=asked, until=until, note=note).first()
        if there is not None:  # The form was sent twice.
            return there
        if standing.count() >= MAX_OPEN:
            raise TaskRefused("proof.task-too-many", most=MAX_OPEN)
        task = ThirdPartyTask.objects.create(
            **subject.fields, asked=asked, until=until, note=note, entered_by=by, entered_at=now
        )
        _update_proof_due(task)
    return task


def complete_task(task: ThirdPartyTask, proof: ThirdPartyProof, by: User, now: datetime) -> None:
    """Complete a task with a proof.

    Raises TaskRefused if the user has no role, the task has ended, or the proof is withdrawn or belongs to another
    subject.
    """
    _require_open(task, by)
    of_matter = task.matter_id if task.case is None else task.case.matter_id
    of_case = proof.case.matter_id if proof.case is not None else proof.matter_id
    is_same = proof.case_id == task.case_id if task.case_id and proof.case_id else of_matter == of_case
    if proof.withdrawn_at is not None or not is_same:
        raise TaskRefused("proof.task-other-proof")
    _update_task(task, ended_by=by, ended_at=now, done_by=proof)


def give_up(task: ThirdPartyTask, reason: str, by: User, now: datetime) -> None:
    """Abandon a task.

    Raises TaskRefused if the user has no role, the task has ended, or the reason is empty or too long.
    """
    _require_open(task, by)
    reason = " ".join(storable(reason).split())
    if not reason:
        raise TaskRefused("proof.no-reason")
    if len(reason) > MAX_REASON_CHARS:
        raise TaskRefused("proof.too-long", most=MAX_REASON_CHARS)
    _update_task(task, ended_by=by, ended_at=now, given_up_because=reason)


def reopen_tasks(proof: ThirdPartyProof) -> None:
    """Reopen the tasks that a withdrawn proof completed."""
    for task in ThirdPartyTask.objects.filter(done_by=proof).select_related("case"):
        _update_task(task, done_by=None, ended_by=None, ended_at=None)


def open_tasks(subject: Subject) -> "QuerySet[ThirdPartyTask]":
    """Return the tasks that are neither completed nor abandoned, the most urgent first."""
    return subject.tasks().filter(ended_at=None)


def is_overdue(task: ThirdPartyTask, today: date) -> bool:
    return task.ended_at is None and task.until < today


def propose_captures(matter: Matter) -> Sequence[ProposedCapture]:
    """Return the confirmed cases of a matter that no valid proof covers, in the order of their numbers.

    Captures must precede a notice, which makes the page change. A proof of the whole matter covers only cases that
    existed on the day of the proof, because it cannot show unknown pages.
    """
    proofs = ThirdPartyProof.objects.filter(withdrawn_at=None)
    of_cases = set(proofs.filter(case__matter=matter).values_list("case_id", flat=True))
    newest = proofs.filter(matter=matter).order_by("-made_on").values_list("made_on", flat=True).first()
    tasks = list(ThirdPartyTask.objects.filter(Q(matter=matter) | Q(case__matter=matter), ended_at=None))
    confirmed = Case.objects.filter(matter=matter, state=CaseState.CONFIRMED).order_by("pk")
    found = []
    for case in confirmed:
        is_covered = newest is not None and timezone.localdate(case.opened_at) <= newest
        if case.pk not in of_cases and not is_covered:
            found.append(ProposedCapture(case, next((each for each in tasks if each.case_id in (case.pk, None)), None)))
    return found


def _require_role(holder: int, by: User) -> None:
    if user_role(by, holder) is None:
        raise TaskRefused("proof.no-role")


def _require_open(task: ThirdPartyTask, by: User) -> None:
    _require_role(task.rights_holder_id, by)
    if task.ended_at is not None:
        raise TaskRefused("proof.task-ended")


def _update_task(task: ThirdPartyTask, **changed: object) -> None:
    with transaction.atomic():
        for name, value in changed.items():
            setattr(task, name, value)
        task.save(update_fields=list(changed))
        _update_proof_due(task)


def _update_proof_due(task: ThirdPartyTask) -> None:
    """Update the matter's earliest due day, which puts the matter in a queue of the inbox."""
    matter = task.matter_id if task.case is None else task.case.matter_id
    if matter is None:
        return
    Matter.objects.select_for_update(no_key=True).filter(pk=matter).first()  # allows one writer at a time
    tasks = ThirdPartyTask.objects.filter(Q(matter=matter) | Q(case__matter=matter), ended_at=None)
    Matter.objects.filter(pk=matter).update(proof_due=tasks.aggregate(due=Min("until"))["due"])
