"""Runs one check of the stores, step by step, and records its result."""

import logging
from collections.abc import Callable

from django.db import DatabaseError, InterfaceError

from core.clock import SystemClock
from core.errors import BrokenInvariant, DamagedStore, RetryLater
from core.settings import Settings
from core.wording import Message
from pagestore.checking import FaultKind
from pagestore.connection import connect
from pagestore.opening import open_raw_bodies
from pipeline.connections import redis_client
from webadmin.backups.services.checking.context import CheckContext
from webadmin.backups.services.checking.damage import CheckPart, CheckReport, Damage, Remedy, Store, Tell
from webadmin.backups.services.checking.evidence_checks import check_evidence
from webadmin.backups.services.checking.index_check import check_index
from webadmin.backups.services.checking.page_checks import check_pages, check_works
from webadmin.backups.services.checking.row_checks import check_evidence_rows, check_findings
from webadmin.backups.services.checking.sqlite_files import check_files, check_references
from webadmin.backups.services.status_notes import note_damage
from webadmin.backups.services.store_checks import known_damages, note_store_check
from webadmin.database import is_outage, refresh_connections, unavailable
from webadmin.evidence.services.making import live_evidence
from webadmin.stores import live

log = logging.getLogger("zhuiwen.checking")

WITHOUT_ADMIN = Message("checking.without-admin")

# The order matters. The check of a file decides whether its store may be written to. The index comes last, because it
# is rebuilt from repaired fingerprints.
STEPS: tuple[tuple[Store, Callable[[CheckContext], None]], ...] = (
    (Store.FILES, check_files),
    (Store.ADMIN, check_references),
    (Store.ADMIN, check_evidence_rows),
    (Store.PAGES, check_works),
    (Store.PAGES, check_pages),
    (Store.PAGES, check_findings),
    (Store.EVIDENCE, check_evidence),
    (Store.INDEX, check_index),
)


def check_stores(settings: Settings, tell: Tell, *, may_mend: bool, part: CheckPart = CheckPart()) -> CheckReport:  # noqa: B008
    """Check all or a part of the stores, and report damage. A store that is unreachable is reported as unread.

    tell: called with the step, the items read and the total. may_mend: repair damages if possible.
    """
    report, database = CheckReport(), connect(settings.mongo_url)
    context = CheckContext(
        settings=settings,
        ports=live(settings),
        evidence=live_evidence(settings),
        database=database,
        bodies=open_raw_bodies(database, settings.services.raw_url, settings.s3),
        report=report,
        part=part,
        tell=tell,
        may_mend=may_mend,
    )
    for store, step in STEPS:
        refresh_connections()
        try:
            step(context)
        except DamagedStore as error:
            report.add_damages(Damage(store, "", "", FaultKind.UNREADABLE, Remedy.RESTORE, detail=str(error)))
        except (RetryLater, BrokenInvariant) as error:
            log.warning("%s was not read to its end: %s", step.__name__, error)
            report.unread.append(error.message)
        except (DatabaseError, InterfaceError) as error:
            _note_database_fault(error, report)
            if not is_outage(error) and WITHOUT_ADMIN not in report.unread:
                report.unread.append(WITHOUT_ADMIN)
    return report


def _note_database_fault(error: Exception, report: CheckReport) -> None:
    if is_outage(error):
        report.unread.append(unavailable(error).message)
    else:
        report.add_damages(Damage(Store.ADMIN, "", "", FaultKind.UNREADABLE, Remedy.RESTORE, detail=str(error)))


def check_and_note(settings: Settings, tell: Tell, *, may_mend: bool, part: CheckPart = CheckPart()) -> CheckReport:  # noqa: B008
    """Check the stores, and record the result for the admin, `doctor` and `status` if the database is reachable.

    The parameters are those of `check_stores`.
    """
    clock = SystemClock()
    started = clock.now()
    report = check_stores(settings, tell, may_mend=may_mend, part=part)
    damages = [each.as_values() for each in report.damages]
    refresh_connections()
    try:
        note_store_check(started, clock.now(), report.items, damages, part=part.number)
        known = known_damages()
    except (DatabaseError, InterfaceError) as error:
        _note_database_fault(error, report)
        known = [each.as_values() for each in report.unrepaired_damages]
    note_damage(redis_client(settings), len(known), started)
    return report
