"""Starts and stops an installation, for `zhuiwen up` and `zhuiwen down`."""

import contextlib
import errno
import fcntl
import socket
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import psutil

from core import disk, sockets
from core.errors import BadConfiguration, PortTaken, RetryLater, ServiceUnavailable
from core.private_files import touch_private
from core.wording import Message
from deploy import started
from deploy.home import Home, make_socket_folder
from deploy.services import installed, preparation
from deploy.services.processes import Listens, Process, processes
from deploy.services.silence import SilenceWatch
from deploy.services.state import InstallationState, is_dying_again_and_again, last_line, status
from deploy.services.supervision import (
    POLL_S,
    Supervisor,
    changed_variables,
    start_supervisor,
    starts_path,
    wait_until,
    write_configuration,
)

OnProgress = Callable[[Message], None]

READY_DEADLINE_S = 120.0  # starting five interpreters at once on two busy cores took 25 s (November 2026)
START_S = 60.0  # longest time to the first response of a starting process
END_MARGIN_S = 10.0  # added to the time after which supervisord kills a process
SUPERVISOR_STOP_S = 60.0
DOUBT_POLL_S = 1.0

_ALIVE = ("STARTING", "RUNNING")
_GONE = ("STOPPED", "EXITED", "FATAL", "UNKNOWN")


def up(home: Home, on_progress: OnProgress, only: Collection[str] | None = None) -> None:
    """Start the processes that are not running and return when all respond; keep running processes that respond.

    A process that does not respond for 30 s, or whose settings changed, is restarted. only: some processes instead of
    all. Raises PortTaken, BadConfiguration (also if a preparation step failed), ServiceUnavailable (of an external
    service), RetryLater (on a full disk, or if processes keep dying or do not respond).
    """
    for space in disk.full_file_systems(home.settings):
        raise RetryLater(space.sentence)  # a process stopped now could not be started again
    with _installation_lock(home, on_progress):
        make_socket_folder(home.path)
        table = processes(home, only)
        if only is None:
            _check_external(home)
        supervisor = Supervisor(home)
        if supervisor.pid() is None:
            _clear_up(home, on_progress)
            check_ports(table)
            write_configuration(home, table)
            started.note(home)
            start_supervisor(home)
        else:
            settings = changed_variables(home, table)
            write_configuration(home, table)
            started.note(home)
            _take_over_changes(supervisor, table, settings, on_progress)
        _end_dying(home, supervisor, table)
        _replace_silent(supervisor, table, on_progress)
        idle = _not_alive(supervisor, table)
        check_ports(idle)
        if not idle:
            on_progress(Message("start.running-already"))
        _start_group(home, supervisor, [process for process in table if process.is_store], on_progress)
        work = [process for process in table if not process.is_store]
        if any(process in idle for process in work):
            # Workers on other hosts share an external Redis, never the embedded one.
            is_alone = home.embeds_redis and all(process in idle for process in work)
            preparation.prepare(home, preparation.steps(is_alone=is_alone), on_progress)
        _start_group(home, supervisor, work, on_progress)


def down(home: Home, on_progress: OnProgress) -> None:
    """Stop all processes of this installation, work before stores; it is not an error if none runs."""
    with _installation_lock(home, on_progress):
        supervisor = Supervisor(home)
        pid = supervisor.pid()
        if pid is None:
            if not _clear_up(home, on_progress):
                on_progress(Message("start.nothing-runs"))
            _leave_nothing(home)
            return
        table = {process.name: process for process in processes(home)}
        named = [table[name] for name in supervisor.infos() if name in table]
        _stop_group(supervisor, [process for process in named if not process.is_store], on_progress)
        _stop_group(supervisor, [process for process in named if process.is_store], on_progress)
        _shut_down(supervisor, pid)
        _clear_up(home, on_progress)
        _leave_nothing(home)
        on_progress(Message("start.all-stopped"))


