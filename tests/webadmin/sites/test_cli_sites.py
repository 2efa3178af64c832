"""`zhuiwen site list`."""

import json
from contextlib import nullcontext
from datetime import UTC, datetime

import pytest

from core.errors import ServiceUnavailable
from core.settings_loading import load
from core.wording import Message
from tests.support import admin_data
from webadmin.sites.cli import sites
from webadmin.sites.models import CrawlRun, Site
from webadmin.sites.services import outages

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 10, 4, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The verb's own session would lead to another database than the test's."""
    monkeypatch.setattr(sites, "session", lambda: nullcontext(load({})))


@pytest.fixture
def site() -> Site:
    return admin_data.site(admin_data.holder(), host="luoxia.changhe.example")


def listed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The cells of the one site."""
    sites.show(is_json=False)
    return capsys.readouterr().out.splitlines()[1].split("\t")


def test_pages_count_whether_they_changed_or_not(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    run = admin_data.run(site)
    assert listed(capsys)[-1].endswith("pages 61, new or changed 12")
    CrawlRun.objects.filter(pk=run.pk).update(pages_stored=0, new_versions=0, counts={"unchanged": 40})
    assert listed(capsys)[-1].endswith("pages 40, none changed")
    sites.show(is_json=True)
    (record,) = json.loads(capsys.readouterr().out)
    assert (record["last_run"]["pages_seen"], record["last_run"]["new_versions"]) == (40, 0)


def test_a_site_of_archives_is_imported_and_not_crawled(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    Site.objects.filter(pk=site.pk).update(kind="archive")
    assert listed(capsys)[-2:] == ["imported, not crawled", "no archive yet"]
    admin_data.archive_import(site, "old.warc.gz")
    assert listed(capsys)[-1] == "2026-03-10 12:00 imported"


def test_a_waiting_crawl_says_for_what_and_how_long(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    run = CrawlRun.objects.create(site=site, state=CrawlRun.State.RUNNING, due_at=NOW)
    away = ServiceUnavailable(Message("service.page-store"), "ZHUIWEN_MONGO_URL").message
    assert outages.wait_for_service(run, None, away, NOW, has_moved=False)
    assert listed(capsys)[-1] == (
        f"2026-03-10 12:00 {run.get_state_display()}: the page store did not respond;"
        " the crawl continues automatically at 2026-03-10 12:00:30"
    )
    sites.show(is_json=True)
    (record,) = json.loads(capsys.readouterr().out)
    assert record["last_run"]["goes_on"] == "2026-03-10T12:00:30+08:00"
    assert record["last_run"]["ended_because"].startswith("the page store did not respond")
