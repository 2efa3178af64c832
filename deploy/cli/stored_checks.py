"""The doctor's checks of stored data, such as the index, failed messages, missed crawls, evidence and backups."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from core.errors import BadConfiguration, BrokenInvariant, ZhuiwenError
from core.plain_text import clean_line
from core.wording import Message
from deploy.findings import Check, Context, DoctorFinding
from webadmin.ui.console.session import session

if TYPE_CHECKING:
    from core.settings import Settings
    from webadmin.evidence.services.bundles import EvidenceStatus

MAX_AGE_OF_CHECK = timedelta(days=2)  # the check runs each night; one failure is tolerated
MAX_NAMES, MAX_NAME_CHARS = 3, 60  # of damaged files, on one line of the doctor


def check_readings(_: Context) -> list[DoctorFinding]:
    """Check that the table of pinyin readings is the one with which the fingerprint algorithms were defined."""
    from fingerprint.fingerprinting import fingerprint_text

    try:
        fingerprint_text("追文")
    except BrokenInvariant as error:
        problem = Message("doctor.readings", reason=error)
        return [DoctorFinding("fingerprint.readings", problem, Message("doctor.readings-remedy"))]
    return []


def check_index_texts(settings: "Settings") -> list[DoctorFinding]:
    """Check that there is an index and that it contains all texts of the rights holders."""
    from webadmin.wiring import live_ports
    from webadmin.works.services.catalogue import corpus_texts

    held, state = corpus_texts(), live_ports(settings).index.state()
    missing = len(held - live_ports(settings).index.text_ids()) if state.generation else len(held)
    if state.generation == 0:
        return [DoctorFinding("index.empty", Message("doctor.index-empty"), Message("doctor.index-empty-remedy"))]
    if missing:
        problem = Message("doctor.index-behind", missing=missing, total=len(held))
        return [DoctorFinding("index.behind", problem, Message("doctor.index-behind-remedy"))]
    return []


def check_failures(_: "Settings") -> list[DoctorFinding]:
    """Find messages that failed after all retries, and scheduled crawls that did not run on the last day."""
    from django.utils import timezone

    from webadmin.accounts.models import FailedMessage
    from webadmin.sites.models import CrawlRun

    failed = FailedMessage.objects.count()
    day_ago = timezone.now() - timedelta(days=1)
    missed = CrawlRun.objects.filter(state=CrawlRun.State.MISSED, due_at__gte=day_ago).count()
    found = []
    if failed:
        problem = Message("doctor.failed", count=failed)
        found.append(DoctorFinding("messages.failed", problem, Message("doctor.failed-remedy")))
    if missed:
        problem = Message("doctor.missed", count=missed)
        found.append(DoctorFinding("crawls.missed", problem, Message("doctor.missed-remedy")))
    return found


def check_clock(_: "Settings") -> list[DoctorFinding]:
    """Find stored times that are in the future, because jobs that depend on them would not run."""
    from django.utils import timezone

    from webadmin.ui.services.future_moments import count_ahead

    names = [f"{name} {count:,}" for name, count in count_ahead(timezone.now()).items()]
    problem = Message("doctor.clock-ahead", names=names)
    return [DoctorFinding("clock.ahead", problem, Message("doctor.clock-ahead-remedy"))] if names else []


def check_evidence_status(settings: "Settings") -> list[DoctorFinding]:
    """Find damaged bundles and files, missing timestamps, invalid authorities, and missing nightly checks."""
    from django.utils import timezone

    from webadmin.evidence.services.authorities import configured_authorities
    from webadmin.evidence.services.bundles import evidence_status

    try:
        names = [authority.name for authority in configured_authorities(settings.evidence)]
    except BadConfiguration as error:
        remedy = Message("doctor.authorities-remedy")
        return [DoctorFinding("evidence.authorities", fault, remedy) for fault in error.faults]
    return _evidence_faults(evidence_status(names), timezone.now())


def check_last_backup(_: "Settings") -> list[DoctorFinding]:
    """Check that the last backup is recent enough, and that there is one if there are cases."""
    from django.utils import timezone

    from webadmin.backups.services.runs import backup_status

    warning = backup_status(timezone.now()).warning
    return [DoctorFinding("backup.old", warning, Message("doctor.backup-remedy"))] if warning is not None else []


def check_store_damage(_: "Settings") -> list[DoctorFinding]:
    """Find damage that the checks of the stores reported, and missing nightly checks."""
    from django.utils import timezone

    from webadmin.backups.services.store_checks import known_damages, last_check

    known, last, now = known_damages(), last_check(), timezone.now()
    if known:
        names = _first_names([" ".join(filter(None, (each["place"], each["key"]))) or each["store"] for each in known])
        problem = Message("doctor.stores-damaged", count=len(known), names=names)
        return [DoctorFinding("stores.damaged", problem, Message("doctor.stores-damaged-remedy"))]
    if last is not None and now - last.started_at > MAX_AGE_OF_CHECK:
        problem = Message("doctor.stores-unchecked", when=f"{last.started_at:%Y-%m-%d %H:%M}")
        return [DoctorFinding("stores.unchecked", problem, Message("doctor.stores-unchecked-remedy"))]
    return []


def check_encoder(_: "Settings") -> list[DoctorFinding]:
    """Check that the encoder works if the search for rewrites is on for a rights holder."""
    from matcher.reworded.weights import find_error
    from webadmin.rewrites.services.due_searches import watches

    holders = [watch.name for watch in watches()]
    if not holders or (found := find_error()) is None:
        return []
    problem = Message("doctor.encoder", holders=_first_names(holders), fault=found)
    return [DoctorFinding("reworded.encoder", problem, Message("doctor.encoder-remedy"))]


def _evidence_faults(stands: "EvidenceStatus", now: datetime) -> list[DoctorFinding]:
    found = []
    if stands.damaged_bundles:
        problem = Message("doctor.damaged", damaged=stands.damaged_bundles, bundles=stands.bundles)
        found.append(DoctorFinding("evidence.damaged", problem, Message("doctor.damaged-remedy")))
    if stands.damaged_files:
        problem = Message(
            "doctor.damaged-files", count=len(stands.damaged_files), names=_first_names(stands.damaged_files)
        )
        found.append(DoctorFinding("evidence.files", problem, Message("doctor.damaged-remedy")))
    if stands.waiting_stamps:
        problem = Message("doctor.stamps", count=stands.waiting_stamps, reason=stands.last_error)
        found.append(DoctorFinding("evidence.stamps", problem, Message("doctor.stamps-remedy")))
    last = stands.last_check.started_at if stands.last_check else stands.oldest
    if last is not None and now - last > MAX_AGE_OF_CHECK:
        problem = Message("doctor.unchecked", when=f"{last:%Y-%m-%d %H:%M}")
        found.append(DoctorFinding("evidence.unchecked", problem, Message("doctor.unchecked-remedy")))
    return found


def _first_names(names: list[str]) -> list[str]:
    """Return the first names, shortened for a terminal, and an ellipsis if there are more."""
    shown = [clean_line(name, MAX_NAME_CHARS) for name in names[:MAX_NAMES]]
    return [*shown, "…"] if len(names) > MAX_NAMES else shown


def _skip_without_services(check: Callable[["Settings"], list[DoctorFinding]]) -> Check:
    """Return a check that opens the installation for `check`, and returns no finding if a service does not respond.

    `check_services` reports such a service.
    """

    def check_or_skip(_: Context) -> list[DoctorFinding]:
        try:
            with session() as settings:
                return check(settings)
        except ZhuiwenError:
            return []

    return check_or_skip


CHECKS = (
    check_readings,
    *map(
        _skip_without_services,
        (
            check_index_texts,
            check_failures,
            check_clock,
            check_evidence_status,
            check_store_damage,
            check_last_backup,
            check_encoder,
        ),
    ),
)
