"""A process that looks at hostile files: started at the first, ended when one takes too long, started anew."""

import contextlib
import subprocess
import sys
import threading
from typing import IO

from crawler.child_environment import child_environment


class WorkerProcess:
    """`python -m module`, asked one question at a time. Safe to use from several threads; `close` when done.

    A question is two blocks, and so is its answer.
    """

    def __init__(self, module: str) -> None:
        self._module = module
        self._lock = threading.Lock()
        self._worker: subprocess.Popen[bytes] | None = None
        self._is_closed = False

    def ask(
        self, question: bytes, data: bytes, max_seconds: float, max_seconds_waiting: float = -1
    ) -> tuple[bytes, bytes] | None:
        """The two blocks of the answer; None where the process ends before it has answered, or is made to.

        max_seconds_waiting: for the answers to others; -1: until it is its turn.
        """
        if not self._lock.acquire(timeout=max_seconds_waiting):
            return None
        try:
            if self._is_closed:
                return None
            worker = self._started()
            timer = threading.Timer(max_seconds, worker.kill)
            timer.start()
            try:
                return _asked(worker, question, data)
            except (OSError, ValueError):
                self._end()
                return None
            finally:
                timer.cancel()
        finally:
            self._lock.release()

    def close(self) -> None:
        """End the process, also while a thread waits for its answer; nothing is asked any more."""
        self._is_closed = True
        if (worker := self._worker) is not None:
            worker.kill()
        with self._lock:
            self._end()

    def _started(self) -> "subprocess.Popen[bytes]":
        if self._worker is None or self._worker.poll() is not None:
            self._end()
            self._worker = subprocess.Popen(
                [sys.executable, "-m", self._module],
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


def read_block(source: IO[bytes]) -> bytes | None:
    """One block with its length before it, four bytes, big-endian; None at the end."""
    head = source.read(4)
    if len(head) < 4:
        return None
    return source.read(int.from_bytes(head, "big"))


def write_block(sink: IO[bytes], data: bytes) -> None:
    sink.write(len(data).to_bytes(4, "big") + data)


def _asked(worker: "subprocess.Popen[bytes]", question: bytes, data: bytes) -> tuple[bytes, bytes]:
    """Raises OSError or ValueError where the worker ends before it has answered."""
    source, sink = worker.stdout, worker.stdin
    if source is None or sink is None:
        raise ValueError("the worker has no pipes")
    write_block(sink, question)
    write_block(sink, data)
    sink.flush()
    first, second = read_block(source), read_block(source)
    if first is None or second is None:
        raise ValueError("the worker has ended")
    return first, second
