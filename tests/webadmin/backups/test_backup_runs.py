"""Backups as the installation notes them: begun, ended, failed, beside another, at a place that lost what it had."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.utils import timezone

from core.errors import BadInput, RetryLater, ServiceUnavailable
from core.settings import Settings
from core.wording import Message
from pagestore.objects.folder import FolderObjects
from tests.support.memory_evidence import MemoryEvidenceStore
from webadmin import stores
from webadmin.backups.models import BackupPlan, BackupRun
from webadmin.backups.models.backup import ONLY
from webadmin.backups.services.restoring import settle
from webadmin.backups.services.runs import UNENDED, BackupRequest, back_up, shown_destination

pytestmark = pytest.mark.django_db(transaction=True)


def unheard(*_: object) -> None:
    """Progress that nobody reads."""


@pytest.fixture
def settings(mongo_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    evidence = MemoryEvidenceStore()
    monkeypatch.setattr(stores, "evidence_store", lambda: evidence)
    home = tmp_path / "home"
    home.mkdir()
    held: Settings = django_settings.ZHUIWEN
    services = replace(held.services, mongo_url=mongo_url, raw_url="", database_url="")
    return replace(held, home=home, services=services)


def test_a_backup_has_a_row_from_the_start_that_any_fault_ends(settings: Settings, tmp_path: Path) -> None:
    asked = BackupRequest(str(tmp_path / "place"), is_scheduled=True)
    seen: list[Message | None] = []

    def dying(*_: object) -> None:
        seen.append(BackupRun.objects.get().fault)
        raise MemoryError

    with pytest.raises(MemoryError):
        back_up(asked, settings, dying)
    assert seen == [Message(UNENDED)]
    failed = BackupRun.objects.get()
    assert str(failed.fault) == "it failed: MemoryError: "
    assert back_up(asked, settings, unheard).made.backup.id == BackupRun.objects.first().backup_id  # type: ignore[union-attr]


def test_backups_that_must_stay_only_warn(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = BackupRequest(str(tmp_path / "place"), keep=1)
    back_up(asked, settings, unheard)

    def locked(self: object, key: str) -> None:
        raise ServiceUnavailable("S3", "bucket")

    monkeypatch.setattr(FolderObjects, "remove", locked)
    done = back_up(asked, settings, unheard)
    run = BackupRun.objects.first()
    assert (run.fault, run.backup_id, run.warning) == (None, done.made.backup.id, done.warning)
    assert "old backups could not be removed" in str(run.warning)


def test_a_place_that_lost_its_backups_is_refused(settings: Settings, tmp_path: Path) -> None:
    place = tmp_path / "mounted"
    back_up(BackupRequest(str(place)), settings, unheard)
    place.rename(tmp_path / "elsewhere")
    with pytest.raises(BadInput, match="that it is mounted"):
        back_up(BackupRequest(str(place)), settings, unheard)
    assert not place.exists()
    back_up(BackupRequest(str(tmp_path / "elsewhere")), settings, unheard)


def test_two_machines_make_no_backup_to_one_place_at_once(settings: Settings, tmp_path: Path) -> None:
    place = str(tmp_path / "place")
    shared = replace(settings, services=replace(settings.services, database_url="postgresql://db.example/zhuiwen"))
    now = timezone.now()
    other = BackupRun.objects.create(
        started_at=now - timedelta(hours=3),
        ended_at=now - timedelta(minutes=50),
        destination=shown_destination(place),
        fault=Message(UNENDED),
    )
    with pytest.raises(RetryLater, match="a backup to this destination was started"):
        back_up(BackupRequest(place), shared, unheard)
    assert BackupRun.objects.count() == 1
    BackupRun.objects.filter(pk=other.pk).update(ended_at=now - timedelta(minutes=61))
    back_up(BackupRequest(place), shared, unheard)


def test_a_restored_installation_has_no_schedule_and_a_good_run(settings: Settings, tmp_path: Path) -> None:
    place = str(tmp_path / "place")
    BackupPlan.objects.create(pk=ONLY, is_on=True, destination=place)
    backup = back_up(BackupRequest(place), settings, unheard).made.backup
    BackupRun.objects.update(fault=Message(UNENDED), backup_id="")  # as the backup itself has it
    assert settle(backup)
    run = BackupRun.objects.get()
    assert (run.fault, run.backup_id, run.ended_at) == (None, backup.id, backup.manifest.ended_at)
    assert not BackupPlan.objects.get().is_on
    assert not settle(backup)
