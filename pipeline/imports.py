"""One archive import from its row to its end; in a worker, or in the process of the command that asked for it."""

import logging
import time
from collections.abc import Callable
from pathlib import Path

from core.errors import BadInput, ZhuiwenError
from core.ports import Outbox, PageStore
from core.settings import CrawlSettings
from crawler.sources.archive_shapes import Limits, Position
from crawler.sources.warc_import import ImportCounts, import_archive
from webadmin import imports
from webadmin.models import ArchiveImport

log = logging.getLogger("zhuiwen.imports")

NOTE_EVERY_S = 2.0  # what a kill costs at most is read twice


def run_import(
    row: ArchiveImport,
    store: PageStore,
    outbox: Outbox,
    settings: CrawlSettings,
    on_progress: Callable[[ImportCounts, Position], None] | None = None,
) -> ImportCounts:
    """Take in the file of a row that `webadmin.imports.take` gave to this process.

    Raises RetryLater where a store does not answer: the row stays running without a sign of life, and is taken up again
    where it stopped. A file that is at fault ends in the row.
    """
    noted_at = 0.0
    counts = imports.counts_of(row)

    def note(now: ImportCounts, at: Position) -> None:
        nonlocal noted_at, counts
        counts = now
        if on_progress is not None:
            on_progress(now, at)
        if time.monotonic() - noted_at >= NOTE_EVERY_S:
            noted_at = time.monotonic()
            imports.note_progress(row, now, at)

    try:
        start = imports.position_of(row)
        limits = Limits(settings.max_body_bytes)
        counts = import_archive(Path(row.path), imports.places_of(row), store, outbox, limits, start, counts, note)
    except BadInput as error:
        log.warning("import %s: %s", row.pk, error)
        imports.end(row, counts, str(error))
        return counts
    except ZhuiwenError:
        raise
    except Exception as error:  # whatever an archive may hold, the row says how it ended
        log.exception("import %s", row.pk)
        imports.end(row, counts, f"{row.path}: {type(error).__name__}; please report this file")
        return counts
    imports.end(row, counts)
    return counts
