"""Checks the SQLite files of the embedded stores, and the foreign keys of the admin database."""

import logging
from collections.abc import Iterator
from pathlib import Path

from django.db import connection

from core.settings import Settings
from core.sqlite_files import find_faults
from pagestore.checking import FaultKind
from webadmin.backups.services.checking.context import CheckContext
from webadmin.backups.services.checking.damage import Damage, Remedy, Store
from webadmin.cases.models import Case

log = logging.getLogger("zhuiwen.checking")

MAX_DETAIL_CHARS = 300


def sqlite_files(settings: Settings) -> list[tuple[Store, Path]]:
    """Return the existing SQLite files of an installation's embedded stores."""
    found = []
    if not settings.services.database_url:
        found.append((Store.ADMIN, settings.sqlite_path))
    if settings.services.embeds_mongo:
        found += [(Store.PAGES, path) for path in sorted((settings.home / "mongo").glob("*.db"))]
    return [(store, path) for store, path in found if path.is_file()]


def check_files(context: CheckContext) -> None:
    """Check each file with SQLite. A store with a damaged file is not written to."""
    files, step = sqlite_files(context.settings), context.step("checking.step-files")
    for done, (store, path) in enumerate(files):
        step(done, len(files))
        if faults := find_faults(path):
            log.error("%s is damaged: %s", path, "; ".join(faults))
            detail = "; ".join(" ".join(fault.split()) for fault in faults)[:MAX_DETAIL_CHARS]
            context.unwritable.add(store)
            context.report.add_damages(
                Damage(store, path.name, "", FaultKind.UNREADABLE, Remedy.RESTORE, detail=detail)
            )
    step(len(files), len(files))


def check_references(context: CheckContext) -> None:
    """Find references to missing rows in the admin database. PostgreSQL cannot contain any."""
    if connection.vendor != "sqlite":
        return
    for table, key in sorted(set(_missing_rows())):
        cases = (int(key),) if table == Case._meta.db_table else ()
        context.report.add_damages(Damage(Store.ADMIN, table, key, FaultKind.MISSING, Remedy.RESTORE, cases))


def _missing_rows() -> Iterator[tuple[str, str]]:
    """Yield the table and key of each missing row that another row refers to."""
    with connection.cursor() as cursor:
        broken = cursor.execute("PRAGMA foreign_key_check").fetchall()
        for table, row, parent, reference in broken:
            columns = cursor.execute(f'PRAGMA foreign_key_list("{table}")').fetchall()
            column = next(each[3] for each in columns if each[0] == reference)
            # Table and column come from foreign_key_check. SQLite accepts no parameters for names.
            asked = f'SELECT "{column}" FROM "{table}" WHERE rowid = %s'  # noqa: S608
            yield parent, str(cursor.execute(asked, [row]).fetchone()[0])
