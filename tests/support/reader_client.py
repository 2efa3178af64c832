"""The asking side of ready readers (tests/support/ready_reader.py), for any process of the product's."""

import os
import pickle
import signal
import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from socket import AF_UNIX, SOCK_SEQPACKET, send_fds, socket

from crawler.obfuscation.worker_process import child_environment
from crawler.readers import reading_process

MAX_BYTES = 1 << 16
FROM_NOTHING = reading_process.start_worker


class ReadyReader:
    """A process as its starter asks of it: as subprocess.Popen has it."""

    def __init__(self, fd: int, server: str) -> None:
        self._server = socket(AF_UNIX, SOCK_SEQPACKET)
        self._server.connect(f"\0{server}")
        send_fds(self._server, [pickle.dumps((Path.cwd(), child_environment()))], [fd])
        self.pid = int(self._server.recv(MAX_BYTES))
        self.returncode: int | None = None
        self._waiting = threading.Lock()

    def wait(self, timeout: float | None = None) -> int:
        with self._waiting:
            if self.returncode is None:
                self._server.settimeout(timeout)
                try:
                    self.returncode = int(self._server.recv(MAX_BYTES))
                except (TimeoutError, BlockingIOError) as late:
                    raise subprocess.TimeoutExpired("reader", timeout or 0) from late
                self._server.close()
            return self.returncode

    def kill(self) -> None:
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)


def use_readers_of(server: str) -> None:
    """Let this process start its readers so; where no server is named, as the product does."""
    reading_process.start_worker = (lambda fd: ReadyReader(fd, server)) if server else FROM_NOTHING  # type: ignore[assignment,return-value]
