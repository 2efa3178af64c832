"""The table of processes that run on one machine, in the order in which they start."""

import shlex
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from deploy.demo import presence
from deploy.home import Home
from deploy.services import probes, redis_server

STORES_FIRST, THEN_WORK = 100, 200  # priorities: below THEN_WORK must answer before anything at THEN_WORK starts
CRAWL_STOP_WAIT_S = 60.0  # a crawl finishes the pages in flight; Scrapy's own limit for one download is 30 s
WORKER_STOP_WAIT_S = 30.0  # a step takes milliseconds; what is cut off is delivered again
STORE_STOP_WAIT_S = 20.0
SERVER_STOP_WAIT_S = 10.0

# Settings that one process alone reads. One that is missing here starts more processes anew than it must, no fewer.
_READ_BY_ONE: Mapping[str, str] = {
    "ZHUIWEN_WORKERS": "worker",
    "ZHUIWEN_CRAWLERS": "crawler",
    "ZHUIWEN_WEB_PORT": "web",
    "ZHUIWEN_WEB_HOST": "web",
    "ZHUIWEN_ALLOWED_HOSTS": "web",
    "ZHUIWEN_TRUSTED_ORIGINS": "web",
    "ZHUIWEN_HTTPS": "web",
}


@dataclass(frozen=True, slots=True)
class Listens:
    """Where a process listens, and the variables that move it."""

    host: str
    port: int
    variable: str
    host_variable: str = ""


@dataclass(frozen=True, slots=True)
class Process:
    """One process: how it starts, how it ends, and how one sees that it works.

    `is_ready` may take a few seconds; it never raises. `start_s` is how long it must live to count as started.
    """

    name: str
    command: tuple[str, ...]
    priority: int
    is_ready: Callable[[], bool]
    stop_wait_s: float
    stop_signal: str = "TERM"
    start_s: float = 1.0
    listens: Listens | None = None
    removes: tuple[Path, ...] = ()  # what a dead predecessor may have left
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def is_store(self) -> bool:
        return self.priority < THEN_WORK

    @property
    def address(self) -> str:
        """Where others reach it; empty for one that only takes messages."""
        return f"{probes.reachable(self.listens.host)}:{self.listens.port}" if self.listens else ""

    def reads(self, variable: str) -> bool:
        """Whether it must be started anew when this variable of its environment changes.

        Stores know no settings: what is meant for them stands in their commands and in Redis' own configuration.
        """
        if self.is_store:
            return not variable.startswith("ZHUIWEN_")
        return _READ_BY_ONE.get(variable, self.name) == self.name

    @property
    def shell_line(self) -> str:
        return shlex.join(self.command)


def processes(home: Home, only: Collection[str] | None = None) -> list[Process]:
    """Every process that this installation runs on this machine, or those of them named in `only`."""
    table = [_mongo(home)] if home.embeds_mongo else []
    if home.embeds_redis and (only is None or "redis" in only):
        table.append(_redis(home))
    table += [_worker(home), _crawler(home), _beat(), _web(home)]
    if presence.is_present(home.path):
        table.append(_demo_sites(home))
    return [process for process in table if only is None or process.name in only]


def worker_command(workers: int) -> tuple[str, ...]:
    """The Celery worker that fingerprints and matches."""
    return (*_celery(), "worker", "--queues", "pages,works", "--concurrency", str(workers), *_node("pages"))


def crawler_command(crawlers: int) -> tuple[str, ...]:
    """The Celery worker that crawls."""
    # A run that waits behind a long one waits in the queue, where another crawler finds it.
    one = ("--prefetch-multiplier", "1")
    return (*_celery(), "worker", "--queues", "crawl", "--concurrency", str(crawlers), *one, *_node("crawl"))


def beat_command() -> tuple[str, ...]:
    """The clock of the schedules. No pid file: the supervisor sees to it that there is one."""
    scheduler = "django_celery_beat.schedulers:DatabaseScheduler"
    return (*_celery(), "beat", "--scheduler", scheduler, "--pidfile", "", "--loglevel", "INFO")


