"""supervisord, the supervisor of the processes of one machine: its configuration and its socket."""

import hashlib
import http.client
import json
import os
import socket
import subprocess
import sys
import time
import xmlrpc.client
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

from core import sockets
from core.errors import BadConfiguration, BrokenInvariant
from core.heartbeat import PROCESS
from core.known_settings import PREFIX, environment_variable
from core.private_files import write_privately
from deploy.home import Home
from deploy.services import launch, redis_server
from deploy.services.processes import Process

LOG_BYTES, LOG_BACKUPS = 10 * 1024 * 1024, 3  # for each process: 40 MB at most
RETRIES = 3  # starts after a failed one, 1, 2 and 3 s apart, before supervisord gives up
START_DEADLINE_S = 20.0
CALL_TIMEOUT_S = 20.0
TABLE = "processes.json"  # read by the launcher
NOT_RUNNING = 70  # of supervisor.xmlrpc.Faults
ALREADY_STARTED = 60
# Paths are relative to the folder in which supervisord starts, `run`, because an absolute path may contain characters
# that begin a comment in an ini file or that supervisord expands.
_HEAD = """\
[supervisord]
logfile=../logs/supervisord.log
logfile_maxbytes={bytes}
logfile_backups={backups}
pidfile=supervisord.pid
umask=077
nocleanup=true
[unix_http_server]
file={socket}
chmod=0600
[rpcinterface:supervisor]
supervisor.rpcinterface_factory=supervisor.rpcinterface:make_main_rpcinterface
"""
_PROGRAM = """\
[program:{name}]
command={command}
priority={priority}
autostart=false
autorestart=true
startsecs={start_s:.0f}
startretries={retries}
stopsignal=TERM
stopwaitsecs={stop_wait_s:.0f}
killasgroup=true
redirect_stderr=true
stdout_logfile=../logs/{name}.log
stdout_logfile_maxbytes={bytes}
stdout_logfile_backups={backups}
environment=ZHUIWEN_CONFIGURATION="{digest}"
"""
POLL_S = 0.1


class Supervisor:
    """A client of the supervisord of one home folder, over its socket."""

    def __init__(self, home: Home) -> None:
        self._socket = socket_path(home)

    def pid(self) -> int | None:
        """Return the supervisor's process id, or None if it does not respond."""
        try:
            return cast("int", self.call("getPID"))
        except (OSError, http.client.HTTPException):
            return None

    def infos(self) -> dict[str, dict[str, Any]]:
        """Return supervisord's information on each process by name, empty if it does not run."""
        try:
            listed = cast("list[dict[str, Any]]", self.call("getAllProcessInfo"))
        except (OSError, http.client.HTTPException):
            return {}
        return {info["name"]: info for info in listed}

    def start(self, name: str) -> None:
        """Start one process and return at once; do nothing if it runs."""
        self._tolerating_fault(ALREADY_STARTED, "startProcess", name, False)

    def stop(self, name: str) -> None:
        """Stop one process and return at once; do nothing if it does not run."""
        self._tolerating_fault(NOT_RUNNING, "stopProcess", name, False)

    def call(self, method: str, *arguments: Any) -> Any:
        """Call a method of the `supervisor` namespace and return its result.

        Raises OSError if supervisord does not run, and xmlrpc.client.Fault if it rejects the call.
        """
        proxy = xmlrpc.client.ServerProxy("http://supervisor", transport=_UnixTransport(self._socket))
        with proxy:
            return getattr(proxy.supervisor, method)(*arguments)

    def _tolerating_fault(self, fault_code: int, method: str, *arguments: Any) -> None:
        try:
            self.call(method, *arguments)
        except xmlrpc.client.Fault as fault:
            if fault.faultCode != fault_code:
                raise BrokenInvariant(
                    "start.supervisor-refuses", method=method, name=arguments[0], reason=fault.faultString
                ) from fault


