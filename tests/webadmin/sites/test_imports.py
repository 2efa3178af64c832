"""Archive imports as rows: into which site a page goes, what a killed one costs, what a bad file leaves behind."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from core.errors import ServiceUnavailable, UnreadableFile
from core.settings import CrawlSettings
from tests.crawler.crawl_process import RecordingOutbox, RecordingStore
from tests.crawler.test_warc_import import Archive, markup
from tests.support.refusals import refused
from webadmin.accounts.models import RightsHolder
from webadmin.sites.models import ArchiveImport
from webadmin.sites.services import imports, watchlist
from webadmin.sites.services.archive_imports import run_import

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("processes")]
SETTINGS = CrawlSettings()


@pytest.fixture
def holder() -> RightsHolder:
    return RightsHolder.objects.create(name="甲")


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    made = Archive()
    for number in range(1, 31):
        made.response(f"http://www.one.example/{number}", markup(number))
        made.response(f"http://two.example:8080/{number}", markup(number))
        made.response(f"http://nobody.example/{number}", markup(number))
    return made.save(tmp_path / "a.warc.gz")


def run(row: ArchiveImport, store: RecordingStore | None = None) -> RecordingStore:
    kept = store or RecordingStore()
    run_import(row, kept, RecordingOutbox(), SETTINGS)
    row.refresh_from_db()
    return kept


def test_each_page_goes_to_the_site_that_owns_its_host(holder: RightsHolder, archive: Path) -> None:
    one = watchlist.add_site(holder, "http://one.example/")
    two = watchlist.add_site(holder, "http://two.example:8080/")
    watchlist.add_site(RightsHolder.objects.create(name="乙"), "http://nobody.example/")
    row = imports.begin_import(holder, archive)
    store = run(row)
    by_site = [fetched.site_id for fetched, _ in store.versions.values()]
    assert (by_site.count(str(one.pk)), by_site.count(str(two.pk)), len(by_site)) == (30, 30, 60)
    assert (row.state, row.counts["stored"], row.counts["passed_by"]) == ("finished", 60, {"not_watched": 30})


def test_a_site_that_is_named_takes_all_pages(holder: RightsHolder, archive: Path) -> None:
    site = watchlist.archive_site(holder, "旧档")
    assert (site.kind, watchlist.archive_site(holder, "旧档").pk) == ("archive", site.pk)
    store = run(imports.begin_import(holder, archive, site))
    assert {fetched.site_id for fetched, _ in store.versions.values()} == {str(site.pk)}
    assert len(store.versions) == 90


def test_an_import_goes_on_after_its_store(
    holder: RightsHolder, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webadmin.sites.services.archive_imports.NOTE_EVERY_S", 0.0)
    site = watchlist.archive_site(holder, "旧档")
    first = RecordingStore()

    class Failing(RecordingStore):
        def put(self, fetched, reading):  # type: ignore[no-untyped-def]
            if len(first.versions) == 60:
                raise ServiceUnavailable("the page store", "mongodb://127.0.0.1:1")
            return first.put(fetched, reading)

    row = imports.begin_import(holder, archive, site)
    with pytest.raises(ServiceUnavailable):
        run(row, Failing())
    imports.interrupt_import(row)
    again = imports.begin_import(holder, archive, site)
    assert again.pk == row.pk
    second = run(again)
    row.refresh_from_db()
    urls = {fetched.final_url for fetched, _ in [*first.versions.values(), *second.versions.values()]}
    # Pages are stored in batches of 32, the second of which failed; the last record that was noted is read again.
    assert (len(urls), len(second.versions), row.state) == (90, 59, "finished")


def test_the_same_file_goes_on_and_another_begins_anew(holder: RightsHolder, archive: Path) -> None:
    row = imports.begin_import(holder, archive)
    ArchiveImport.objects.filter(pk=row.pk).update(state="failed", position={"member": 0, "offset": 500})
    again = imports.begin_import(holder, archive)
    assert (again.pk, again.state, again.position["offset"]) == (row.pk, "running", 500)
    Archive().response("http://one.example/1", markup(1)).save(archive)
    other = imports.begin_import(holder, archive)
    assert (other.pk != row.pk, other.position) == (True, {})


def test_an_import_that_is_being_done_is_not_begun_twice(holder: RightsHolder, archive: Path) -> None:
    imports.begin_import(holder, archive)
    assert imports.is_importing(timezone.now())
    refused("already", imports.begin_import, holder, archive)


def test_an_import_whose_process_was_killed_is_resumed(holder: RightsHolder, archive: Path) -> None:
    row = imports.begin_import(holder, archive)
    ArchiveImport.objects.filter(pk=row.pk).update(heartbeat_at=timezone.now() - timedelta(minutes=11))
    assert not imports.is_importing(timezone.now())
    assert imports.begin_import(holder, archive).pk == row.pk
    assert imports.is_importing(timezone.now())


def test_a_bad_file_ends_in_the_row_with_a_sentence(holder: RightsHolder, tmp_path: Path) -> None:
    path = tmp_path / "bad.warc"
    path.write_bytes(b"no archive at all\n" * 50)
    row = imports.begin_import(holder, path, watchlist.archive_site(holder, "旧档"))
    run(row)
    assert row.state == "failed"
    assert row.faults[0].params["reason"].code == "archive.none"
    with pytest.raises(UnreadableFile):
        imports.begin_import(holder, tmp_path / "none.warc")
