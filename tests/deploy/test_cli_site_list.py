"""`zhuiwen site list`: how the newest crawl ended, and sites that are not crawled."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from core.settings import Settings
from core.settings_loading import load
from deploy.cli import sites
from records.models import CrawlRun, Site
from tests.support import admin_data

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The verb's own session would lead to another database than the test's."""

    @contextmanager
    def session() -> Iterator[Settings]:
        yield load({})

    monkeypatch.setattr(sites, "session", session)


@pytest.fixture
def site() -> Site:
    return admin_data.site(admin_data.holder(), host="luoxia.changhe.example")


def listed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The cells of the one site."""
    sites.show(is_json=False)
    return capsys.readouterr().out.splitlines()[1].split("\t")


def test_pages_that_were_looked_at_count_whether_they_had_changed_or_not(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
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
