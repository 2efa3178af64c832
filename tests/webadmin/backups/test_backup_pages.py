"""Backups on the desk: the schedule as administrators set it, what was made, and the warning on the dashboard."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.support import admin_data
from tests.support.desk import signed_in
from webadmin.backups.models import BackupPlan, BackupRun
from webadmin.sites.services.encrypted_secrets import unseal

pytestmark = pytest.mark.django_db

SET = {"is_on": "on", "at": "04:30", "keep": "7", "warn_days": "2"}


@pytest.fixture
def administrator() -> Client:
    return signed_in(admin_data.administrator())


def test_the_schedule_is_set_once_and_its_passphrase_is_kept_sealed(administrator: Client, tmp_path: Path) -> None:
    add = reverse("admin:backups_backupplan_add")
    sent = SET | {"destination": str(tmp_path), "passphrase_given": "correct horse battery"}
    assert administrator.post(add, sent).status_code == 302
    plan = BackupPlan.objects.get()
    assert (plan.destination, plan.keep, str(plan.at)) == (f"file://{tmp_path}", 7, "04:30:00")
    assert "horse" not in plan.passphrase
    assert unseal(plan.passphrase) == "correct horse battery"
    change = reverse("admin:backups_backupplan_change", args=[plan.pk])
    shown = administrator.get(change).content.decode()
    assert plan.passphrase not in shown
    assert "horse" not in shown
    assert administrator.post(change, SET | {"destination": "s3://bucket/zhuiwen"}).status_code == 302
    plan.refresh_from_db()
    assert (plan.destination, unseal(plan.passphrase)) == ("s3://bucket/zhuiwen", "correct horse battery")
    administrator.post(change, SET | {"destination": "s3://bucket/zhuiwen", "passphrase_given": "-"})
    plan.refresh_from_db()
    assert plan.passphrase == ""
    assert administrator.get(add).status_code == 403


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({"destination": ""}, "请填写存放位置。"),
        ({"destination": "ftp://host/x"}, "ftp://host/x 不是可用的备份位置"),
        ({"destination": "/b", "passphrase_given": "short"}, "口令太短"),
        ({"destination": "/b", "keep": "0"}, "1"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(administrator: Client, sent: dict[str, str], told: str) -> None:
    answer = administrator.post(reverse("admin:backups_backupplan_add"), SET | sent)
    assert answer.status_code == 200
    assert told in answer.content.decode()
    assert not BackupPlan.objects.exists()


def test_the_dashboard_warns_administrators_alone(administrator: Client) -> None:
    estate = admin_data.fill_estate("长河文学", "changhe", cases=1)
    address = reverse("admin:backups_backuprun_changelist")
    dashboard = reverse("admin:dashboard")
    assert "已完成的备份" in administrator.get(dashboard).content.decode()
    assert f'href="{address}"' in administrator.get(dashboard).content.decode()
    assert "已完成的备份" not in signed_in(estate.manager).get(dashboard).content.decode()
    past = timezone.now() - timedelta(days=5)
    BackupRun.objects.create(started_at=past, ended_at=past, destination="file:///mnt/b")
    assert "距上一次备份的天数" in administrator.get(dashboard).content.decode()
