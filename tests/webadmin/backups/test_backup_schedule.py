"""When the plan of the desk owes a backup, and when anybody is told that there is none."""

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from core.wording import Message
from tests.support import admin_data
from webadmin.backups.models import BackupPlan, BackupRun
from webadmin.backups.models.backup import ONLY
from webadmin.backups.services.runs import UNENDED, BackupRequest, backup_status
from webadmin.backups.services.schedule import due_backup
from webadmin.sites.services.encrypted_secrets import KeyLost, seal

pytestmark = pytest.mark.django_db

HERE = ZoneInfo("Asia/Shanghai")
NOON = datetime(2026, 11, 27, 12, 0, tzinfo=HERE)
FAULT = Message("backup.another-runs")


def planned(**values: object) -> BackupPlan:
    given = {"is_on": True, "destination": "file:///mnt/b", "at": time(4), "keep": 5}
    return BackupPlan.objects.create(pk=ONLY, **given | {"passphrase": seal("a b c d e f g")} | values)


def ran(at: datetime, fault: Message | None = None, is_scheduled: bool = True) -> BackupRun:
    values = {"destination": "file:///mnt/b", "is_scheduled": is_scheduled, "fault": fault}
    return BackupRun.objects.create(started_at=at, ended_at=at + timedelta(minutes=5), **values)


def test_one_is_due_from_its_time_of_day_on_until_it_was_made() -> None:
    planned()
    wanted = BackupRequest("file:///mnt/b", "a b c d e f g", 5, is_scheduled=True)
    assert due_backup(NOON) == wanted
    ran(NOON.replace(hour=3, minute=30), is_scheduled=False)
    assert due_backup(NOON) == wanted, "one made by hand is none of the schedule"
    ran(NOON.replace(hour=4, minute=3))
    assert due_backup(NOON) is None
    assert due_backup(NOON + timedelta(hours=15, minutes=59)) is None
    assert due_backup(NOON + timedelta(hours=16)) == wanted


@pytest.mark.parametrize("fault", [FAULT, Message(UNENDED)], ids=["failed", "runs or was killed"])
def test_one_that_is_none_is_due_an_hour_after_its_last_sign_of_life(fault: Message) -> None:
    planned()
    ran(NOON, fault)
    assert due_backup(NOON + timedelta(minutes=64)) is None
    assert due_backup(NOON + timedelta(minutes=65)) is not None


def test_a_passphrase_that_the_key_no_longer_opens_is_noted_as_a_backup_that_failed() -> None:
    planned(passphrase="sealed with another key")
    assert due_backup(NOON) is None
    failed = BackupRun.objects.get()
    assert (failed.is_scheduled, failed.fault) == (True, KeyLost().message)
    assert due_backup(NOON + timedelta(minutes=59)) is None
    assert BackupRun.objects.count() == 1


@pytest.mark.parametrize("values", [{"is_on": False}, {"destination": ""}])
def test_nothing_is_due_without_a_plan_that_is_on_and_says_where_to(values: dict[str, object]) -> None:
    assert due_backup(NOON) is None
    planned(**values)
    assert due_backup(NOON) is None


def test_a_missing_or_old_backup_is_told_of_and_one_that_failed_is_none() -> None:
    assert backup_status(NOON).warning is None, "an installation without cases and plan is left in peace"
    admin_data.fill_estate("长河文学", "changhe", cases=1)
    assert backup_status(NOON).warning == Message("backup.never")
    planned(warn_days=3)
    ran(NOON - timedelta(days=3), is_scheduled=False)
    assert backup_status(NOON).warning is None
    late = NOON + timedelta(hours=25)
    ran(NOON + timedelta(hours=1), FAULT)
    assert backup_status(late).warning == Message("backup.old", days=4, most=3)
