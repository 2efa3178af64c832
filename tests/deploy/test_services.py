"""Real supervisord, real embedded stores, in a home folder of the test's own."""

import contextlib
import errno
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import redis

from core import sockets
from core.errors import BadConfiguration, PortTaken, RetryLater
from deploy.home import Home, prepare
from deploy.services import InstallationState, down, installed, status, up
from deploy.services.supervision import Supervisor, configuration_path
from laboratory.ports import free_port
from pagestore.mongo import connect
from tests.support.embedded import is_running, wait_until

pytestmark = [pytest.mark.end_to_end, pytest.mark.usefixtures("processes")]

STORES = ("mongo", "redis")


def silent(_: str) -> None:
    """Progress that nobody reads."""


def environ_for(folder: Path) -> dict[str, str]:
    return {
        "ZHUIWEN_HOME": str(folder),
        "ZHUIWEN_WEB_PORT": str(free_port()),
    }


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    # A name that needs quoting in shells, URLs and ini files, and too long for a socket beside pytest's own.
    made = prepare(environ_for(tmp_path / '追文 50% ; "家"'))
    yield made
    down(made, silent)
    installed.end(installed.orphans(made))
    assert not list(sockets.folder(made.path).glob("*"))


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, processes: None) -> Iterator[Home]:
    """Stores that are up, for tests that leave them as they are."""
    made = prepare(environ_for(tmp_path_factory.mktemp("running")))
    up(made, silent, STORES)
    yield made
    down(made, silent)
    installed.end(installed.orphans(made))


def client_of(home: Home) -> Any:
    return redis.Redis.from_url(home.settings.redis_url, decode_responses=True)


def by_name(home: Home) -> dict[str, Any]:
    return {each.name: each for each in status(home, STORES)}


def are_running(home: Home) -> bool:
    return all(each.state is InstallationState.RUNNING for each in status(home, STORES))


def kill_everything(home: Home) -> None:
    """Leave what a power loss leaves: files, and no process."""
    supervisor = Supervisor(home).pid()
    victims = [psutil.Process(supervisor)] if supervisor else []
    victims += installed.orphans(home)
    for victim in victims:
        with contextlib.suppress(psutil.NoSuchProcess):
            victim.kill()
    psutil.wait_procs(victims, timeout=20)
    wait_until(lambda: not installed.orphans(home), "everything is dead")


def test_up_starts_the_stores_and_down_ends_them_each_twice(home: Home) -> None:
    said: list[str] = []
    up(home, lambda line: said.append(str(line)), STORES)
    assert f"mongo: running at {sockets.path(home.path, 'mongo')}" in said
    rows = by_name(home)
    assert [row.state for row in rows.values()] == [InstallationState.RUNNING, InstallationState.RUNNING]
    assert all(row.pid and row.memory_mb and row.uptime_s is not None for row in rows.values())
    pids = {name: row.pid for name, row in rows.items()}
    supervisor = Supervisor(home).pid()
    assert supervisor is not None

    said.clear()
    up(home, lambda line: said.append(str(line)), STORES)
    assert "already running" in said
    assert {name: row.pid for name, row in by_name(home).items()} == pids

    connect(home.settings.mongo_url)["t"].insert_one({"_id": "1"})
    client_of(home).set("k", "v")
    down(home, lambda line: said.append(str(line)))
    assert [row.state for row in by_name(home).values()] == [InstallationState.STOPPED, InstallationState.STOPPED]
    assert not any(psutil.pid_exists(pid) for pid in pids.values() if pid)
    assert not is_running(supervisor), "it has ended when `down` says so"
    said.clear()
    down(home, lambda line: said.append(str(line)))
    assert said == ["no service is running"]

    up(home, silent, STORES)
    assert connect(home.settings.mongo_url)["t"].find_one({"_id": "1"}) == {"_id": "1"}
    assert client_of(home).get("k") == "v"


