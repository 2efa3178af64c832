"""Requests, starts, resumes and ends imports of archive files."""

from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from core.errors import BadInput, UnreadableFile
from core.wording import Message
from crawler.sources.archive_streams import ImportCounts, RecordPosition
from webadmin.accounts.models import RightsHolder
from webadmin.sites.models import ArchiveImport, Site

State = ArchiveImport.State
SUFFIXES = (".warc", ".warc.gz", ".wacz", ".arc", ".arc.gz", ".wet.gz")
# An import without a sign of life for this long is dead; a running import gives one every few records.
DEAD_AFTER = timedelta(minutes=10)
MAX_FAULTS = 50


def import_folder() -> Path:
    """Return the only folder whose archives the admin offers; browser users must not name other paths."""
    return Path(settings.ZHUIWEN.home) / "imports"


def offered_files() -> list[str]:
    """Return the sorted names of the archives in the import folder, except symbolic links, which may lead elsewhere."""
    folder = import_folder()
    if not folder.is_dir():
        return []
    files = [entry for entry in folder.iterdir() if entry.is_file() and not entry.is_symlink()]
    return sorted(entry.name for entry in files if entry.name.lower().endswith(SUFFIXES))


def request_import(rights_holder: RightsHolder, path: Path, site: Site | None = None) -> ArchiveImport:
    """Return a new import of a file, or requeue and return an unfinished one of the same file.

    Raises UnreadableFile, and BadInput for a site of another rights holder or a running import.
    """
    if site is not None and site.rights_holder_id != rights_holder.pk:
        raise BadInput("import.other-holder", site=site.name)
    size_bytes, mark = _file_identity(path)
    known = ArchiveImport.objects.filter(
        rights_holder=rights_holder, path=str(path), site=site, file_mark=mark
    ).exclude(state=State.FINISHED)
    row = known.first()
    if row is None:
        return ArchiveImport.objects.create(
            rights_holder=rights_holder, path=str(path), site=site, size_bytes=size_bytes, file_mark=mark
        )
    is_dead = row.heartbeat_at is None or row.heartbeat_at < timezone.now() - DEAD_AFTER
    if row.state == State.RUNNING and not is_dead:
        raise BadInput("import.running-already", path=path)
    ArchiveImport.objects.filter(pk=row.pk).update(state=State.QUEUED)
    row.refresh_from_db()
    return row


def waiting_imports(now: datetime) -> QuerySet[ArchiveImport]:
    """Return the queued imports and those whose process died, oldest first."""
    silent = Q(state=State.RUNNING, alive_at__lt=now - DEAD_AFTER)
    alive_at = Coalesce(F("heartbeat_at"), F("requested_at"))
    rows = ArchiveImport.objects.annotate(alive_at=alive_at)
    return rows.filter(Q(state=State.QUEUED) | silent).order_by("requested_at", "pk")


def requeue_running() -> None:
    """Requeue imports that ran when the installation was stopped; call it only while no import can run."""
    ArchiveImport.objects.filter(state=State.RUNNING).update(state=State.QUEUED, heartbeat_at=None)


def start_import(row: ArchiveImport, now: datetime) -> bool:
    """Start an import, or return False if another process was faster."""
    silent = Q(state=State.RUNNING) & (Q(heartbeat_at__lt=now - DEAD_AFTER) | Q(heartbeat_at__isnull=True))
    changed = ArchiveImport.objects.filter(Q(state=State.QUEUED) | silent, pk=row.pk).update(
        state=State.RUNNING, heartbeat_at=now, finished_at=None
    )
    row.refresh_from_db()
    return changed == 1


def note_progress(row: ArchiveImport, counts: ImportCounts, at: RecordPosition) -> None:
    """Record the position of an import, at which it can be resumed."""
    _write_progress(row, counts, position=asdict(at), heartbeat_at=timezone.now())


def end_import(row: ArchiveImport, counts: ImportCounts, fault: Message | None = None) -> None:
    """End an import as finished, or as failed with a fault."""
    if fault is not None:
        counts.faults = [*counts.faults[: MAX_FAULTS - 1], fault]
    now = timezone.now()
    _write_progress(row, counts, state=State.FAILED if fault else State.FINISHED, finished_at=now, heartbeat_at=now)


def resume_position(row: ArchiveImport) -> RecordPosition:
    """Return the position at which an import resumes, or the beginning if the file was replaced."""
    if not row.position or _file_identity(Path(row.path))[1] != row.file_mark:
        return RecordPosition()
    return RecordPosition(**row.position)


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
    """Return the size of a file and a mark that distinguishes it from another file of the same name."""
    try:
        status = path.stat()
    except OSError as error:
        raise UnreadableFile(path, "file.cannot-be-read", error=error.strerror or error) from error
    if not path.is_file():
        raise UnreadableFile(path, "file.none")
    return status.st_size, f"{status.st_size}:{status.st_mtime_ns}"