def web_command(host: str, port: int) -> tuple[str, ...]:
    """The web server of the admin."""
    options = ("--interface", "wsgi", "--host", host, "--port", str(port), "--workers", "1", "--blocking-threads", "4")
    return (sys.executable, "-m", "granian", *options, "--no-ws", "webadmin.wsgi:application")


def _mongo(home: Home) -> Process:
    port = home.settings.services.mongo_port
    pid_file = home.run / "nx-27017.pid"
    # The server appends to its log file without end; the supervisor rotates what it prints instead.
    files = ("--data-dir", str(home.path / "mongo"), "--pid-file", str(pid_file), "--log-file", "/dev/null")
    return Process(
        name="mongo",
        command=(sys.executable, "-m", "nx_27017.nx_27017", "--host", "127.0.0.1", "--port", str(port), *files),
        priority=STORES_FIRST,
        is_ready=partial(probes.mongo_answers, home.settings.mongo_url),
        stop_wait_s=STORE_STOP_WAIT_S,
        listens=Listens("127.0.0.1", port, "ZHUIWEN_MONGO_PORT"),
        # It takes any living process with the recorded id for itself, and refuses to start.
        removes=(pid_file,),
    )


def _redis(home: Home) -> Process:
    port = home.settings.services.redis_port
    return Process(
        name="redis",
        command=(str(redis_server.executable()), str(home.run / "redis.conf")),
        priority=STORES_FIRST,
        is_ready=partial(probes.redis_answers, home.settings.redis_url),
        stop_wait_s=STORE_STOP_WAIT_S,
        listens=Listens("127.0.0.1", port, "ZHUIWEN_REDIS_PORT"),
    )


def _worker(home: Home) -> Process:
    return Process(
        name="worker",
        command=worker_command(home.settings.pipeline.workers),
        priority=THEN_WORK,
        is_ready=partial(probes.worker_answers, home.settings.redis_url, "pages"),
        stop_wait_s=WORKER_STOP_WAIT_S,
        start_s=5.0,
    )


def _crawler(home: Home) -> Process:
    return Process(
        name="crawler",
        command=crawler_command(home.settings.pipeline.crawlers),
        priority=THEN_WORK,
        is_ready=partial(probes.worker_answers, home.settings.redis_url, "crawl"),
        stop_wait_s=CRAWL_STOP_WAIT_S,
        start_s=5.0,
    )


def _beat() -> Process:
    # It answers nothing; that it lives through its start is what one can see.
    return Process("beat", beat_command(), THEN_WORK, lambda: True, SERVER_STOP_WAIT_S, start_s=5.0)


def _web(home: Home) -> Process:
    host, port = home.settings.services.web_host, home.settings.services.web_port
    return Process(
        name="web",
        command=web_command(host, port),
        priority=THEN_WORK,
        is_ready=partial(probes.web_answers, host, port),
        stop_wait_s=SERVER_STOP_WAIT_S,
        start_s=3.0,
        listens=Listens(host, port, "ZHUIWEN_WEB_PORT", "ZHUIWEN_WEB_HOST"),
    )


def _demo_sites(home: Home) -> Process:
    ports = presence.ports(home.settings.services.demo_port)
    folder, listed = str(presence.folder(home.path)), ",".join(str(port) for port in ports)
    return Process(
        name="demo-sites",
        command=(sys.executable, "-m", "deploy.demo.server", "--folder", folder, "--ports", listed),
        priority=STORES_FIRST,  # a crawl may begin as soon as the workers are up
        is_ready=partial(probes.web_answers, presence.HOST, ports[-1]),
        stop_wait_s=SERVER_STOP_WAIT_S,
        listens=Listens(presence.HOST, ports[0], "ZHUIWEN_DEMO_PORT"),
    )


def _celery() -> tuple[str, ...]:
    return (sys.executable, "-m", "celery", "--app", "pipeline.app")


def _node(name: str) -> tuple[str, ...]:
    return ("--hostname", f"{name}@%h", "--loglevel", "INFO", "--without-gossip", "--without-mingle")
