"""A headless Chromium for one page: finds it, starts it in its sandbox, sends it commands, and kills it.

Commands go over two pipes in the DevTools protocol (JSON messages, each ended by a zero byte), so no port is opened
and no library is needed. The browser gets a temporary profile, an environment without secrets, and no network access.
It runs at normal priority: its deadlines are in wall-clock time, and at low priority a busy machine missed them. If
the product runs as root, Chromium runs as `nobody`, because its sandbox refuses root.
"""

import json
import os
import pwd
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from core.settings import CrawlSettings
from core.wording import Message

# Command-line options and user rights of Chromium on this machine.
#
# If the sandbox is unavailable because it gets no user namespace, code that escapes from a page runs as `nobody` and
# not as root.

# Chosen, not measured: starting Chromium takes 1 s (2026-11), and a page with a memory leak loses some MB. The operator
# sets how many pages and minutes a browser serves (core.settings.CrawlSettings).
MAX_MEMORY_BYTES = 1_500_000_000
PAGES_SETTING, MEMORY_SETTING, AGE_SETTING = "ZHUIWEN_BROWSER_PAGES", "ZHUIWEN_BROWSER_BYTES", "ZHUIWEN_BROWSER_AGE_S"
ARGUMENTS = [
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-sync",
    "--no-first-run",
    "--no-pings",
    # Media connections would bypass the proxy.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--js-flags=--max-old-space-size=512",
]
UNPRIVILEGED = "nobody"
_PROBE_TIMEOUT_S = 10.0
# Runs before Chromium and then executes it. Playwright creates the profile as root, so its owner is changed.
_PROGRAM = """
import os, sys
user, executable, *arguments = sys.argv[1:]
profile = next(each.partition("=")[2] for each in arguments if each.startswith("--user-data-dir="))
os.chown(profile, int(user), -1)
os.setgroups([]); os.setgid(int(user)); os.setuid(int(user))
environment = {"PATH": os.defpath, "HOME": profile, "TMPDIR": profile, "LANG": "C.UTF-8"}
os.execve(executable, [executable, *arguments], environment)
"""


def unprivileged_user() -> int | None:
    """Return the id of the user that runs Chromium; None if it is the product's own user, which is not root."""
    return pwd.getpwnam(UNPRIVILEGED).pw_uid if os.geteuid() == 0 else None


def may_be_run(executable: Path) -> bool:
    """Return True if Chromium can be run without root's rights.

    It cannot if it is in a folder that only root may open.
    """
    if unprivileged_user() is None:
        return True
    with suppress(OSError):
        real = executable.resolve(strict=True)
        is_open = all(folder.stat().st_mode & 0o001 for folder in (*executable.absolute().parents, *real.parents))
        return is_open and real.stat().st_mode & 0o005 == 0o005
    return False


