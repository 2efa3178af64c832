"""Test what the database knows of its tables."""

import pytest
from django.db import connection
from django_celery_beat.models import PeriodicTask

from core.settings_loading import load
from tests.support.admin_data import fill_world
from webadmin.backups import tasks as backups_tasks
from webadmin.preparation import ensure_schedule

pytestmark = pytest.mark.django_db


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL looks at its tables by itself")
def test_each_night_sqlite_looks_at_its_tables() -> None:
    fill_world()
    backups_tasks.refresh_statistics()
    with connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT tbl FROM sqlite_stat1")
        known = {name for (name,) in cursor.fetchall()}
    assert {"cases_case", "watched_sites_pagerecord", "cases_matter"} <= known
    ensure_schedule(load({}))
    assert PeriodicTask.objects.get(task="backups.refresh_statistics").crontab is not None
