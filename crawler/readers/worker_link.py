"""One process that reads, and the way to it."""

import contextlib
import os
import pickle
import socket
import subprocess
import sys
import threading
from multiprocessing.connection import Connection
from pathlib import Path

from crawler.child_environment import child_environment

MAX_SECONDS_TO_END = 5.0  # a file of 300 KB to write; what is still being read is not waited for
MAX_ANSWER_BYTES = 256 * 1024 * 1024  # pickled; 16 MB of text are 64 MB at most, and some of it stands there twice


def start_worker(fd: int) -> "subprocess.Popen[bytes]":
    """A process that reads, at the other end of the socket `fd`, without anything of the operator's environment."""
    return subprocess.Popen(
        [sys.executable, "-m", "crawler.readers.worker", str(fd)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(fd,),
        env=child_environment(),
    )


class WorkerLink:
    """One process and the way to it. `send` from any thread; `receive` from one."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self.process = start_worker(theirs.fileno())
        self._socket = ours
        self._sending = threading.Lock()
        self.connection: Connection[object, object] = Connection(os.dup(ours.fileno()))

    def receive(self) -> object:
        """Raises EOFError where it has ended, OSError for more than an answer may have."""
        return pickle.loads(self.connection.recv_bytes(MAX_ANSWER_BYTES))  # noqa: S301 - of a program of our own

    def send(self, message: object) -> None:
        """A process that has ended is told nothing."""
        with contextlib.suppress(OSError, ValueError), self._sending:
            self.connection.send(message)

    def cpu_s(self, thread: int) -> float:
        """What a thread of the process has used of the processor; 0 where it is gone."""
        try:
            stated = Path(f"/proc/{self.process.pid}/task/{thread}/stat").read_text(encoding="ascii", errors="replace")
        except OSError:
            return 0.0
        user, system = stated.rpartition(")")[2].split()[11:13]  # proc(5)
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def hang_up(self) -> None:
        """Let the process end by itself once it has kept what it learnt."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def end(self, *, has_to_keep: bool) -> None:
        """Kill it; one that was asked to end and has something to keep is waited for."""
        if has_to_keep:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=MAX_SECONDS_TO_END)
        self.process.kill()
        self.process.wait()
        self.connection.close()
        self._socket.close()
