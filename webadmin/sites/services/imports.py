"""Begins, resumes and ends imports of archive files."""

from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.db.models import Q
from django.utils import timezone

from core.errors import BadInput, UnreadableFile
from core.wording import Message
from crawler.sources.archive_streams import ImportCounts, RecordPosition
from webadmin.accounts.models import RightsHolder
from webadmin.sites.models import ArchiveImport, Site

State = ArchiveImport.State
# An import without a heartbeat for this long is dead. A running import sends one every few records.
DEAD_AFTER = timedelta(minutes=10)
MAX_FAULTS = 50


def begin_import(rights_holder: RightsHolder, path: Path, site: Site | None = None) -> ArchiveImport:
    """Begin the import of a file in this process, or resume an unfinished import of the same file, and return its row.

    site: the site of all pages, or None to assign each page by its host. Raises UnreadableFile if the file cannot be
    read, and BadInput if the site belongs to another rights holder or another process is importing the file.
    """
    if site is not None and site.rights_holder_id != rights_holder.pk:
        raise BadInput("import.other-holder", site=site.name)
    size_bytes, mark = _file_identity(path)
    now, of_file = timezone.now(), {"rights_holder": rights_holder, "path": str(path), "site": site, "file_mark": mark}
    row = ArchiveImport.objects.filter(**of_file).exclude(state=State.FINISHED).first()
    if row is None:
        return ArchiveImport.objects.create(**of_file, size_bytes=size_bytes, heartbeat_at=now)
    idle = ArchiveImport.objects.filter(~Q(state=State.RUNNING) | Q(heartbeat_at__lt=now - DEAD_AFTER), pk=row.pk)
    if not idle.update(state=State.RUNNING, heartbeat_at=now, finished_at=None):
        raise BadInput("import.running-already", path=path)
    row.refresh_from_db()
    return row


def is_importing(now: datetime) -> bool:
    """Return True if a running import has sent a heartbeat within DEAD_AFTER."""
    return ArchiveImport.objects.filter(state=State.RUNNING, heartbeat_at__gte=now - DEAD_AFTER).exists()


def interrupt_import(row: ArchiveImport) -> None:
    """Record that a running import was stopped, so that it can be resumed without waiting for DEAD_AFTER."""
    ArchiveImport.objects.filter(pk=row.pk, state=State.RUNNING).update(state=State.FAILED)


def note_progress(row: ArchiveImport, counts: ImportCounts, at: RecordPosition) -> None:
    """Record the counts of an import and `at`, the position at which it can be resumed, with a heartbeat."""
    _write_progress(row, counts, position=asdict(at), heartbeat_at=timezone.now())


def end_import(row: ArchiveImport, counts: ImportCounts, fault: Message | None = None) -> None:
    """End an import and record its counts: as failed if `fault` is an error message, or as finished if it is None."""
    if fault is not None:
        counts.faults = [*counts.faults[: MAX_FAULTS - 1], fault]
    now = timezone.now()
    _write_progress(row, counts, state=State.FAILED if fault else State.FINISHED, finished_at=now, heartbeat_at=now)


def stored_counts(row: ArchiveImport) -> ImportCounts:
    if not row.counts or not row.position:
        return ImportCounts()
    return ImportCounts(**row.counts, faults=list(row.faults))


def _write_progress(row: ArchiveImport, counts: ImportCounts, **values: Any) -> None:
    kept = asdict(counts)
    del kept["faults"]
    ArchiveImport.objects.filter(pk=row.pk).update(counts=kept, faults=counts.faults, **values)
    row.refresh_from_db()


def _file_identity(path: Path) -> tuple[int, str]:
    """Return the size of a file, and a mark that distinguishes it from another file with the same path.

    Raises UnreadableFile if there is no such file or it cannot be read.
    """
    try:
        status = path.stat()
    except OSError as error:
        raise UnreadableFile(path, "file.cannot-be-read", error=error.strerror or error) from error
    if not path.is_file():
        raise UnreadableFile(path, "file.none")
    return status.st_size, f"{status.st_size}:{status.st_mtime_ns}"
