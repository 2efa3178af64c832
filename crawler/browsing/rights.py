"""Start options and rights of Chromium on this machine.

Where the product runs as root, Chromium runs as `nobody`: its sandbox refuses root. Without the sandbox, which needs a
namespace of its own, whoever breaks out of a page is `nobody`, and not root.
"""

import os
import pwd
import shlex
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

# Chosen, not measured: to start Chromium takes 1 s (2026-11), and pages that leak lose some MB each. How many pages and
# minutes is the operator's to say (core.settings.CrawlSettings).
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
    # Media connections would go past the proxy.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--js-flags=--max-old-space-size=512",
]
UNPRIVILEGED = "nobody"
_TIMEOUT_S = 10.0
# Runs in place of Chromium, and becomes it. The profile that playwright has made belongs to root.
_LAUNCHER = """
import os, sys
user, executable, *arguments = sys.argv[1:]
profile = next(each.partition("=")[2] for each in arguments if each.startswith("--user-data-dir="))
os.chown(profile, int(user), -1)
os.setgroups([]); os.setgid(int(user)); os.setuid(int(user))
environment = {"PATH": os.defpath, "HOME": profile, "TMPDIR": profile, "LANG": "C.UTF-8"}
os.execve(executable, [executable, *arguments], environment)
"""


def unprivileged_user() -> int | None:
    """Return the user that Chromium runs as; None: the product's own user, who is not root."""
    return pwd.getpwnam(UNPRIVILEGED).pw_uid if os.geteuid() == 0 else None


def may_be_run(executable: Path) -> bool:
    """Return True if Chromium can be run without root's rights: one in root's own folder cannot."""
    if unprivileged_user() is None:
        return True
    with suppress(OSError):
        real = executable.resolve(strict=True)
        is_open = all(folder.stat().st_mode & 0o001 for folder in (*executable.absolute().parents, *real.parents))
        return is_open and real.stat().st_mode & 0o005 == 0o005
    return False


def has_sandbox() -> bool:
    """Return True if that user gets the namespace that the sandbox needs; many containers give none."""
    user = unprivileged_user()
    if user is None:
        return True  # Chromium says so itself, and does not start
    program = shutil.which("unshare")
    if program is None:
        return False
    try:
        tried = subprocess.run(
            (program, "--user", "true"),
            user=user, group=user, extra_groups=(), cwd="/", capture_output=True, timeout=_TIMEOUT_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return False
    return tried.returncode == 0


def launch_options(executable: Path) -> dict[str, Any]:
    """Return playwright's options: Chromium in its sandbox, without root's rights, its environment without secrets."""
    user = unprivileged_user()
    return {
        "executable_path": str(executable) if user is None else _launcher(executable, user),
        "chromium_sandbox": has_sandbox(),
        "env": {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ},
    }


def _launcher(executable: Path, user: int) -> str:
    """Return the path of a program that becomes Chromium as that user. In memory: /tmp may be mounted noexec."""
    command = shlex.join((sys.executable, "-S", "-c", _LAUNCHER, str(user), str(executable)))
    written = os.memfd_create("zhuiwen-browser")
    os.write(written, f'#!/bin/sh\nexec {command} "$@"\n'.encode())
    os.fchmod(written, 0o700)
    # What somebody may still write to is not run. It stays open as long as this process, which crawls one site.
    kept = os.open(f"/proc/self/fd/{written}", os.O_RDONLY)
    os.close(written)
    return f"/proc/{os.getpid()}/fd/{kept}"
