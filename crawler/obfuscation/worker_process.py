"""Runs a function on untrusted data in a process that starts on demand and is replaced when it exceeds its limits.

`python -m crawler.obfuscation.worker_process FD MODULE FUNCTION BYTES SECONDS` is the process itself.
"""

import json
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

# The environment of a process that reads hostile data.

_KEPT = ("PATH", "LANG", "HOME")
_ROOT = Path(__file__).resolve().parents[2]


def child_environment() -> dict[str, str]:
    """Return an environment without secrets, because hostile data may take control of the process."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    paths = os.pathsep.join([str(_ROOT), *(path for path in sys.path if path)])
    return {**kept, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": paths}


# Writable memory. Recognising text in an image of 24,000,000 pixels takes up to 600 MB, rendering the references 670
# (2026-11).
MAX_MEMORY_BYTES = 900_000_000
MAX_ANSWER_BYTES = 256 * 1024 * 1024  # the rendered references have 49 MB (2026-11)
Question = Callable[[Any, bytes], tuple[Any, bytes]]


class WorkerProcess:
    """A process that calls one function, for one request at a time. Call `close` when done.

    Requests and responses consist of a JSON value and a block of bytes. Nothing that the process sends is unpickled.
    max_cpu_s: CPU seconds per request; 0 for a limit on wall-clock time alone
    """

    def __init__(self, function: Question, max_memory_bytes: int = MAX_MEMORY_BYTES, max_cpu_s: float = 0.0) -> None:
        self._arguments = [function.__module__, function.__name__, str(max_memory_bytes), str(max_cpu_s)]
        self._worker: subprocess.Popen[bytes] | None = None
        self._connection: Connection[object, object] | None = None
        self._is_closed = False

    def ask(self, question: object, data: bytes, max_seconds: float) -> tuple[Any, bytes] | None:
        """Send a request and return the response; None if the process cannot start, ends or exceeds the time."""
        if self._is_closed:
            return None
        try:
            connection, worker = self._running_worker()
            # Also ends a request that is not read, or a response that is not completed.
            timer = threading.Timer(max_seconds, worker.kill)
            timer.start()
            try:
                connection.send_bytes(json.dumps(question).encode())
                connection.send_bytes(data)
                return json.loads(connection.recv_bytes(MAX_ANSWER_BYTES)), connection.recv_bytes(MAX_ANSWER_BYTES)
            finally:
                timer.cancel()
        except (OSError, EOFError, ValueError, RecursionError):
            self._end()
            return None

    def close(self) -> None:
        """End the process. Later requests return None."""
        self._is_closed = True
        self._end()

    def _running_worker(self) -> "tuple[Connection[object, object], subprocess.Popen[bytes]]":
        if self._connection is None or self._worker is None or self._worker.poll() is not None:
            self._end()
            ours, theirs = socket.socketpair()
            self._connection = Connection(ours.detach())
            with theirs:
                self._worker = subprocess.Popen(
                    [sys.executable, "-m", __name__, str(theirs.fileno()), *self._arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    pass_fds=(theirs.fileno(),),
                    env=child_environment(),
                )
        return self._connection, self._worker

    def _end(self) -> None:
        if self._connection is not None:
            self._connection.close()
        if self._worker is not None:
            self._worker.kill()
            self._worker.wait()
        self._worker = self._connection = None


def main(fd: str, module: str, function: str, max_memory_bytes: str, max_cpu_s: str) -> None:
    """Process requests until the connection is closed. function: the name of a function in `module`."""
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    most = int(max_memory_bytes) if hard == resource.RLIM_INFINITY else min(int(max_memory_bytes), hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answer: Question = getattr(import_module(module), function)
    connection: Connection[object, object] = Connection(int(fd))
    with suppress(EOFError, OSError):  # the caller has ended
        while True:
            question, data = connection.recv_bytes(), connection.recv_bytes()
            signal.setitimer(signal.ITIMER_PROF, float(max_cpu_s))  # at this limit, the signal ends the process
            said, raw = answer(json.loads(question), data)
            signal.setitimer(signal.ITIMER_PROF, 0)
            connection.send_bytes(json.dumps(said).encode())
            connection.send_bytes(raw)


if __name__ == "__main__":
    main(*sys.argv[1:])
