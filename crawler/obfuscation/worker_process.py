"""Runs functions on untrusted files in a process that starts on demand and is replaced after exceeding its limits.

`python -m crawler.obfuscation.worker_process MODULE FUNCTION BYTES SECONDS` is the process itself.
"""

import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import IO, Any

# The environment of a process that reads hostile input.

_KEPT = ("PATH", "LANG", "HOME")
_ROOT = Path(__file__).resolve().parents[2]


def child_environment() -> dict[str, str]:
    """Return an environment without secrets, because hostile input may take control of the process."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    paths = os.pathsep.join([str(_ROOT), *(path for path in sys.path if path)])
    return {**kept, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": paths}


# Writable memory: recognising text in a picture of 24,000,000 pixels peaks at 600 MB, drawing the references at 670
# (2026-11).
MAX_MEMORY_BYTES = 900_000_000
Question = Callable[[Any, bytes], tuple[Any, bytes]]


class WorkerProcess:
    """A process that calls one function for one request at a time. Call `close` when done.

    Requests and responses consist of a JSON value and a block of bytes. Threads may share an instance.
    max_cpu_s: CPU seconds per request; 0 limits only wall-clock time
    """

    def __init__(self, function: Question, max_memory_bytes: int = MAX_MEMORY_BYTES, max_cpu_s: float = 0.0) -> None:
        limits = str(max_memory_bytes), str(max_cpu_s)
        self._arguments = ["-m", __name__, function.__module__, function.__name__, *limits]
        self._lock = threading.Lock()
        self._worker: subprocess.Popen[bytes] | None = None
        self._is_closed = False

    def ask(
        self, question: object, data: bytes, max_seconds: float, max_seconds_waiting: float = -1
    ) -> tuple[Any, bytes] | None:
        """Send a request; return None if the process cannot start, or ends or is killed before it responds.

        max_seconds_waiting: the maximum time to wait for other requests; -1 for no limit
        """
        if not self._lock.acquire(timeout=max_seconds_waiting):
            return None
        timer: threading.Timer | None = None
        try:
            if self._is_closed:
                return None
            worker = self._running_worker()
            timer = threading.Timer(max_seconds, worker.kill)
            timer.start()
            return _answer(worker, question, data)
        except (OSError, ValueError):
            self._end()
            return None
        finally:
            if timer is not None:
                timer.cancel()
            self._lock.release()

    def close(self) -> None:
        """End the process, even while a thread waits for its response. Later requests return None."""
        self._is_closed = True
        if (worker := self._worker) is not None:
            worker.kill()
        with self._lock:
            self._end()

    def _running_worker(self) -> "subprocess.Popen[bytes]":
        if self._worker is None or self._worker.poll() is not None:
            self._end()
            self._worker = subprocess.Popen(
                [sys.executable, *self._arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=child_environment(),
            )
        return self._worker

    def _end(self) -> None:
        worker, self._worker = self._worker, None
        if worker is None:
            return
        worker.kill()
        for stream in (worker.stdin, worker.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        worker.wait()


def _answer(worker: "subprocess.Popen[bytes]", question: object, data: bytes) -> tuple[Any, bytes]:
    """Send a request and read the response. Raises OSError or ValueError if the worker ends or responds invalidly."""
    assert worker.stdout is not None
    assert worker.stdin is not None
    _write(worker.stdin, question, data)
    said, raw = _read_block(worker.stdout), _read_block(worker.stdout)
    if said is None or raw is None:
        raise ValueError("the worker has ended")
    return json.loads(said), raw


def _write(sink: IO[bytes], said: object, data: bytes) -> None:
    for block in (json.dumps(said).encode(), data):
        sink.write(len(block).to_bytes(4, "big") + block)
    sink.flush()


def _read_block(source: IO[bytes]) -> bytes | None:
    """Read one block, preceded by its length as four big-endian bytes, or return None at the end."""
    head = source.read(4)
    return source.read(int.from_bytes(head, "big")) if len(head) == 4 else None


def main(module: str, function: str, max_memory_bytes: str, max_cpu_s: str) -> None:
    """Process requests until the input ends."""
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    most = int(max_memory_bytes) if hard == resource.RLIM_INFINITY else min(int(max_memory_bytes), hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answer: Question = getattr(import_module(module), function)
    while (question := _read_block(sys.stdin.buffer)) is not None:
        data = _read_block(sys.stdin.buffer) or b""
        signal.setitimer(signal.ITIMER_PROF, float(max_cpu_s))  # the signal ends the process
        said, raw = answer(json.loads(question), data)
        signal.setitimer(signal.ITIMER_PROF, 0)
        _write(sys.stdout.buffer, said, raw)


if __name__ == "__main__":
    main(*sys.argv[1:])
