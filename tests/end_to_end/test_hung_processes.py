"""A real installation: what runs and does not answer is replaced, the rest goes on meanwhile, and a log says why."""

import contextlib
import os
import signal
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from deploy.home import Home, prepare
from deploy.services import InstallationState, down, installed, status, up
from deploy.services.silence import SILENT_S
from deploy.services.supervision import Supervisor
from laboratory.ports import free_port
from tests.support.embedded import is_running, wait_until
from webadmin import serving

pytestmark = pytest.mark.end_to_end
PATIENCE_S = 3  # of gunicorn, in these tests; its own is asserted below
NAMES = ("mongo", "redis", "web", "watch")


def silent(_: str) -> None:
    """Progress that nobody reads."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, processes: None, loopback: None) -> Iterator[Home]:
    """An installation whose desk has a page that throws and one that never ends, without workers."""
    folder = tmp_path_factory.mktemp("hung") / "home"
    made = prepare({"ZHUIWEN_HOME": str(folder), "ZHUIWEN_WEB_PORT": str(free_port())})
    changed = {
        "DJANGO_SETTINGS_MODULE": "tests.support.broken_desk.settings",
        "GUNICORN_CMD_ARGS": f"--timeout {PATIENCE_S}",
    }
    made = replace(made, environment={**made.environment, **changed})
    up(made, silent, NAMES)
    yield made
    for process in installed.orphans(made):
        with contextlib.suppress(psutil.NoSuchProcess):
            process.resume()
    down(made, silent)
    installed.end(installed.orphans(made))


def get(home: Home, path: str, timeout_s: float = 60.0) -> int:
    address = f"http://127.0.0.1:{home.settings.services.web_port}{path}"
    try:
        with urllib.request.urlopen(address, timeout=timeout_s) as response:
            return int(response.status)
    except urllib.error.HTTPError as answer:
        return answer.code


def read_log(home: Home, name: str) -> str:
    return (home.logs / f"{name}.log").read_text("utf-8")


def desk_processes(home: Home) -> set[int]:
    """The processes of the desk that answer, without the one that keeps them."""
    keeper = psutil.Process(Supervisor(home).infos()["web"]["pid"])
    return {child.pid for child in keeper.children()}


@contextlib.contextmanager
def asking_meanwhile(home: Home) -> Iterator[list[int]]:
    """Ask the desk for a page again and again; every answer, or 0 for none in 2 s, is noted."""
    answers: list[int] = []
    ended = threading.Event()

    def ask() -> None:
        while not ended.wait(0.2):
            try:
                answers.append(get(home, "/admin/login/", timeout_s=SILENT_S / 3))
            except OSError:
                answers.append(0)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        yield answers
    finally:
        ended.set()
        asking.join()


def test_a_stopped_process_of_the_desk_is_replaced_and_the_other_answers_meanwhile(home: Home) -> None:
    wait_until(lambda: len(desk_processes(home)) == serving.workers == 2, "the desk has both its processes")
    before = desk_processes(home)
    victim = min(before)
    with asking_meanwhile(home) as answers:
        os.kill(victim, signal.SIGSTOP)
        wait_until(lambda: victim not in desk_processes(home) and len(desk_processes(home)) == 2, "it is replaced")
    assert answers
    assert set(answers) == {200}
    assert f"WORKER TIMEOUT (pid:{victim})" in read_log(home, "web")
    assert serving.timeout == SILENT_S == 30


def test_a_page_that_never_ends_costs_its_process_and_leaves_the_line_it_hung_at(home: Home) -> None:
    before = desk_processes(home)
    hung = threading.Thread(target=_ask_what_never_ends, args=[home])
    with asking_meanwhile(home) as answers:
        hung.start()
        wait_until(lambda: len(before & desk_processes(home)) == 1 and len(desk_processes(home)) == 2, "it is replaced")
    hung.join()
    assert answers
    assert set(answers) == {200}
    assert "in never_ends" in read_log(home, "web")


def _ask_what_never_ends(home: Home) -> None:
    with contextlib.suppress(OSError):
        get(home, "/broken/never-ends/")


def test_clients_that_send_half_a_request_keep_nobody_from_the_desk(home: Home) -> None:
    get_without_end = b"GET /admin/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    post_without_body = get_without_end.replace(b"GET", b"POST") + b"Content-Length: 900\r\n\r\nx="
    with contextlib.ExitStack() as stack:
        for half in (get_without_end, post_without_body) * serving.workers * serving.THREADS:
            client = socket.create_connection(("127.0.0.1", home.settings.services.web_port))
            stack.enter_context(client).sendall(half)
        assert [get(home, "/admin/login/", timeout_s=10) for _ in range(10)] == [200] * 10


def test_a_page_that_throws_leaves_its_traceback_in_the_log(home: Home) -> None:
    assert get(home, "/broken/throws/") == 500
    wait_until(lambda: "the page that throws" in read_log(home, "web"), "the log has it")
    logged = read_log(home, "web")
    assert "Internal Server Error: /broken/throws/" in logged
    assert "Traceback (most recent call last)" in logged
    assert "in throws" in logged


def test_a_desk_that_hangs_as_a_whole_and_a_store_are_replaced_by_the_watch(home: Home) -> None:
    before = {name: Supervisor(home).infos()[name]["pid"] for name in ("web", "redis")}
    stopped = [before["redis"], before["web"], *desk_processes(home)]
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    assert not any(row.is_ok for row in status(home, ("web", "redis")))
    asked_at = time.monotonic()
    wait_until(
        lambda: not set(before.values()) & {Supervisor(home).infos()[name]["pid"] for name in before},
        "both have been replaced",
        deadline_s=300,
    )
    assert time.monotonic() - asked_at >= SILENT_S / 2, "not at the first look"
    wait_until(lambda: all(row.is_ok for row in status(home, NAMES)), "all answer again")
    for name, pid in before.items():
        assert f"{name} (process {pid}) is running but has not answered for" in read_log(home, "watch")
    wait_until(lambda: not any(map(is_running, stopped)), "what hung is gone with all its children")


def test_up_names_what_hangs_and_replaces_it(home: Home) -> None:
    watch = Supervisor(home).infos()["watch"]["pid"]
    os.kill(watch, signal.SIGSTOP)
    wait_until(lambda: status(home, ("watch",))[0].state is InstallationState.SILENT, "its last sign of life is old")
    said: list[str] = []
    up(home, lambda line: said.append(str(line)), NAMES)
    assert any(line.startswith("watch: not responding for") for line in said), said
    assert Supervisor(home).infos()["watch"]["pid"] != watch
    assert all(row.is_ok for row in status(home, NAMES))


def test_the_log_of_the_installation_is_for_its_user_alone(home: Home) -> None:
    assert Path(home.logs / "web.log").stat().st_mode & 0o077 == 0
