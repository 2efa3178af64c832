"""The table of the processes of one machine, in the order in which they start."""

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType

from core import sockets
from core.heartbeat import heartbeat_path
from core.redis_names import QUEUES
from deploy import demo_presence
from deploy.home import Home
from deploy.services import redis_server
from deploy.services.health import (
    TIMEOUT_S,
    ServiceHealth,
    mongo_health,
    reachable,
    redis_answers,
    redis_health,
    sign_health,
    web_health,
)

STORES_FIRST, THEN_WORK = 100, 200  # priorities: processes below THEN_WORK must respond before others start
WORKER_STOP_WAIT_S = 60.0  # a crawl finishes the pages in flight; Scrapy's limit for one download is 30 s
STORE_STOP_WAIT_S = 20.0
SERVER_STOP_WAIT_S = 10.0
WORKER_SIGNS_S = {"worker": 2.0, "worker-clock": 10.0}  # Celery's interval; beat_max_loop_interval of pipeline.app
LOOK_EVERY_S = 10.0
WATCH_TIMEOUT_S = 10.0  # for a response on a busy machine
WATCH_SIGN_S = LOOK_EVERY_S + WATCH_TIMEOUT_S

# Settings that only some processes read. A setting missing here restarts more processes than necessary, never fewer.
_READ_BY: Mapping[str, tuple[str, ...]] = {
    "ZHUIWEN_WORKERS": ("worker",),
    "ZHUIWEN_CRAWLERS": ("worker",),
    "ZHUIWEN_WEB_PORT": ("web", "watch"),
    "ZHUIWEN_WEB_HOST": ("web", "watch"),
    "ZHUIWEN_ALLOWED_HOSTS": ("web", "watch"),
    "ZHUIWEN_TRUSTED_ORIGINS": ("web",),
    "ZHUIWEN_HTTPS": ("web",),
}


@dataclass(frozen=True, slots=True)
class Listens:
    """The host and port of a process, and the variables that set them."""

    host: str
    port: int
    variable: str
    host_variable: str = ""


@dataclass(frozen=True, slots=True)
class Process:
    """A process of the installation: its start, its end, and its health check.

    health: checks the process within a number of seconds, and never raises. A process that is silent for a while is
    replaced, unless `is_waiting`. start_s: the time that it must run to count as started.
    """

    name: str
    command: tuple[str, ...]
    priority: int
    health: Callable[[float], ServiceHealth]
    stop_wait_s: float
    start_s: float = 1.0
    listens: Listens | None = None
    socket: Path | None = None
    removes: tuple[Path, ...] = ()  # files that a dead predecessor may have left
    environment: dict[str, str] = field(default_factory=dict)
    is_waiting: Callable[[], bool] = lambda: False

    def is_ready(self) -> bool:
        return self.health(TIMEOUT_S) is ServiceHealth.READY

    @property
    def is_store(self) -> bool:
        return self.priority < THEN_WORK

    @property
    def address(self) -> str:
        """The host and port of the process, or its socket, or "" if it has neither."""
        if self.listens is not None:
            return f"{reachable(self.listens.host)}:{self.listens.port}"
        return str(self.socket or "")

    def reads(self, variable: str) -> bool:
        """Return whether the process must be restarted when this variable of its environment changes.

        Stores read no settings: the settings that concern them are in their commands and in Redis' configuration.
        """
        if self.is_store:
            return not variable.startswith("ZHUIWEN_")
        return self.name in _READ_BY.get(variable, (self.name,))

    def is_affected(self, variable: str) -> bool:
        """Return whether the process reads this variable, or listens elsewhere if it changes."""
        places = (self.listens.variable, self.listens.host_variable) if self.listens else ()
        return self.reads(variable) or variable in places


def processes(home: Home, only: Collection[str] | None = None) -> list[Process]:
    """Return the processes of this installation on this machine, or those in `only`."""
    table = [_mongo_process(home)] if home.embeds_mongo else []
    if home.embeds_redis and (only is None or "redis" in only):
        table.append(_redis_process(home))
    table += [_worker_process(home), _web_process(home)]
    if demo_presence.is_present(home.path):
        table.append(_demo_sites(home))
    table.append(_watch_process(home))
    return [process for process in table if only is None or process.name in only]


def worker_command(children: int, queues: Sequence[str] = QUEUES) -> tuple[str, ...]:
    """Return the command of a Celery worker for all queues, or for some of them on a separate machine.

    children: the number of its processes.
    """
    # Django's checks examine all pages of the admin, which workers do not show, and take a second.
    celery = (sys.executable, "-m", "celery", "--app", "webadmin.celery", "--skip-checks", "worker")
    options = ("--loglevel", "INFO", "--without-gossip", "--without-mingle")
    return (*celery, "--queues", ",".join(queues), "--concurrency", str(children), *options)


