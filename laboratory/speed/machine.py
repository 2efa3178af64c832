"""The environment of a measurement: the machine, its other load, and the relevant versions."""

import os
import platform
import resource
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numba
import numpy as np
import psutil


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine. load: mean number of runnable processes over the last minute, before and after."""

    processor: str
    processors: int
    memory_bytes: int
    load_before: float
    load_after: float
    python: str
    numpy: str
    numba: str
    redis: str  # "" if none was measured

    def __str__(self) -> str:
        return (
            f"{self.processor}, {self.processors} processors, load {self.load_before:g} before and "
            f"{self.load_after:g} after; Python {self.python}, numpy {self.numpy}, numba {self.numba}"
            + (f", Redis {self.redis}" if self.redis else "")
        )


def load() -> float:
    """Return the mean number of processes that run or wait for a processor, over the last minute."""
    return round(os.getloadavg()[0], 2)


def machine(load_before: float, redis_version: str) -> Machine:
    """Return this machine with its current load."""
    return Machine(
        _processor(),
        os.cpu_count() or 1,
        int(psutil.virtual_memory().total),
        load_before,
        load(),
        platform.python_version(),
        np.__version__,
        numba.__version__,
        redis_version,
    )


def own_bytes() -> int:
    """Return the resident memory of this process that is neither file-backed nor shared."""
    held = psutil.Process().memory_info()
    return int(held.rss - getattr(held, "shared", 0))


def forget_peak() -> None:
    """Reset the peak of this process' resident set, if the system supports it (proc(5))."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def peak_bytes() -> int:
    """Return the peak of this program's resident set. getrusage would return the parent's peak, if it was higher."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return 1024 * int(line.split()[1])
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())