def test_redis_keeps_everything_and_evicts_nothing(running: Home) -> None:
    client = client_of(running)
    assert client.config_get("maxmemory-policy")["maxmemory-policy"] == "noeviction"
    assert client.config_get("appendonly")["appendonly"] == "yes"


def test_the_stores_listen_on_no_port_and_let_no_other_user_in(running: Home) -> None:
    owned = [psutil.Process(row.pid) for row in by_name(running).values()]
    assert [each.net_connections("inet") for each in owned] == [[], []]
    folder = sockets.folder(running.path)
    assert (stat.S_IMODE(folder.stat().st_mode), folder.stat().st_uid) == (0o700, os.getuid())
    for name in STORES:
        found = sockets.path(running.path, name).stat()
        assert (found.st_mode & 0o077, found.st_uid) == (0, os.getuid())
    if os.getuid() != 0:
        pytest.skip("only root can try as another user")
    for name in STORES:
        assert _knocks_as_nobody(sockets.path(running.path, name)) == errno.EACCES


def _knocks_as_nobody(path: Path) -> int:
    """The error number with which a user without rights fails to connect; 0 where they do not."""
    script = (
        "import os, socket, sys\nos.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "sys.exit(socket.socket(socket.AF_UNIX).connect_ex(sys.argv[1]))"
    )
    return subprocess.run([sys.executable, "-c", script, str(path)], cwd="/", check=False).returncode


def test_a_store_that_is_killed_comes_back_with_its_data(home: Home) -> None:
    up(home, silent, STORES)
    client_of(home).set("kept", "1")
    wait_until(lambda: client_of(home).info("persistence")["aof_pending_bio_fsync"] == 0, "the log is on disk")
    connect(home.settings.mongo_url)["t"].insert_one({"_id": "kept"})
    before = {name: row.pid for name, row in by_name(home).items()}
    for pid in before.values():
        os.kill(pid, signal.SIGKILL)
    wait_until(
        lambda: are_running(home) and all(row.pid not in before.values() for row in status(home, STORES)), "back"
    )
    assert client_of(home).get("kept") == "1"
    assert connect(home.settings.mongo_url)["t"].find_one({"_id": "kept"}) == {"_id": "kept"}


def test_up_works_after_a_power_loss_that_cut_the_log_of_redis(home: Home) -> None:
    up(home, silent, STORES)
    for number in range(100):
        client_of(home).set(f"k{number}", "v" * 100)
    wait_until(lambda: client_of(home).info("persistence")["aof_pending_bio_fsync"] == 0, "the log is on disk")
    kill_everything(home)
    log = next((home.path / "redis").rglob("*.aof"))
    with log.open("r+b") as file:
        file.truncate(log.stat().st_size - 7)
    # The worst a recorded process id can do: be that of another living program.
    (home.run / "supervisord.pid").write_text(str(os.getpid()))
    assert all(each.state is InstallationState.STOPPED for each in status(home, STORES))
    up(home, silent, STORES)
    assert are_running(home)
    assert client_of(home).dbsize() == 99


def test_what_outlived_its_supervisor_is_ended_and_started_anew(home: Home) -> None:
    up(home, silent, STORES)
    before = {row.pid for row in status(home, STORES)}
    supervisor = Supervisor(home).pid()
    assert supervisor is not None
    os.kill(supervisor, signal.SIGKILL)
    wait_until(lambda: Supervisor(home).pid() is None, "the supervisor is dead")
    up(home, silent, STORES)
    assert are_running(home)
    assert not before & {row.pid for row in status(home, STORES)}


def test_down_ends_what_outlived_its_supervisor(home: Home) -> None:
    up(home, silent, ["redis"])
    supervisor = Supervisor(home).pid()
    assert supervisor is not None
    os.kill(supervisor, signal.SIGKILL)
    down(home, silent)
    assert installed.orphans(home) == []


