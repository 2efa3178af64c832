"""Messages that failed for good: written down once each, and left alone until a person deletes the row."""

from collections.abc import Collection, Mapping, Sequence

from django.utils import timezone

from core.ids import VersionId
from webadmin.frozen import with_length_kept
from webadmin.models import FailedMessage

MAX_ERROR_CHARS = 2000
PAGE_TASKS = ("pipeline.fingerprint_page", "pipeline.match_page")
BATCH_IDS = 500  # SQLite takes at most 999 variables in a statement


def note(task: str, payload: Mapping[str, object], error: str) -> None:
    """Write a failure down, over an earlier one of the same message."""
    FailedMessage.objects.update_or_create(
        task=task,
        subject=str(next(iter(payload.values()), ""))[:64],
        defaults={
            "payload": dict(payload),
            "error": with_length_kept(error)[:MAX_ERROR_CHARS],
            "failed_at": timezone.now(),
        },
    )


def versions_given_up(versions: Collection[VersionId]) -> set[VersionId]:
    """Those of some page versions whose comparison waits for a person."""
    return given_up(PAGE_TASKS, versions)


def given_up(tasks: str | Sequence[str], versions: Collection[VersionId]) -> set[VersionId]:
    """Those of some page versions whose message to one of these tasks waits for a person."""
    names = [tasks] if isinstance(tasks, str) else tasks
    wanted, found = list(versions), set[VersionId]()
    for start in range(0, len(wanted), BATCH_IDS):
        rows = FailedMessage.objects.filter(task__in=names, subject__in=wanted[start : start + BATCH_IDS])
        found |= {VersionId(subject) for subject in rows.values_list("subject", flat=True)}
    return found