def write_configuration(home: Home, table: Sequence[Process]) -> None:
    """Write the files for supervisord, the launcher and redis-server, each readable only by this user."""
    if any(process.name == "redis" for process in table):
        write_privately(home.run / "redis.conf", redis_server.configuration(home))
    entries = {process.name: _process_entry(home, process) for process in table}
    write_privately(home.run / TABLE, json.dumps(entries, ensure_ascii=False, indent=1, sort_keys=True))
    head = _HEAD.format(socket=_relative_path(home, socket_path(home)), bytes=LOG_BYTES, backups=LOG_BACKUPS)
    programs = "".join(_program_section(home, process, entries[process.name]) for process in table)
    write_privately(configuration_path(home), head + programs)


def changed_variables(home: Home, table: Sequence[Process]) -> dict[str, list[str]]:
    """Return the changed variables that affect each process, by process name.

    Call it before `write_configuration`, which overwrites the previous values.
    """
    try:
        before = json.loads((home.run / TABLE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    found = {}
    for process in table:
        old, new = before.get(process.name, {}).get("environment", {}), _process_entry(home, process)["environment"]
        differing = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
        found[process.name] = [name for name in differing if process.is_affected(name)]
    return found


def start_supervisor(home: Home) -> None:
    """Start supervisord in the background and return when it responds. Raises BadConfiguration with its message."""
    # Without this shell's settings: the launcher's table has the settings of each process, now and after a change.
    kept = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    environment = {**kept, environment_variable("home"): str(home.path), "PYTHONUTF8": "1"}
    command = [sys.executable, "-m", "supervisor.supervisord", "--configuration", configuration_path(home).name]
    started = subprocess.run(
        command,
        env=environment,
        cwd=home.run,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        umask=0o077,
    )
    supervisor = Supervisor(home)
    is_up = started.returncode == 0 and wait_until(lambda: supervisor.pid() is not None, START_DEADLINE_S)
    if not is_up:
        said = (started.stderr or started.stdout).strip().splitlines()
        faults = [line for line in said if line.startswith("Error:")]
        reason = [f"see {home.logs / 'supervisord.log'}", *said, *faults][-1]
        raise BadConfiguration("start.no-supervisor", reason=reason)


def configuration_path(home: Home) -> Path:
    return home.run / "supervisord.conf"


def starts_path(home: Home, name: str) -> Path:
    """Return the file in which the launcher records the last starts of a process."""
    return home.run / f"{name}.starts"


def socket_path(home: Home) -> Path:
    """Return the path of supervisord's socket."""
    return sockets.path(home.path, "supervisor")


def _process_entry(home: Home, process: Process) -> dict[str, Any]:
    return {
        "command": list(process.command),
        "environment": {**home.environment, **process.environment, PROCESS: process.name},
        "removes": [str(path) for path in process.removes],
        "starts": str(starts_path(home, process.name)),
    }


def _program_section(home: Home, process: Process, entry: dict[str, Any]) -> str:
    # supervisord compares configurations to detect changes; the digest includes the launcher's table.
    read = {name: value for name, value in entry["environment"].items() if process.reads(name)}
    own = redis_server.configuration(home) if process.name == "redis" else ""
    seen = json.dumps([entry | {"environment": read}, own], sort_keys=True)
    return _PROGRAM.format(
        name=process.name,
        command=" ".join(_quote_part(part) for part in (sys.executable, launch.__file__, TABLE, process.name)),
        priority=process.priority,
        start_s=process.start_s,
        retries=RETRIES,
        stop_wait_s=process.stop_wait_s,
        bytes=LOG_BYTES,
        backups=LOG_BACKUPS,
        digest=hashlib.sha256(seen.encode()).hexdigest(),
    )


def _relative_path(home: Home, path: Path) -> str:
    return path.name if path.parent == home.run else str(path).replace("%", "%%")


def _quote_part(part: Path | str) -> str:
    """Return one word of a supervisord command line: quoted for its shlex, % doubled for its expansion."""
    escaped = str(part).replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("supervisor", timeout=CALL_TIMEOUT_S)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


class _UnixTransport(xmlrpc.client.Transport):
    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def make_connection(self, host: Any) -> http.client.HTTPConnection:
        return _UnixConnection(self._path)


def wait_until(is_true: Callable[[], bool], deadline_s: float) -> bool:
    """Return whether `is_true()` became true before the deadline."""
    end = time.monotonic() + deadline_s
    while not is_true():
        if time.monotonic() > end:
            return False
        time.sleep(POLL_S)
    return True
