"""Injects faults into an installation: kills and stalls processes, fails over, fills the disk, moves the clock."""

import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random

import psutil
import psycopg

from laboratory.chaos.clock import MovableClock
from laboratory.chaos.installation import Installation
from laboratory.chaos.plan import VICTIMS, Fault
from laboratory.draws import generator
from laboratory.report import Say
from laboratory.servers import end_connections

DOWN_S = (1.0, 8.0)  # downtime of a server that no supervisor restarts
PRESENCE_S = 30.0  # wait for a victim that is not running, such as a crawler or a starting service
POLL_S = 0.2
FILL_ATTEMPTS = 10  # chosen: a disk in use is often written between two readings, rarely ten times in a row


class Faults:
    """Injects the planned faults at their times, and reports them. `done` counts them by kind and victim."""

    def __init__(
        self, installation: Installation, seed: int, disk: Path | None, clock: MovableClock | None, say: Say
    ) -> None:
        """disk: small file system with all stored data. clock: clock of the installation."""
        self._installation, self._disk, self._clock, self._say = installation, disk, clock, say
        self._chance: Random = generator(seed, "victims")
        self.done: Counter[str] = Counter()

    def run(self, faults: Sequence[Fault], is_over: Callable[[], bool]) -> None:
        """Inject the faults until the run is over; skip the remaining ones."""
        began = time.monotonic()
        for fault in faults:
            while time.monotonic() - began < fault.at_s and not is_over():
                time.sleep(POLL_S)
            if is_over():
                return
            if (victim := self._do(fault)) is not None:
                name = f"{fault.kind} {victim}".strip()
                self.done[name] += 1
                self._say(f"{time.monotonic() - began:5.0f} s  {name}")

    def _do(self, fault: Fault) -> str | None:
        """Inject a fault and return its victim, or None if that was not possible."""
        match fault.kind:
            case "kill":
                return self._kill_one(fault.victim)
            case "stall":
                done = self._stall(fault.victim, fault.lasts_s)
            case "failover":
                done = self._fail_over()
            case "disk":
                done = self._fill(fault.lasts_s)
            case "clock":
                done = self._move_clock(float(fault.victim), fault.lasts_s)
            case _:
                done = False
        return fault.victim if done else None

    def _kill_one(self, victim: str) -> str | None:
        """Kill a victim, or another if it is not running: no crawler runs while sites wait for a service."""
        others = [each for each in VICTIMS if each != victim]
        return next((each for each in (victim, *others) if self._kill(each)), None)

    def _kill(self, victim: str) -> bool:
        server = self._installation.servers.get(victim)
        if server is not None:
            server.kill()
            time.sleep(self._chance.uniform(*DOWN_S))
            server.start()
            return True
        process = self._one(victim)
        if process is not None:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        return process is not None

    def _stall(self, victim: str, lasts_s: float) -> bool:
        server = self._installation.servers.get(victim)
        if server is not None:
            server.signal(signal.SIGSTOP)
            time.sleep(lasts_s)
            server.signal(signal.SIGCONT)
            return True
        process = self._one(victim)
        if process is None:
            return False
        with suppress(psutil.NoSuchProcess):
            process.suspend()
            time.sleep(lasts_s)
            process.resume()
        return True

    def _fail_over(self) -> bool:
        with suppress(psycopg.Error):
            return end_connections(self._installation.servers["sql"].url) >= 0
        return False

    def _fill(self, lasts_s: float) -> bool:
        """Leave no free byte on the file system of the installation for a while."""
        if self._disk is None:
            return False
        whole = _size(os.statvfs(self._disk))
        if not _filled(self._disk):
            return False
        time.sleep(lasts_s)
        resized(self._disk, whole)
        for server in self._installation.servers.values():
            if not server.answers():  # it has ended, or never recovers by itself
                server.kill()
                server.start()
        return True

    def _move_clock(self, by_s: float, lasts_s: float) -> bool:
        if self._clock is None:
            return False
        self._clock.move(by_s)
        time.sleep(lasts_s)
        self._clock.move(0.0)
        return True

    def _one(self, victim: str) -> psutil.Process | None:
        deadline = time.monotonic() + PRESENCE_S
        while not (found := self._installation.processes(victim)):
            if time.monotonic() > deadline:
                return None
            time.sleep(POLL_S)
        return self._chance.choice(found)


def small_disk(folder: Path, size_bytes: int) -> bool:
    """Mount a file system in memory at the folder. Return True if that is possible on this machine."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={size_bytes},mode=755", "tmpfs", str(folder)]
    return os.geteuid() == 0 and subprocess.run(command, capture_output=True, check=False).returncode == 0


def _filled(disk: Path) -> bool:
    """Shrink a disk to its contents. Return True if successful. Tries again if the contents grow meanwhile."""
    for _ in range(FILL_ATTEMPTS):
        space = os.statvfs(disk)
        with suppress(subprocess.CalledProcessError):  # tmpfs rejects a size below the space in use
            resized(disk, _size(space) - space.f_bfree * space.f_frsize)
            return True
    return False


def _size(space: os.statvfs_result) -> int:
    return space.f_blocks * space.f_frsize


def resized(folder: Path, size_bytes: int) -> None:
    """Resize a file system in memory. Raises CalledProcessError if its contents are larger."""
    command = ["mount", "-o", f"remount,size={size_bytes}", str(folder)]
    subprocess.run(command, check=True, capture_output=True)


def unmount(folder: Path) -> None:
    command = ["umount", "--lazy", str(folder)]
    subprocess.run(command, check=False, capture_output=True)
