"""The installation of a run: its home folder, its services, and their processes."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from core.errors import ServiceUnavailable
from laboratory.chaos.clock import MovableClock
from laboratory.ports import free_port
from laboratory.servers import Server

COMMAND_S = 1_200.0  # until `up` succeeds, on a machine under other load
# Command lines of webadmin.sites.services.crawler, webadmin.sites.services.crawl_process and webadmin.clock, which
# cannot be imported without an installation.
_CRAWLER, _CRAWL, CLOCK = "webadmin.sites.services.crawler", "crawl ", "zhuiwen-clock"


@dataclass
class Installation:
    """One home folder. servers: the services that are real servers, by name."""

    home: Path
    environment: dict[str, str]
    desk: str
    servers: Mapping[str, Server] = field(default_factory=dict)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the product, and return its exit code and output."""
        command = [sys.executable, "-m", "deploy.cli", *arguments]
        return subprocess.run(
            command, env=self.environment, capture_output=True, text=True, timeout=COMMAND_S, check=False
        )

    def up(self) -> None:
        """Start the services of this machine. Raises ServiceUnavailable with the output of the command."""
        deadline = time.monotonic() + COMMAND_S
        while (done := self.run("up")).returncode:
            if time.monotonic() > deadline:
                raise ServiceUnavailable("zhuiwen up", (done.stderr or done.stdout).strip().splitlines()[-1])

    def damage(self) -> list[str]:
        """Return the damage that `check-stores` finds, or the reason why it could not check."""
        done = self.run("check-stores", "--look-only", "--json")
        try:
            said = json.loads(done.stdout)
        except ValueError:
            return [f"not looked: {done.stderr.strip()[-200:]}"]
        return [*(json.dumps(each, sort_keys=True) for each in said["damages"]), *map(str, said["unread"])]

    def processes(self, victim: str) -> list[psutil.Process]:
        """Return the running processes of a service; for the worker also those that compare."""
        with suppress(psutil.Error):
            match victim:
                case "crawler":
                    return [each for each in self._ours() if _is_crawler(each)]
                case "beat":
                    return [each for main in self._service("worker") for each in _clocks(main)]
                case "worker":
                    return [each for main in self._service("worker") for each in (main, *_pool(main))]
                case "web":
                    return [each for main in self._service("web") for each in (main, *main.children())]
                case _:
                    return self._service(victim)
        return []

    def _service(self, name: str) -> list[psutil.Process]:
        """Return the process that `supervisor` runs under a name."""
        said = self.run("status", "--json")
        with suppress(ValueError, KeyError, psutil.NoSuchProcess):
            pids = [row["pid"] for row in json.loads(said.stdout)["services"] if row["name"] == name and row["pid"]]
            return [psutil.Process(pid) for pid in pids]
        return []

    def _ours(self) -> Iterator[psutil.Process]:
        for process in psutil.process_iter():
            with suppress(psutil.Error, OSError):
                if process.environ().get("ZHUIWEN_HOME") == str(self.home):
                    yield process


@contextmanager
def installed(
    home: Path, sites: list[str], servers: Mapping[str, Server], clock: MovableClock | None = None
) -> Iterator[Installation]:
    """Start an installation, and at the end stop its services and kill its crawlers. clock: moves its time."""
    port = free_port()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ZHUIWEN_")}
    environment |= {
        "ZHUIWEN_HOME": str(home),
        "ZHUIWEN_WEB_PORT": str(port),
        "ZHUIWEN_ALLOW_PRIVATE_HOSTS": ",".join(sites),
        "ZHUIWEN_SWEEP_INTERVAL_S": "15",
        "ZHUIWEN_CRAWLERS": str(len(sites)),  # all sites are crawled, regardless of the number of cores
        "ZHUIWEN_SCREENSHOTS": "off",
        "ZHUIWEN_LANGUAGE": "en",
    }
    variables = {"sql": "ZHUIWEN_DATABASE_URL", "redis": "ZHUIWEN_REDIS_URL", "mongo": "ZHUIWEN_MONGO_URL"}
    environment |= {variables[name]: server.url for name, server in servers.items()}
    made = Installation(home, environment, f"http://127.0.0.1:{port}/", servers)
    if clock is not None:
        made.environment |= clock.environment
    try:
        made.up()
        yield made
    finally:
        made.run("down")
        for process in list(made._ours()):
            with suppress(psutil.Error):
                process.send_signal(signal.SIGKILL)


def _is_crawler(process: psutil.Process) -> bool:
    return process.name().startswith(_CRAWL) or _CRAWLER in process.cmdline()


def _pool(worker: psutil.Process) -> list[psutil.Process]:
    clocks = {each.pid for each in _clocks(worker)}
    return [each for each in worker.children() if each.pid not in clocks]


def _clocks(worker: psutil.Process) -> list[psutil.Process]:
    """Return the process of the schedules, recognized by the name that it sets."""
    return [each for each in worker.children() if each.name() == CLOCK]
