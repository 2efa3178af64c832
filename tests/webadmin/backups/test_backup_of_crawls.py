"""An installation that is destroyed in the middle of a crawl, and goes on elsewhere from its backup.

What runs: real crawlers; the admin database in SQLite, restored into SQLite and, where there is one, PostgreSQL.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.embedded import EmbeddedMongo
from tests.support.installation import CRAWLER, Installation, Machine, installed, wait_until
from tests.support.web_server import WebServer
from tests.webadmin.sites.test_crawlers import hold_after, texts_of, watched

pytestmark = [pytest.mark.end_to_end, pytest.mark.timeout(900)]

OTHER = os.environ.get("TEST_DATABASE_URL", "")
_BACK_UP = """
from pipeline.app import SETTINGS
from webadmin.backups.services.runs import BackupRequest, back_up
made, *_ = back_up(BackupRequest(sys.argv[1]), SETTINGS, lambda *_: None)
print(made.backup.id, len(made.backup.manifest.lacking))
"""
_RESTORE = """
from pagestore.connection import connect
from pipeline.app import SETTINGS
from webadmin import stores
from webadmin.backups.services.destinations import open_destination
from webadmin.backups.services.format import list_backups, load_backup
from webadmin.backups.services.restoring import RestoreTarget, require_empty, restore, settle
place = open_destination(sys.argv[1], SETTINGS)
backup = load_backup(place, list_backups(place)[-1])
target = RestoreTarget(connect(SETTINGS.mongo_url), stores.evidence_store())
require_empty(target)
print(restore(backup.manifest, place, target, lambda *_: None))
settle(backup)
"""
_GO_ON = """
from django.utils import timezone
from webadmin.sites.services.interruptions import requeue_live_runs
from tests.support.memory_cases import MemoryOutbox
from webadmin.sites.models import CrawlRun
requeue_live_runs(MemoryOutbox())
print(CrawlRun.objects.get(state="queued").pk)
"""
_ENDED = """
from webadmin.sites.models import CrawlRun
print(CrawlRun.objects.get(pk=sys.argv[1]).state)
"""
_EMPTY = """
from django.core.management import call_command
call_command("flush", interactive=False, verbosity=0)
"""


@pytest.fixture
def installation(tmp_path: Path, mongo_url: str, redis_url: str) -> Iterator[Installation]:
    folder = tmp_path / "first"
    folder.mkdir()
    with WebServer({}) as server, installed(folder, folder / "a.sqlite3", mongo_url, redis_url, server) as made:
        yield made


@pytest.mark.parametrize(
    "database",
    [
        pytest.param("", id="sqlite"),
        pytest.param(OTHER, id="postgresql", marks=pytest.mark.skipif(not OTHER, reason="needs TEST_DATABASE_URL")),
    ],
)
def test_a_crawl_that_was_backed_up_in_its_midst_goes_on_elsewhere(
    installation: Installation, mongo_server: EmbeddedMongo, redis_url: str, tmp_path: Path, database: str
) -> None:
    machine = installation.machine()
    site, run = watched(installation, 1, delay_s=0.01)["/s0"]
    released = hold_after(9, installation, run)
    machine.wake(run)
    wait_until(lambda: len(installation.pages(site)) >= 3, "some pages are stored")
    place = tmp_path / "backups"
    backup, lacking = machine.run(_BACK_UP, place)[0].split()
    assert (backup[:2], lacking) == ("20", "0")
    before = installation.pages(site)
    for each in machine.processes(CRAWLER):
        each.kill()
    installation.end()
    released.set()
    installation.database.unlink()

    folder = tmp_path / "second"
    folder.mkdir()
    url = mongo_server.url(f"restored_{os.getpid()}_{'other' if database else 'same'}")
    with installed(folder, folder / "b.sqlite3", url, redis_url, installation.server) as other:
        moved = other.machine("b", **({"DATABASE_URL": database} if database else {}))
        if database:
            moved.run(_EMPTY)
        assert int(moved.run(_RESTORE, place)[0]) > 100
        assert other.pages(site) <= before
        assert len(other.pages(site)) >= 3
        again = int(moved.run(_GO_ON)[0])
        moved.wake(again)
        wait_until(lambda: moved.run(_ENDED, again) == ["finished"], "the crawl ends elsewhere")
        assert other.pages(site) == texts_of("/s0")
        _again(moved, place)


def _again(machine: Machine, place: Path) -> None:
    """The restored installation goes on with the backups of the first."""
    assert machine.run(_BACK_UP, place)[0].endswith(" 0")