def web_command(host: str, port: int) -> tuple[str, ...]:
    """Return the command of the admin's web server; `webadmin.serving` configures its processes."""
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return (sys.executable, "-m", "gunicorn", "--config", "python:webadmin.serving", "--bind", place)


def _mongo_process(home: Home) -> Process:
    path = sockets.path(home.path, "mongo")
    files = ("--data-dir", str(home.path / "mongo"), "--socket", str(path))
    return Process(
        name="mongo",
        command=(sys.executable, "-m", "pagestore.embedded", *files),
        priority=STORES_FIRST,
        health=partial(mongo_health, path),
        stop_wait_s=STORE_STOP_WAIT_S,
        socket=path,
        removes=(path,),
    )


def _redis_process(home: Home) -> Process:
    path = sockets.path(home.path, "redis")
    return Process(
        name="redis",
        command=(str(redis_server.executable()), str(home.run / "redis.conf")),
        priority=STORES_FIRST,
        health=partial(redis_health, path),
        stop_wait_s=STORE_STOP_WAIT_S,
        socket=path,
        removes=(path,),
    )


def _worker_process(home: Home) -> Process:
    """Return one worker for all queues and the scheduler, so that their imports are loaded into memory only once."""
    settings = home.settings
    # A round of discovery takes minutes, and pages are compared meanwhile. Crawls are separate processes.
    children = settings.pipeline.workers + bool(settings.discovery.search_url)
    command = (*worker_command(children), "--beat")
    # Returns large arrays to the system after each task; otherwise malloc would keep 20 MB in each process of the pool.
    environment = {"MALLOC_MMAP_THRESHOLD_": "1048576", "DJANGO_SETTINGS_MODULE": "webadmin.worker_settings"}
    return _silent_process(
        home, "worker", command, WORKER_SIGNS_S, stop_wait_s=WORKER_STOP_WAIT_S, start_s=5.0, environment=environment
    )


def _watch_process(home: Home) -> Process:
    return _silent_process(home, "watch", (sys.executable, "-m", "deploy.services.watch"), {"watch": WATCH_SIGN_S})


def _silent_process(
    home: Home,
    name: str,
    command: tuple[str, ...],
    signs_s: Mapping[str, float],
    *,
    stop_wait_s: float = SERVER_STOP_WAIT_S,
    start_s: float = 3.0,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> Process:
    """Return a process without a port, whose heartbeats are checked. signs_s: their intervals by name."""
    return Process(
        name=name,
        command=command,
        priority=THEN_WORK,
        health=partial(sign_health, home, signs_s),
        stop_wait_s=stop_wait_s,
        start_s=start_s,
        removes=tuple(heartbeat_path(home.path, sign) for sign in signs_s),
        environment=dict(environment),
        is_waiting=lambda: not redis_answers(home.settings.redis_url),
    )


def _web_process(home: Home) -> Process:
    host, port = home.settings.services.web_host, home.settings.services.web_port
    return Process(
        name="web",
        command=web_command(host, port),
        priority=THEN_WORK,
        # A static file of the admin, which needs a thread but no database.
        health=partial(web_health, host, port, "/static/ui/favicon.svg", _allowed_name(home)),
        stop_wait_s=SERVER_STOP_WAIT_S,
        start_s=3.0,
        listens=Listens(host, port, "ZHUIWEN_WEB_PORT", "ZHUIWEN_WEB_HOST"),
    )


def _demo_sites(home: Home) -> Process:
    ports = demo_presence.ports(home.settings.services.demo_port)
    log, listed = str(demo_presence.folder(home.path) / "server.log"), ",".join(str(port) for port in ports)
    return Process(
        name="demo-sites",
        command=(sys.executable, "-m", "deploy.demo.server", "--log", log, "--ports", listed),
        priority=STORES_FIRST,  # a crawl may begin as soon as the workers are up
        health=partial(web_health, demo_presence.HOST, ports[-1], "/", demo_presence.HOST),
        stop_wait_s=SERVER_STOP_WAIT_S,
        listens=Listens(demo_presence.HOST, ports[0], "ZHUIWEN_DEMO_PORT"),
    )


def _allowed_name(home: Home) -> str:
    """Return a host name that the admin accepts, because it rejects and logs other names."""
    names = (name.lstrip(".") for name in home.settings.web.allowed_hosts if name != "*")
    return next(names, "127.0.0.1")
