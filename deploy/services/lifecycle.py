"""Up and down: what `zhuiwen up` and `zhuiwen down` do, as functions."""

import fcntl
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager

from core.errors import ServiceUnavailable
from deploy.home import Home
from deploy.services import orphans, ports, preparation
from deploy.services.faults import ServiceKeepsDying, ServicesFailed, ServiceSlow
from deploy.services.logs import last_line
from deploy.services.processes import Process, processes
from deploy.services.state import State, is_dying_again_and_again, status
from deploy.services.supervision import (
    Supervisor,
    changed_variables,
    start_supervisor,
    starts_path,
    write_configuration,
)
from deploy.services.waiting import POLL_S, wait_for

OnProgress = Callable[[str], None]

READY_DEADLINE_S = 120.0  # five interpreters that start at once on two busy cores took 25 s (November 2026)
END_MARGIN_S = 10.0  # beyond the time that supervisord gives a process before it kills it
SUPERVISOR_STOP_S = 60.0

_ALIVE = ("STARTING", "RUNNING")
_GONE = ("STOPPED", "EXITED", "FATAL", "UNKNOWN")


def up(home: Home, on_progress: OnProgress, only: Collection[str] | None = None) -> None:
    """Start what does not run yet and return when everything answers; what runs is left alone.

    A process whose settings changed is started anew. `only` names some processes instead of all. Raises PortTaken,
    BadConfiguration, ServiceUnavailable (one that runs elsewhere), PreparationFailed, ServiceKeepsDying, ServiceSlow.
    """
    with _alone(home, on_progress):
        table = processes(home, only)
        if only is None:
            _check_external(home)
        supervisor = Supervisor(home)
        if supervisor.pid() is None:
            _clear_up(home, on_progress)
            ports.check(table)
            write_configuration(home, table)
            start_supervisor(home)
        else:
            settings = changed_variables(home, table)
            write_configuration(home, table)
            _take_over_changes(supervisor, table, settings, on_progress)
        _end_dying(home, supervisor, table)
        idle = _not_alive(supervisor, table)
        ports.check(idle)
        if not idle:
            on_progress("already running")
        _start(home, supervisor, [process for process in table if process.is_store], on_progress)
        work = [process for process in table if not process.is_store]
        if any(process in idle for process in work):
            # Workers on other hosts share a Redis of their own address, never the embedded one.
            is_alone = home.embeds_redis and all(process in idle for process in work)
            preparation.prepare(home, preparation.steps(is_alone=is_alone), on_progress)
        _start(home, supervisor, work, on_progress)


def down(home: Home, on_progress: OnProgress) -> None:
    """End everything of this installation, work before stores; nothing to end is no fault."""
    with _alone(home, on_progress):
        supervisor = Supervisor(home)
        pid = supervisor.pid()
        if pid is None:
            if not _clear_up(home, on_progress):
                on_progress("nothing runs")
            return
        table = {process.name: process for process in processes(home)}
        named = [table[name] for name in supervisor.infos() if name in table]
        _stop(supervisor, [process for process in named if not process.is_store], on_progress)
        _stop(supervisor, [process for process in named if process.is_store], on_progress)
        _shut_down(supervisor)
        _clear_up(home, on_progress)
        on_progress("everything is stopped")


