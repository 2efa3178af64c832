"""The current state of the services of an installation."""

import os
import time
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import psutil

from core.wording import Message
from deploy.home import Home
from deploy.services import health
from deploy.services.object_stores import S3Place, choose_remedy, s3_places
from deploy.services.processes import Process, processes
from deploy.services.supervision import Supervisor, starts_path

# A process that started this often within this time keeps dying, however long it lives in between.
MANY_STARTS, MANY_STARTS_S = 4, 120.0
IMPORTING_S = 30.0  # starting five interpreters at once on two busy cores took 25 s (November 2026)
TAIL_BYTES = 8192
MAX_LINE_CHARS = 200


class InstallationState(StrEnum):
    """The state of a service."""

    RUNNING = "running"
    STARTING = "starting"
    SILENT = "silent"  # alive but does not respond
    FAILING = "failing"  # keeps dying, or the supervisor gave up
    STOPPED = "stopped"
    EXTERNAL = "external"  # runs elsewhere and responds
    UNREACHABLE = "unreachable"  # runs elsewhere and does not respond


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    """One row of `zhuiwen status`. "" or None: does not apply."""

    name: str
    state: InstallationState
    pid: int | None = None
    memory_mb: float | None = None  # including children; shared memory counts once
    uptime_s: float | None = None
    address: str = ""
    last_log_line: str = ""
    remedy: Message | None = None

    @property
    def is_ok(self) -> bool:
        return self.state in (InstallationState.RUNNING, InstallationState.EXTERNAL)


def status(home: Home, only: Collection[str] | None = None) -> list[ServiceStatus]:
    """Return the services of this installation, external ones last. Never raises if a service is down."""
    infos = Supervisor(home).infos()
    table = processes(home, only)
    with ThreadPoolExecutor(max(len(table), 1)) as pool:
        own = list(pool.map(lambda process: _own_status(home, process, infos.get(process.name)), table))
    return own + (_external_statuses(home) if only is None else [])


def held_mb(pid: int) -> float | None:
    """Return the memory of a process and its descendants in MB, or None if it has ended.

    This is the proportional set size: a page shared by n processes counts as one n-th for each. If access to it is
    denied, it is the resident memory, which counts shared pages in full.
    """
    try:
        parent = psutil.Process(pid)
        return round(sum(map(_held_bytes, [parent, *parent.children(recursive=True)])) / 1e6, 1)
    except psutil.NoSuchProcess:
        return None


def _held_bytes(process: psutil.Process) -> int:
    try:
        return int(process.memory_full_info().pss)
    except psutil.NoSuchProcess:
        return 0
    except psutil.AccessDenied:
        return int(process.memory_info().rss)


def is_dying_again_and_again(home: Home, name: str) -> bool:
    """Return whether the launcher recorded too many starts of this process in the last two minutes."""
    path = starts_path(home, name)
    try:
        starts = [float(line) for line in path.read_text("utf-8").split()]
    except (OSError, ValueError):
        return False
    now = time.time()  # starts in the future, recorded by a clock that was ahead, do not count
    return sum(0 <= now - start < MANY_STARTS_S for start in starts) >= MANY_STARTS


def _own_status(home: Home, process: Process, info: dict[str, Any] | None) -> ServiceStatus:
    state = _process_state(home, process, info)
    if info is None or not info["pid"]:
        pid, memory_mb, uptime_s = None, None, None
    else:
        pid, uptime_s = info["pid"], float(info["now"] - info["start"])
        memory_mb = held_mb(info["pid"])
    is_bad = state in (InstallationState.FAILING, InstallationState.SILENT)
    log = home.logs / f"{process.name}.log"
    remedy = Message("start.up") if state is InstallationState.STOPPED else None
    remedy = Message("start.read-log", log=log) if is_bad else remedy
    words = last_line(log) if is_bad else ""
    return ServiceStatus(process.name, state, pid, memory_mb, uptime_s, process.address, words, remedy)


def _process_state(home: Home, process: Process, info: dict[str, Any] | None) -> InstallationState:
    named = info["statename"] if info is not None else "STOPPED"
    if named in ("STOPPED", "STOPPING"):
        return InstallationState.STOPPED
    if named in ("FATAL", "EXITED", "UNKNOWN", "BACKOFF") or is_dying_again_and_again(home, process.name):
        return InstallationState.FAILING
    if process.listens is None and named == "STARTING":
        return InstallationState.STARTING
    if process.is_ready():
        return InstallationState.RUNNING
    is_new = info is not None and info["now"] - info["start"] < IMPORTING_S
    return InstallationState.STARTING if named == "STARTING" or is_new else InstallationState.SILENT


def _external_statuses(home: Home) -> list[ServiceStatus]:
    settings = home.settings
    services = [
        ("mongo", settings.mongo_url, not home.embeds_mongo, health.mongo_answers, "ZHUIWEN_MONGO_URL"),
        ("redis", settings.redis_url, not home.embeds_redis, health.redis_answers, "ZHUIWEN_REDIS_URL"),
        ("index", settings.index_url, bool(settings.services.index_url), health.redis_answers, "ZHUIWEN_INDEX_URL"),
        ("database", settings.services.database_url, bool(settings.services.database_url), health.postgres_answers,
         "ZHUIWEN_DATABASE_URL"),
    ]  # fmt: skip
    return [
        ServiceStatus(name, InstallationState.EXTERNAL, address=without_secrets(url))
        if answers(url)
        else ServiceStatus(
            name,
            InstallationState.UNREACHABLE,
            address=without_secrets(url),
            remedy=Message("start.check-variable", variable=variable),
        )
        for name, url, is_external, answers, variable in services
        if is_external
    ] + [_object_store(place) for place in s3_places(settings)]


def _object_store(place: S3Place) -> ServiceStatus:
    fault = place.read_fault()
    state = InstallationState.EXTERNAL if fault is None else InstallationState.UNREACHABLE
    remedy = None if fault is None else choose_remedy(place, fault)
    return ServiceStatus(place.name, state, address=place.address, remedy=remedy)


def without_secrets(url: str) -> str:
    """Return the hosts of a URL without user, password, path and options, or the path of a socket."""
    parts = urlsplit(url)
    return unquote(parts.netloc.rpartition("@")[2] or parts.path)


def last_line(path: Path) -> str:
    """Return the last non-blank line, at most its last 200 characters, or ""."""
    try:
        with path.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - TAIL_BYTES))
            tail = file.read().decode("utf-8", "replace")
    except OSError:
        return ""
    lines = [line.strip() for line in tail.splitlines() if line.strip()]
    printable = "".join(char if char.isprintable() else " " for char in lines[-1]) if lines else ""
    return printable[-MAX_LINE_CHARS:]