def test_a_port_in_use_is_one_sentence_and_starts_nothing(home: Home) -> None:
    with socket.create_server(("127.0.0.1", home.settings.services.web_port)):
        with pytest.raises(PortTaken, match=f"{home.settings.services.web_port}.*web.*ZHUIWEN_WEB_PORT"):
            up(home, silent, ["mongo", "web"])
        assert Supervisor(home).pid() is None


def test_a_port_taken_while_another_service_runs_is_one_sentence_and_harms_nothing(home: Home) -> None:
    up(home, silent, ["mongo"])
    pid = by_name(home)["mongo"].pid
    with (
        socket.create_server(("127.0.0.1", home.settings.services.web_port)),
        pytest.raises(PortTaken, match="ZHUIWEN_WEB_PORT"),
    ):
        up(home, silent, ["mongo", "web"])
    assert by_name(home)["mongo"].pid == pid


def test_no_second_page_store_serves_a_folder(running: Home, tmp_path: Path) -> None:
    arguments = ["--data-dir", running.path / "mongo", "--socket", sockets.path(running.path, "mongo")]
    second = subprocess.run(
        [sys.executable, "-m", "pagestore.embedded", *map(str, arguments)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (second.returncode, second.stderr) == (1, f"another page store serves {running.path / 'mongo'}\n")
    assert by_name(running)["mongo"].state is InstallationState.RUNNING


def test_a_host_that_is_not_of_this_machine_names_the_variable(tmp_path: Path) -> None:
    home = prepare(environ_for(tmp_path) | {"ZHUIWEN_WEB_HOST": "192.0.2.1"})
    with pytest.raises(BadConfiguration, match="ZHUIWEN_WEB_HOST"):
        up(home, silent, ["web"])


def test_a_service_that_keeps_dying_is_named_with_its_last_words_and_the_rest_runs(home: Home) -> None:
    (home.path / "mongo").rmdir()
    (home.path / "mongo").write_text("no folder")
    with pytest.raises(RetryLater, match="mongo keeps crashing with") as failure:
        up(home, silent, STORES)
    assert "\n" not in str(failure.value)
    assert str(home.logs / "mongo.log") in str(failure.value)
    seen: list[dict[str, Any]] = []
    wait_until(lambda: _failing(seen, home), "it has died often enough")
    rows = seen[-1]
    assert rows["redis"].state is InstallationState.RUNNING
    assert rows["mongo"].last_log_line
    assert "zhuiwen up" in str(rows["mongo"].remedy)

    # Its last attempt may still be going on: the next up must not take the old failures for new ones.
    (home.path / "mongo").unlink()
    (home.path / "mongo").mkdir()
    up(home, silent, STORES)
    assert are_running(home)


def _failing(seen: list[dict[str, Any]], home: Home) -> bool:
    seen.append(by_name(home))
    return seen[-1]["mongo"].state is InstallationState.FAILING


def test_stores_live_on_when_a_setting_of_the_others_changes(running: Home) -> None:
    before = by_name(running)
    said: list[str] = []
    up(
        prepare(dict(running.environment) | {"ZHUIWEN_USER_AGENT": "Other/1", "ZHUIWEN_WORKERS": "3"}),
        lambda line: said.append(str(line)),
        STORES,
    )
    assert "already running" in said
    assert {name: row.pid for name, row in by_name(running).items()} == {name: row.pid for name, row in before.items()}


def test_secrets_are_in_no_command_line_no_log_and_no_file_that_others_can_read(running: Home) -> None:
    secrets = [running.settings.web.secret_key]
    processes = [*installed.orphans(running), psutil.Process(Supervisor(running).pid())]
    assert len(processes) == 3
    lines = " ".join(part for process in processes for part in process.cmdline())
    assert not any(secret in lines for secret in secrets)
    assert not any(secret in configuration_path(running).read_text() for secret in secrets)
    for path in running.path.rglob("*"):
        if path.is_file() and any(secret.encode() in path.read_bytes() for secret in secrets):
            assert "logs" not in path.parts
            assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    assert stat.S_IMODE(running.path.stat().st_mode) == 0o700
