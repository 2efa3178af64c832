"""A real installation with its worker: killed or without its clock, it is replaced, and nothing of it goes on."""

import contextlib
import os
from collections.abc import Iterator

import psutil
import pytest

from core.heartbeat import PROCESS
from deploy.home import Home, prepare
from deploy.services import down, installed, status, up
from deploy.services.supervision import Supervisor
from laboratory.ports import free_port
from tests.support.embedded import wait_until

pytestmark = pytest.mark.end_to_end
NAMES = ("mongo", "redis", "worker", "watch")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, processes: None, loopback: None) -> Iterator[Home]:
    folder = tmp_path_factory.mktemp("pool") / "home"
    made = prepare({"ZHUIWEN_HOME": str(folder), "ZHUIWEN_WEB_PORT": str(free_port()), "ZHUIWEN_WORKERS": "1"})
    up(made, str, NAMES)
    yield made
    down(made, str)
    installed.end(installed.orphans(made))


def worker(home: Home) -> psutil.Process:
    return psutil.Process(Supervisor(home).infos()["worker"]["pid"])


def processes(home: Home) -> set[int]:
    """All that belong to the worker of this installation, whoever their parent is by now."""
    found = set()
    for each in installed.orphans(home):
        with contextlib.suppress(psutil.Error):
            if each.environ().get(PROCESS) == "worker":
                found.add(each.pid)
    return found


def is_whole(home: Home) -> bool:
    """Whether it runs with a process for pages and its clock; and no other does."""
    with contextlib.suppress(psutil.Error):
        parent = worker(home)
        children = {child.pid for child in parent.children(recursive=True)}
        return len(children) == 2 and processes(home) == {parent.pid, *children}
    return False


def test_nothing_of_a_killed_worker_outlives_it(home: Home) -> None:
    wait_until(lambda: is_whole(home), "the worker has all its processes")
    before = processes(home)
    os.kill(worker(home).pid, 9)
    wait_until(lambda: not before & processes(home) and is_whole(home), "another stands in its place", deadline_s=120)


def test_a_worker_without_its_clock_is_replaced_by_the_watch(home: Home) -> None:
    wait_until(lambda: is_whole(home) and all(row.is_ok for row in status(home, NAMES)), "all answer")
    parent = worker(home)
    for child in parent.children():  # those of the pool it replaces by itself
        child.kill()
    wait_until(lambda: parent.pid not in processes(home) and is_whole(home), "it was replaced", deadline_s=180)
    assert f"worker (process {parent.pid}) is running but has not answered for" in (home.logs / "watch.log").read_text()
    wait_until(lambda: all(row.is_ok for row in status(home, NAMES)), "all answer again")