def has_sandbox() -> bool:
    """Return True if the user that runs Chromium may create the namespace of the sandbox. Many containers forbid it."""
    user = unprivileged_user()
    if user is None:
        return True  # without the namespace, Chromium reports an error and does not start
    program = shutil.which("unshare")
    if program is None:
        return False
    try:
        tried = subprocess.run(
            (program, "--user", "true"),
            user=user, group=user, extra_groups=(), cwd="/", capture_output=True, timeout=_PROBE_TIMEOUT_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return False
    return tried.returncode == 0


def launch_options(executable: Path) -> dict[str, Any]:
    """Return playwright's launch options: the sandbox, a user other than root, and an environment without secrets."""
    user = unprivileged_user()
    return {
        "executable_path": str(executable) if user is None else _launcher_path(executable, user),
        "chromium_sandbox": has_sandbox(),
        "env": {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ},
    }


def _launcher_path(executable: Path, user: int) -> str:
    """Return the path of a program that runs Chromium as that user.

    It is in memory because /tmp may be mounted noexec.
    """
    command = shlex.join((sys.executable, "-S", "-c", _PROGRAM, str(user), str(executable)))
    written = os.memfd_create("zhuiwen-browser")
    os.write(written, f'#!/bin/sh\nexec {command} "$@"\n'.encode())
    os.fchmod(written, 0o700)
    # A file that is open for writing cannot be executed. This descriptor stays open until the process ends; a process
    # crawls one site.
    kept = os.open(f"/proc/self/fd/{written}", os.O_RDONLY)
    os.close(written)
    return f"/proc/{os.getpid()}/fd/{kept}"


# The headless build is preferred: a page costs it 0.15 s of CPU time, and other builds 0.9 s (Debian's 156, 2026-11).
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
PLAYWRIGHT_FOLDERS = ("chromium-*/chrome-linux*/chrome", "chromium_headless_shell-*/chrome-linux*/headless_shell")
MAX_MESSAGE_BYTES = 128 * 1024 * 1024  # a screenshot of 20 megapixels of noise is 60 MB, and a third more in base64
CHUNK_BYTES = 1 << 20
KILL_WAIT_S = 5.0
FLAGS = (
    *("--headless", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check", "--mute-audio"),
    *("--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions", "--disable-sync", "--disable-breakpad"),
    *("--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--hide-scrollbars"),
    # Requests that are not intercepted can neither resolve a name nor reach a proxy: port 9 of this machine is closed.
    *("--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=http://127.0.0.1:9", "--proxy-bypass-list=<-loopback>"),
)
# Runs in the new process before Chromium. Moves the pipes to descriptors 3 and 4. Both are duplicated first because
# they may already have these numbers.
_LAUNCHER = """
import fcntl, os, sys
reads, writes, user = map(int, sys.argv[1:4])
reads, writes = (fcntl.fcntl(each, fcntl.F_DUPFD, 10) for each in (reads, writes))
os.dup2(reads, 3); os.dup2(writes, 4); os.close(reads); os.close(writes)
if user >= 0: os.setgroups([]); os.setgid(user); os.setuid(user)
os.execv(sys.argv[4], sys.argv[4:])
"""


class BrowserFault(Exception):
    """Raised if the browser does not execute a command. Callers in this package catch it."""


def find_chromium(named: str = "") -> Path | None:
    """Return the path of Chromium: `named`, an installed one, or playwright's. Return None if it is missing."""
    if named:
        return Path(named) if os.access(named, os.X_OK) else None
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is not None:
        return Path(found)
    folder = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
    brought = sorted(path for pattern in PLAYWRIGHT_FOLDERS for path in folder.glob(pattern))
    return brought[-1] if brought else None


class Chromium:
    """A browser process as a context manager that removes the process and its files. All calls end by `deadline`."""

    def __init__(self, executable: Path, deadline: float) -> None:
        self._executable, self._deadline = executable, deadline
        self._folder = Path(tempfile.mkdtemp(prefix="zhuiwen-browser-"))
        self._ids, self._buffer = 0, bytearray()
        self._process: subprocess.Popen[bytes] | None = None
        self._reads = self._writes = -1

    def __enter__(self) -> Self:
        try:
            self._start_process()
        except BaseException:
            self._end_process()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end_process()

    def call(
        self,
        method: str,
        parameters: Mapping[str, Any] | None = None,
        session: str = "",
        on_event: Callable[[dict[str, Any]], None] = lambda _: None,
    ) -> dict[str, Any]:
        """Return the result of a command, and pass events received meanwhile to `on_event`.

        Raises BrowserFault on an error.
        """
        number = self.send(method, parameters, session)
        while True:
            message = self.receive()
            if message.get("id") == number:
                if "error" in message:
                    raise BrowserFault(f"{method}: {message['error'].get('message', '')}")
                return dict(message.get("result", {}))
            on_event(message)

    def send(self, method: str, parameters: Mapping[str, Any] | None = None, session: str = "") -> int:
        """Send a command without waiting.

        Return its number, which the response repeats. Raises BrowserFault if it is not sent.
        """
        self._ids += 1
        message: dict[str, Any] = {"id": self._ids, "method": method, "params": dict(parameters or {})}
        data = json.dumps(message | ({"sessionId": session} if session else {})).encode() + b"\0"
        view = memoryview(data)
        while view:
            if not _is_ready(self._writes, select.POLLOUT, self._remaining_s()):
                raise BrowserFault("it does not listen in time")
            try:
                view = view[os.write(self._writes, view[:CHUNK_BYTES]) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise BrowserFault("it has ended") from error
        return self._ids

    def receive(self) -> dict[str, Any]:
        """Return the next message.

        Raises BrowserFault if none arrives by the deadline, it is too long, or the browser has ended.
        """
        while (end := self._buffer.find(b"\0")) < 0:
            if not _is_ready(self._reads, select.POLLIN, self._remaining_s()):
                raise BrowserFault("it does not answer in time")
            data = os.read(self._reads, CHUNK_BYTES)
            if not data:
                raise BrowserFault("it has ended")
            self._buffer += data
            if len(self._buffer) > MAX_MESSAGE_BYTES:
                raise BrowserFault("it says too much")
        message = json.loads(self._buffer[:end])
        del self._buffer[: end + 1]
        return dict(message)

    def _start_process(self) -> None:
        their_reads, self._writes = os.pipe()
        self._reads, their_writes = os.pipe()
        os.set_blocking(self._writes, False)
        user = unprivileged_user()
        as_user = str(-1 if user is None else user)
        if user is not None:
            os.chown(self._folder, user, -1)
        try:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-S", "-c", _LAUNCHER, str(their_reads), str(their_writes), as_user),
                    *(str(self._executable), *FLAGS, f"--user-data-dir={self._folder / 'profile'}", "about:blank"),
                ],
                env={"PATH": os.defpath, "HOME": str(self._folder), "TMPDIR": str(self._folder), "LANG": "C.UTF-8"},
                cwd=self._folder,
                pass_fds=(their_reads, their_writes),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        finally:
            os.close(their_reads)
            os.close(their_writes)

    def _end_process(self) -> None:
        for pipe in (self._reads, self._writes):
            if pipe >= 0:
                os.close(pipe)
        if self._process is not None:
            with suppress(ProcessLookupError):  # the process has already ended
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(KILL_WAIT_S)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _remaining_s(self) -> float:
        return max(0.0, self._deadline - time.monotonic())


def _is_ready(pipe: int, event: int, within_s: float) -> bool:
    """Return True if a pipe becomes readable or writable, or is closed, within `within_s` seconds.

    `select` would refuse file descriptors above 1,023.
    """
    waiting = select.poll()
    waiting.register(pipe, event)
    return bool(waiting.poll(within_s * 1_000))


# Checks that this machine can load pages in a browser. The browser's packages are not imported.


def missing_browser(settings: CrawlSettings) -> Message | None:
    """Return a message about what is missing for loading pages in a browser, or None if nothing is missing."""
    if find_spec("scrapy_playwright") is None:
        return Message("site.no-browser")
    path = find_chromium(settings.chromium)
    if path is None:
        return Message("site.no-chromium")
    return None if may_be_run(path) else Message("site.chromium-as-root", path=path, user=UNPRIVILEGED)
