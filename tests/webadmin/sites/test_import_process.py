"""Archives as the product takes them in: processes beside the workers, as many as slots, killed and stopped."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.services.processes import worker_command
from tests.crawler.test_warc_import import Archive, markup
from tests.support.installation import IMPORT, Installation, Machine, installed, wait_until
from tests.support.web_server import WebServer

pytestmark = [pytest.mark.end_to_end, pytest.mark.timeout(600)]

PAGES = 400
_REQUEST = """
from pathlib import Path
from webadmin.sites.services import imports, watchlist
from webadmin.accounts.models import RightsHolder
holder, _ = RightsHolder.objects.get_or_create(name="甲")
for path in sys.argv[1:]:
    imports.request_import(holder, Path(path), watchlist.archive_site(holder, Path(path).name))
"""
_TAKE = "from webadmin.sites import tasks as sites_tasks; sites_tasks.take_imports()"


@pytest.fixture
def installation(tmp_path: Path, mongo_url: str, redis_url: str) -> Iterator[Installation]:
    with WebServer({}) as server, installed(tmp_path, tmp_path / "admin.sqlite3", mongo_url, redis_url, server) as made:
        yield made


def request(machine: Machine, folder: Path, number: int) -> None:
    for each in range(number):
        made = Archive()
        for page in range(PAGES):
            made.response(f"http://archive{each}.example/{page}", markup(page))
        made.save(folder / f"{each}.warc.gz")
    machine.run(_REQUEST, *(folder / f"{each}.warc.gz" for each in range(number)))


def rows(installation: Installation) -> list[sqlite3.Row]:
    return installation.rows("SELECT * FROM watched_sites_archiveimport ORDER BY id")


def states(installation: Installation) -> list[str]:
    return [row["state"] for row in rows(installation)]


def test_slots_bound_the_imports_and_a_kill_frees_one(installation: Installation, tmp_path: Path) -> None:
    machine = installation.machine(CRAWLERS=1)
    request(machine, tmp_path, 1)
    machine.run(_TAKE)
    wait_until(lambda: states(installation) == ["running"], "one is taken in")
    (first,) = machine.processes(IMPORT)
    first.suspend()
    installation.change("UPDATE watched_sites_archiveimport SET heartbeat_at = datetime(heartbeat_at, '-20 minutes')")
    machine.run(_TAKE)
    assert machine.processes(IMPORT) == [first], "another began although all slots are taken"
    first.kill()
    wait_until(lambda: not machine.processes(IMPORT), "it has ended")
    machine.run(_TAKE)
    wait_until(lambda: states(installation) == ["finished"], "another goes on in its place")
    assert len(installation.stored(rows(installation)[0]["site_id"])) == PAGES
    wait_until(lambda: not machine.processes(IMPORT), "it ends when nothing waits")


def test_a_worker_that_is_stopped_ends_the_import_it_started(installation: Installation, tmp_path: Path) -> None:
    machine = installation.machine()
    request(machine, tmp_path, 1)
    with machine.worker(worker_command(1)) as worker:
        machine.run(
            "from webadmin.sites import tasks as sites_tasks; sites_tasks.take_imports.apply_async(retry=False)"
        )
        wait_until(lambda: states(installation) == ["running"], "it is taken in")
        worker.terminate()
        assert worker.wait(120) == 0
    assert not machine.processes(IMPORT), "an import outlived its worker"