@contextmanager
def _alone(home: Home, on_progress: OnProgress) -> Iterator[None]:
    """One `up` or `down` at a time; the system drops the lock of a process that dies."""
    with (home.run / "lifecycle.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            on_progress("waiting for another zhuiwen up or down to end")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _check_external(home: Home) -> None:
    for service in status(home):
        if service.state is State.UNREACHABLE:
            raise ServiceUnavailable(service.name, service.address, service.remedy)


def _clear_up(home: Home, on_progress: OnProgress) -> bool:
    """End what outlived its supervisor; whether there was any."""
    left = orphans.find(home)
    if left:
        on_progress(f"ending {len(left)} processes that outlived their supervisor")
        orphans.end(left)
    return bool(left)


def _take_over_changes(
    supervisor: Supervisor, table: Sequence[Process], settings: Mapping[str, Sequence[str]], on_progress: OnProgress
) -> None:
    """Stop what changed or is gone. settings: which variables of each process differ."""
    added, changed, removed = supervisor.call("reloadConfig")[0]
    known = {process.name: process for process in table}
    if changed:
        named = sorted({each for name in changed for each in settings.get(name, ())})
        on_progress(f"{', '.join(named) or 'how it is started'} changed, starting anew: {', '.join(changed)}")
    for name in [*changed, *removed]:
        on_progress(f"{name}: stopping")
        supervisor.stop(name)
        wait_s = (known[name].stop_wait_s if name in known else SUPERVISOR_STOP_S) + END_MARGIN_S
        wait_for(lambda name=name: supervisor.infos()[name]["statename"] in _GONE, wait_s)  # type: ignore[misc]
        supervisor.call("removeProcessGroup", name)
    for name in [*added, *changed]:
        supervisor.call("addProcessGroup", name)


def _end_dying(home: Home, supervisor: Supervisor, table: Sequence[Process]) -> None:
    """End the last attempts of what keeps dying: what is mended begins afresh, with all its attempts."""
    dying = [process.name for process in table if is_dying_again_and_again(home, process.name)]
    for name in dying:
        supervisor.stop(name)
    wait_for(lambda: all(supervisor.infos()[name]["statename"] in _GONE for name in dying), END_MARGIN_S)


def _not_alive(supervisor: Supervisor, table: Sequence[Process]) -> list[Process]:
    infos = supervisor.infos()
    return [process for process in table if infos[process.name]["statename"] not in _ALIVE]


def _start(home: Home, supervisor: Supervisor, group: Sequence[Process], on_progress: OnProgress) -> None:
    """Start those of a group that do not live, and wait until all of it answers."""
    for process in _not_alive(supervisor, group):
        on_progress(f"{process.name}: starting")
        starts_path(home, process.name).unlink(missing_ok=True)
        supervisor.start(process.name)
    failures: list[ServiceKeepsDying | ServiceSlow] = []
    end = time.monotonic() + READY_DEADLINE_S
    for process in group:
        try:
            _wait_until_ready(home, supervisor, process, end)
            on_progress(f"{process.name}: running{' at ' + process.address if process.address else ''}")
        except (ServiceKeepsDying, ServiceSlow) as failure:
            failures.append(failure)
    if failures:
        raise failures[0] if len(failures) == 1 else ServicesFailed(failures)


def _wait_until_ready(home: Home, supervisor: Supervisor, process: Process, end: float) -> None:
    log = home.logs / f"{process.name}.log"
    while True:
        state = supervisor.infos().get(process.name, {}).get("statename", "UNKNOWN")
        if state in _GONE or is_dying_again_and_again(home, process.name):
            raise ServiceKeepsDying(process.name, last_line(log), log)
        is_alive = state == "RUNNING" or (state == "STARTING" and process.listens is not None)
        if is_alive and process.is_ready():
            return
        if time.monotonic() > end:
            raise ServiceSlow(process.name, READY_DEADLINE_S, log)
        time.sleep(POLL_S)


def _stop(supervisor: Supervisor, group: Sequence[Process], on_progress: OnProgress) -> None:
    for process in group:
        on_progress(f"{process.name}: stopping")
        supervisor.stop(process.name)
    names = {process.name for process in group}
    longest_s = max((process.stop_wait_s for process in group), default=0.0) + END_MARGIN_S
    wait_for(lambda: all(i["statename"] in _GONE for n, i in supervisor.infos().items() if n in names), longest_s)


def _shut_down(supervisor: Supervisor) -> None:
    try:
        supervisor.call("shutdown")
    except OSError:
        return  # it was quicker than its answer
    wait_for(lambda: supervisor.pid() is None, SUPERVISOR_STOP_S)
