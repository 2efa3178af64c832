"""A disk with no room left: everybody says so, nothing stored is lost, and the services go on when there is room again.

The disk is a real one, in memory, which only root may mount. Without root the system lets a process write no more than
so much into a file, which is the same to who writes.
"""

import os
import re
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import redis
from django.db import OperationalError

from core import disk
from core.errors import RetryLater, ServiceUnavailable
from core.settings_loading import load
from core.wording import Message
from crawler.obfuscation import glyph_ocr
from deploy import home_checks
from deploy import outages as outages_of_commands
from deploy.cli.status import installation_status
from deploy.crawl_waiting import Patience, RunWatch
from deploy.findings import Context
from deploy.home import Home, prepare
from deploy.services import InstallationState, down, installed, preparation, status, up
from laboratory.ports import free_port
from pagestore.connection import MongoDatabase, connect, translate_errors
from tests.support.command_line import CommandLine
from tests.support.embedded import EmbeddedMongo, wait_until
from tests.support.small_disk import filled, mounted
from webadmin.sites.services import outages
from webadmin.ui.console import faults

pytestmark = [pytest.mark.end_to_end, pytest.mark.usefixtures("processes")]

STORES = ("mongo", "redis")
DISK_MB = 160  # of which what counts as full is 64
USER = ("user", "add", "chen", "--role", "administrator", "--password-stdin")


@pytest.fixture
def home(tmp_path: Path, processes: None) -> Iterator[Home]:
    """An installation with its stores up, on a disk of its own."""
    with mounted(tmp_path / "disk", DISK_MB) as folder:
        environ = {"ZHUIWEN_HOME": str(folder / "home"), "ZHUIWEN_WEB_PORT": str(free_port())}
        made = prepare(environ)
        try:
            up(made, str, STORES)
            preparation.prepare(made, preparation.steps(is_alone=True)[:1], str)
            yield made
        finally:
            (folder / "filler").unlink(missing_ok=True)
            down(made, str)
            installed.end(installed.orphans(made))


def fill(home: Home) -> Path:
    """Take all the room that is left."""
    return filled(home.path.parent)


def store(database: MongoDatabase, number: int) -> None:
    with translate_errors(database):
        database["t"].insert_one({"_id": number, "content": os.urandom(200_000)})


def store_until_refused(database: MongoDatabase, first: int) -> tuple[int, str]:
    """How many more documents were acknowledged, and why the next was not."""
    for number in range(first, first + 1000):
        try:
            store(database, number)
        except ServiceUnavailable as refusal:
            return number - first, str(refusal)
    pytest.fail("a full disk took 200 MB")


def test_a_full_disk_is_named_by_all_and_the_stores_go_on_when_there_is_room_again(home: Home) -> None:
    database, client = connect(home.settings.mongo_url), redis.Redis.from_url(home.settings.redis_url)
    command = CommandLine(home.path, {"ZHUIWEN_WEB_PORT": str(home.settings.services.web_port)})
    store(database, 0)
    client.set("before", "1")
    pids = {row.name: row.pid for row in status(home, STORES)}
    filler = fill(home)

    acknowledged, refusal = store_until_refused(database, 1)
    assert "mongo.sock; try: free up disk space" in refusal
    refused = command(*USER, stdin=b"a long secret\n")
    assert (refused.code, len(refused.complaints)) == (1, 1)
    assert f"the disk with {home.path} is full" in refused.err
    for arguments in (["up"], ["config", "set", "user_agent", "x" * 100_000]):
        done = command(*arguments)
        assert (done.code, len(done.complaints)) == (1, 1), done.err
        assert f"the disk with {home.path} is full" in done.err

    shown = command("status")
    assert shown.code == 1
    assert f"the disk with {home.path} is full" in shown.out
    assert "zhuiwen up" not in shown.out
    (found,) = [each for each in home_checks.check_free_disk(Context(home, {})) if each.id == "disk.full"]
    assert str(found.problem) in shown.out

    filler.unlink()
    assert disk.full_file_systems(home.settings) == []
    wait_until(lambda: stores_again(database, client), "the stores take what they are given")
    assert {row.name: row.pid for row in status(home, STORES)} == pids
    assert client.get("before") == b"1"
    assert database["t"].count_documents({"_id": {"$lte": acknowledged}}) == 1 + acknowledged
    assert command(*USER, stdin=b"a long secret\n").code == 0


def stores_again(database: MongoDatabase, client: "redis.Redis") -> bool:
    try:
        store(database, 1000 + database["t"].count_documents({}))
        return bool(client.set("after", "1"))
    except (ServiceUnavailable, redis.RedisError):
        return False


