"""Records messages that failed permanently. They are not sent again until an operator deletes the record."""

from collections.abc import Collection

from django.utils import timezone

from core.ids import VersionId
from core.wording import Message
from webadmin.accounts.models import FailedMessage
from webadmin.database import batches

WORKER_DIED = Message("task.worker-died")
PAGE_TASK = "cases.compare_pages"


def note_failure(task: str, subject: str, fault: Exception | Message) -> None:
    """Record the permanent failure of a task, replacing an earlier record. subject: the id in the task's message."""
    error = fault if isinstance(fault, Message) else Message("task.failed", kind=type(fault).__name__, error=fault)
    FailedMessage.objects.update_or_create(
        task=task,
        subject=subject[:64],
        defaults={"error": error, "failed_at": timezone.now()},
    )


def versions_given_up(versions: Collection[VersionId]) -> set[VersionId]:
    """Return those of `versions` whose comparison failed permanently."""
    return failed_versions(PAGE_TASK, versions)


def failed_versions(task: str, versions: Collection[VersionId]) -> set[VersionId]:
    """Return those of `versions` for which `task` failed permanently."""
    found = set[VersionId]()
    for batch in batches(list(versions)):
        rows = FailedMessage.objects.filter(task=task, subject__in=batch)
        found |= {VersionId(subject) for subject in rows.values_list("subject", flat=True)}
    return found