@contextmanager
def _installation_lock(home: Home, on_progress: OnProgress) -> Iterator[None]:
    """Lock the installation for one `up` or `down` at a time; the system releases the lock of a dead process."""
    with touch_private(home.run / "lifecycle.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            on_progress(Message("start.waiting"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _check_external(home: Home) -> None:
    for service in status(home):
        if service.state is InstallationState.UNREACHABLE:
            raise ServiceUnavailable(service.name, service.address, service.remedy or Message("start.up"))


def _clear_up(home: Home, on_progress: OnProgress) -> bool:
    """End processes that outlived their supervisor, and return whether there were any."""
    left = installed.orphans(home)
    if left:
        on_progress(Message("start.ending", count=len(left)))
        installed.end(left)
    return bool(left)


def _leave_nothing(home: Home) -> None:
    """Delete the record of the settings that were started with, and the sockets of killed processes."""
    started.forget(home.path)
    folder = sockets.folder(home.path)
    for path in folder.glob("*.sock"):
        path.unlink(missing_ok=True)
    if folder != home.run:
        with contextlib.suppress(OSError):  # another process may be recreating it
            folder.rmdir()


def _take_over_changes(
    supervisor: Supervisor, table: Sequence[Process], settings: Mapping[str, Sequence[str]], on_progress: OnProgress
) -> None:
    """Load the new configuration: stop changed and removed processes, and add changed and new ones.

    settings: the changed variables by process.
    """
    added, changed, removed = supervisor.call("reloadConfig")[0]
    known = {process.name: process for process in table}
    if changed:
        named = sorted({each for name in changed for each in settings.get(name, ())})
        what = named or Message("start.how-it-starts")
        on_progress(Message("start.changed", what=what, names=changed))
    for name in [*changed, *removed]:
        on_progress(Message("start.stopping", service=name))
        supervisor.stop(name)
        wait_s = (known[name].stop_wait_s if name in known else SUPERVISOR_STOP_S) + END_MARGIN_S
        wait_until(lambda name=name: supervisor.infos()[name]["statename"] in _GONE, wait_s)  # type: ignore[misc]
        supervisor.call("removeProcessGroup", name)
    for name in [*added, *changed]:
        supervisor.call("addProcessGroup", name)


def _end_dying(home: Home, supervisor: Supervisor, table: Sequence[Process]) -> None:
    """Stop processes that keep dying, so that a repaired process starts with all its attempts."""
    dying = [process.name for process in table if is_dying_again_and_again(home, process.name)]
    for name in dying:
        supervisor.stop(name)
    wait_until(lambda: all(supervisor.infos()[name]["statename"] in _GONE for name in dying), END_MARGIN_S)


def _replace_silent(supervisor: Supervisor, table: Sequence[Process], on_progress: OnProgress) -> None:
    """Kill processes that do not respond for 30 s, so that the supervisor restarts them."""
    watch = SilenceWatch(supervisor.infos, patience_s=START_S)
    while True:
        for silent in watch.look(table):
            on_progress(Message("start.replaced", service=silent.name, seconds=silent.silent_s))
            silent.kill()
            wait_until(lambda old=silent: _process_id(supervisor, old.name) not in (0, old.pid), END_MARGIN_S)  # type: ignore[misc]
        if not watch.is_in_doubt:
            return
        time.sleep(DOUBT_POLL_S)


def _process_id(supervisor: Supervisor, name: str) -> int:
    return int(supervisor.infos().get(name, {}).get("pid", 0))


def _not_alive(supervisor: Supervisor, table: Sequence[Process]) -> list[Process]:
    infos = supervisor.infos()
    return [process for process in table if infos[process.name]["statename"] not in _ALIVE]


def _start_group(home: Home, supervisor: Supervisor, group: Sequence[Process], on_progress: OnProgress) -> None:
    """Start the processes of a group that are not running, and wait until all of them respond."""
    for process in _not_alive(supervisor, group):
        on_progress(Message("start.starting-it", service=process.name))
        starts_path(home, process.name).unlink(missing_ok=True)
        supervisor.start(process.name)
    failures: dict[str, Message] = {}
    end = time.monotonic() + READY_DEADLINE_S
    for process in group:
        fault = _wait_until_ready(home, supervisor, process, end)
        if fault is None:
            on_progress(_running_message(process))
        else:
            failures[process.name] = fault
    if failures:
        first, *others = failures
        several = Message("start.several-failed", first=failures[first], others=others)
        raise RetryLater(several if others else failures[first])


def _running_message(process: Process) -> Message:
    if not process.address:
        return Message("start.runs", service=process.name)
    return Message("start.runs-at", service=process.name, address=process.address)


def _wait_until_ready(home: Home, supervisor: Supervisor, process: Process, end: float) -> Message | None:
    """Wait until a process responds and return None, or return a message if it keeps dying or `end` has passed."""
    log = home.logs / f"{process.name}.log"
    while True:
        state = supervisor.infos().get(process.name, {}).get("statename", "UNKNOWN")
        if state in _GONE or is_dying_again_and_again(home, process.name):
            if words := last_line(log):
                return Message("start.keeps-dying-with", service=process.name, words=words, log=log)
            return Message("start.keeps-dying", service=process.name, log=log)
        is_alive = state == "RUNNING" or (state == "STARTING" and process.listens is not None)
        if is_alive and process.is_ready():
            return None
        if time.monotonic() > end:
            return Message("start.slow", service=process.name, seconds=READY_DEADLINE_S, log=log)
        time.sleep(POLL_S)


def _stop_group(supervisor: Supervisor, group: Sequence[Process], on_progress: OnProgress) -> None:
    for process in group:
        on_progress(Message("start.stopping", service=process.name))
        supervisor.stop(process.name)
    names = {process.name for process in group}
    longest_s = max((process.stop_wait_s for process in group), default=0.0) + END_MARGIN_S
    wait_until(lambda: all(i["statename"] in _GONE for n, i in supervisor.infos().items() if n in names), longest_s)


def _shut_down(supervisor: Supervisor, pid: int) -> None:
    """Shut the supervisor down and wait until its process has ended; it closes its socket earlier."""
    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        with contextlib.suppress(OSError):  # the supervisor ended before it responded
            supervisor.call("shutdown")
        # A zombie has ended too: it may have no parent to reap it.
        wait_until(lambda: process.status() == psutil.STATUS_ZOMBIE, SUPERVISOR_STOP_S)


def check_ports(table: Iterable[Process]) -> None:
    """Raise PortTaken or BadConfiguration for the first process that cannot listen on its host and port."""
    for process in table:
        if process.listens is not None:
            _check_port(process.name, process.listens)


def _check_port(name: str, listens: Listens) -> None:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(listens.host, listens.port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # closed connections linger for a minute
            probe.bind(address)
            probe.listen(1)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(name, listens.port, listens.variable) from error
        variable = listens.variable if error.errno == errno.EACCES else listens.host_variable or listens.variable
        raise BadConfiguration(
            "start.cannot-listen",
            service=name,
            host=listens.host,
            port=listens.port,
            reason=error.strerror or error,
            variable=variable,
        ) from error