def test_who_waits_for_a_crawl_is_told_that_the_disk_is_full(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", 1) as folder:
        watch = RunWatch(
            load({"ZHUIWEN_HOME": str(folder)}), "crawl", Message("tracking.no-crawler"), Patience(0.0, 0.0, 0.0)
        )
        watch.saw("queued")
        with pytest.raises(RetryLater, match=r"the disk with .* is full.*; free up space") as refusal:
            watch.saw("queued")
    assert "zhuiwen up" not in str(refusal.value)
    assert re.match(r"the disk with .+ is full", str(watch.warning[0]))


def test_a_disk_that_is_no_more_than_full_is_well_again(tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", DISK_MB) as folder:
        settings = load({"ZHUIWEN_HOME": str(folder)})
        (space,) = disk.file_systems(settings)
        assert (space.is_full, space.free_bytes > disk.FULL_BYTES) == (False, True)
        assert "only 0.2 GB are free" in str(space.problem)


# What follows needs no root.


def test_a_service_that_cannot_write_is_not_blamed_where_the_disk_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    broker = ServiceUnavailable(Message("service.broker"), "ZHUIWEN_REDIS_URL", "zhuiwen status")
    broker.__cause__ = redis.ResponseError("MISCONF Errors writing to the AOF file: No space left on device")
    assert outages.outage_message(broker) == outages.FULL_DISK
    assert str(outages_of_commands._describe_wait(broker)) == "waiting for free space on the full disk"
    there_is_room = str(faults.of_a_full_disk(broker, {"ZHUIWEN_HOME": "/"}))
    assert there_is_room == "the message broker (Redis) cannot be written: No space left on device"
    full = Message("start.disk-full", folder="/", megabytes=1)
    monkeypatch.setattr(faults, "full_disk", lambda _: full)
    assert faults.of_a_full_disk(broker, {}) == full
    full_database = OperationalError("database or disk is full")
    assert outages.outage_message(full_database) == outages.FULL_DISK


LIMITED = """
import os, resource, sys
sys.dont_write_bytecode = True  # Python keeps byte code that was cut off: every later process would stumble over it
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
from deploy.cli import main
main()
"""


def test_a_place_that_takes_no_file_is_full_though_there_is_room(tmp_path: Path) -> None:
    command = CommandLine(tmp_path / "home")
    prepare(command.environ())
    shown = command.python("-c", LIMITED, "status")
    assert shown.code == 1
    assert f"the disk with {tmp_path / 'home'} is full" in shown.out


@contextmanager
def limited(pid: int, file_bytes: int) -> Iterator[None]:
    """Another process may write no further than so into any file."""
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (file_bytes, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits a process that runs")
def test_the_page_store_refuses_what_it_cannot_write_and_loses_nothing(tmp_path: Path) -> None:
    server = EmbeddedMongo(tmp_path / "mongo")
    server.start()
    try:
        database = connect(server.url("t"))
        store(database, 0)
        size = max(path.stat().st_size for path in server.folder.iterdir())
        with limited(server.pid, size):
            acknowledged, refusal = store_until_refused(database, 1)
        assert "free up disk space" in refusal
        store(database, 1000)
        assert database["t"].count_documents({"_id": {"$lte": acknowledged}}) == 1 + acknowledged
        assert database["t"].count_documents({"_id": 1000}) == 1
    finally:
        server.stop()


def test_status_is_a_failure_for_programs_too_when_services_do_not_run(tmp_path: Path) -> None:
    environ: dict[str, Any] = {"ZHUIWEN_HOME": str(tmp_path / "home")}
    prepare(environ)
    stands = installation_status(environ | {"ZHUIWEN_CHROMIUM": "/nowhere"})
    assert not stands.is_well
    assert {note.code for note in stands.notes} & {"site.no-chromium", "site.no-browser"}
    assert {row.state for row in stands.services} == {InstallationState.STOPPED}
    assert stands.remedies


def test_status_says_what_to_install_where_pictures_of_text_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ: dict[str, Any] = {"ZHUIWEN_HOME": str(tmp_path / "home")}
    prepare(environ)
    monkeypatch.setattr(glyph_ocr, "find_spec", lambda name: object())
    assert "site.no-ocr" not in {note.code for note in installation_status(environ).notes}
    monkeypatch.setattr(glyph_ocr, "find_spec", lambda name: None)
    (note,) = [note for note in installation_status(environ).notes if note.code == "site.no-ocr"]
    assert "pip install 'zhuiwen[ocr]'" in str(note)
