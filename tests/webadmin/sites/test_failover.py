"""Crawls and commands while a service is away: a real PostgreSQL that is killed, a real Redis, real processes."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from core.errors import BadInput
from laboratory.servers import Server, end_connections, postgres, running
from tests.support.command_line import CommandLine
from tests.support.installation import CRAWLER, Installation, installed, wait_until
from tests.support.redis_server import own_redis
from tests.support.web_server import WebServer
from tests.webadmin.sites.test_crawlers import all_of, hold_after, site_of, texts_of

pytestmark = [pytest.mark.end_to_end, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def server(loopback: None, processes: None) -> Iterator[Server]:
    # PostgreSQL's own user has to reach it, which pytest's folders are closed to.
    folder = Path(tempfile.mkdtemp(prefix="zhuiwen-sql-"))
    folder.chmod(0o755)
    try:
        made = postgres(folder / "sql")
        with running(made):
            yield made
    except BadInput as error:
        if os.environ.get("REQUIRE_SERVICES") == "1":
            raise
        pytest.skip(str(error))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def on_postgres(server: Server, tmp_path: Path, mongo_url: str, redis_url: str) -> Iterator[Installation]:
    with WebServer(site_of("/s0")) as web, installed(tmp_path, tmp_path / "unused", mongo_url, redis_url, web) as made:
        made.machine(DATABASE_URL=server.url)
        yield made


def runs_of(server: Server, site: int) -> list[tuple[int, str, int]]:
    with psycopg.connect(server.url) as connection:
        rows = connection.execute(
            "SELECT id, state, outages FROM watched_sites_crawlrun WHERE site_id = %s ORDER BY id", [site]
        ).fetchall()
    return [(int(run), str(state), int(outages)) for run, state, outages in rows]


def test_a_crawl_waits_for_a_killed_database(server: Server, on_postgres: Installation) -> None:
    ((site, run),) = on_postgres.sites({"name": "某站", "start_urls": on_postgres.server.url("/s0/")})
    released = hold_after(4, on_postgres, run)
    on_postgres.machines[0].wake(run)
    wait_until(lambda: len(on_postgres.asked("/s0/")) >= 4, "the crawl is in its midst")
    server.kill()
    released.set()
    wait_until(lambda: on_postgres.pages(site) == texts_of("/s0"), "pages are stored without the database")
    wait_until(lambda: "is waited for" in on_postgres.machines[0].log(), "what became of it cannot be written yet")
    server.start()
    wait_until(lambda: not on_postgres.machines[0].processes(CRAWLER), "the crawler ends")
    assert runs_of(server, site) == [(run, "finished", 0)]
    assert set(on_postgres.asked("/s0/")) >= all_of("/s0")


def test_ended_connections_fail_no_run(server: Server, on_postgres: Installation) -> None:
    ((site, run),) = on_postgres.sites({"name": "另站", "start_urls": on_postgres.server.url("/s0/")})
    released = hold_after(0, on_postgres, run)
    on_postgres.machines[0].wake(run)
    wait_until(lambda: on_postgres.asked("/s0/"), "the crawl begins")
    assert end_connections(server.url) > 0
    released.set()
    wait_until(lambda: not on_postgres.machines[0].processes(CRAWLER), "the crawler ends")
    assert runs_of(server, site) == [(run, "finished", 0)]
    assert on_postgres.pages(site) == texts_of("/s0")


def test_a_crawl_waits_for_its_broker_and_goes_on(tmp_path: Path, mongo_url: str) -> None:
    (tmp_path / "redis").mkdir()
    with ExitStack() as stack, WebServer(site_of("/s0")) as web:
        broker = stack.enter_context(ExitStack())
        port = broker.enter_context(own_redis(tmp_path / "redis", []))
        url = f"redis://127.0.0.1:{port}/0"
        made = stack.enter_context(installed(tmp_path, tmp_path / "admin.sqlite3", mongo_url, url, web))
        machine = made.machine()
        ((site, run),) = made.sites({"name": "某站", "start_urls": web.url("/s0/"), "delay_s": 0.05})
        released = hold_after(8, made, run)
        machine.wake(run)
        wait_until(lambda: len(made.asked("/s0/")) > 8, "the crawl is in its midst")
        broker.close()
        released.set()
        wait_until(lambda: made.outcome(run)["resume_at"], "the run waits")
        waits = made.outcome(run)
        assert (waits["state"], waits["outages"]) == ("queued", 1)
        assert '"crawl.waits-for-service"' in waits["finish_reason"]
        assert '"service.broker"' in waits["finish_reason"], "which service it waits for is said"
        wait_until(lambda: not machine.processes(CRAWLER), "the crawler has nothing to do")
        stack.enter_context(own_redis(tmp_path / "redis", [], port))
        made.change("UPDATE watched_sites_crawlrun SET resume_at = datetime('now') WHERE id = ?", run)
        machine.wake(run)
        wait_until(lambda: made.ended([site]), "the run goes on")
        assert made.state(run) == "finished"
        assert made.pages(site) == texts_of("/s0")
        assert made.asked()["/s0/"] == 1, "the crawl began anew in place of going on"


@pytest.mark.parametrize("arguments", [("site", "list"), ("crawl", "--due"), ("cases",)])
def test_an_absent_database_is_named(arguments: tuple[str, ...], tmp_path: Path, processes: None) -> None:
    at = "127.0.0.1:1"
    zhuiwen = CommandLine(tmp_path / "home", {"ZHUIWEN_DATABASE_URL": f"postgres://zw:secret@{at}/zhuiwen"})
    done = zhuiwen(*arguments)
    assert done.code == 1
    said = done.complaints[-1]
    assert said == (
        f"zhuiwen: the admin database is not responding at {at} (ZHUIWEN_DATABASE_URL); try: zhuiwen doctor"
    )
