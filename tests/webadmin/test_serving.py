"""Test what the desk takes from headers of a request: the visitor's address and scheme, from a proxy alone."""

import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import psutil
import pytest
from waitress.server import create_server

from laboratory.ports import free_port
from tests.support.embedded import wait_until
from webadmin.serving import server_options

SENT = {"X-Forwarded-For": "203.0.113.9, 198.51.100.7", "X-Forwarded-Proto": "https"}


def whose(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
    """An application that says where a request came from."""
    start("200 OK", [])
    return [f"{environ['REMOTE_ADDR']} {environ['wsgi.url_scheme']} {environ.get('HTTP_X_FORWARDED_FOR')}".encode()]


@pytest.mark.usefixtures("loopback")
@pytest.mark.parametrize(
    ("is_https", "seen"),
    [(True, "198.51.100.7 https 198.51.100.7"), (False, "127.0.0.1 http None")],
    ids=["behind a proxy, what it added last", "else the connection, and no header"],
)
def test_a_visitor_is_who_the_proxy_says(settings: Any, is_https: bool, seen: str) -> None:
    settings.ZHUIWEN = replace(settings.ZHUIWEN, web=replace(settings.ZHUIWEN.web, is_https=is_https))
    server = create_server(whose, host="127.0.0.1", port=0, **server_options())
    serving = threading.Thread(target=server.run, daemon=True)
    serving.start()
    try:
        request = urllib.request.Request(f"http://127.0.0.1:{server.effective_port}/", headers=SENT)
        with urllib.request.urlopen(request, timeout=30) as response:
            assert response.read().decode() == seen
    finally:
        server.trigger.pull_trigger(server.close)  # in its own thread, which is asleep on the sockets
        serving.join()
        server.task_dispatcher.shutdown()


@pytest.mark.usefixtures("loopback", "processes")
def test_a_killed_parent_ends_its_processes_and_frees_the_port() -> None:
    port = free_port()
    worker, place = "webadmin.serving.BufferingWorker", f"127.0.0.1:{port}"
    options = ["--bind", place, "--workers", "2", "--worker-class", worker, "tests.webadmin.test_serving:whose"]
    children: list[psutil.Process] = []
    parent = subprocess.Popen([sys.executable, "-m", "gunicorn", *options], stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: answers(port), "the desk answers")
        wait_until(lambda: len(psutil.Process(parent.pid).children()) == 2, "both processes are there")
        children = psutil.Process(parent.pid).children()
        parent.kill()
        parent.wait()
        wait_until(lambda: not any(map(is_running, children)), "no process is left")
        # A process of threads is a zombie before its last thread, which still holds the port, has ended.
        wait_until(lambda: is_free(port), "the port is free")
    finally:
        parent.kill()
        for child in children:
            with suppress(psutil.NoSuchProcess):
                child.kill()


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as response:
            return bool(response.read())
    except OSError:
        return False


def is_free(port: int) -> bool:
    with socket.socket() as successor:
        successor.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            successor.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def is_running(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
