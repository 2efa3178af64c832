"""Describes the machine of a crawl process: its name, system, software, resolver, hosts file and clock."""

import platform
import ssl
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from core.circumstances import ClockReading, Machine, Program
from core.program import code_version, files_digest
from crawler.fetching.routes import HostsFile

RESOLVER_FILE = Path("/etc/resolv.conf")
MAX_LINES, MAX_LINE_CHARS = 16, 200  # of resolv.conf, which has three or four
_STOOD_ON = ("Scrapy", "Twisted", "playwright")


def machine_of_this_process(
    clock: tuple[ClockReading, ...], *, has_response_cache: bool, resolver_file: Path = RESOLVER_FILE
) -> Machine:
    """Return a description of this machine at this time. Raises no exception.

    clock: the readings of time servers (time_servers.compare)
    """
    hosts, kernel = HostsFile(), platform.uname()
    return Machine(
        noted_at=datetime.now(UTC),
        host=kernel.node,
        system=_system_name(),
        kernel=f"{kernel.system} {kernel.release} {kernel.machine}".strip(),
        program=_program_record(),
        resolver_lines=_read_lines(resolver_file),
        hosts_digest=hosts.digest,
        hosts_bytes=hosts.bytes,
        has_response_cache=has_response_cache,
        clock=clock,
    )


def _system_name() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        return ""


def _program_record() -> Program:
    digest, files = files_digest()
    parts = [("Python", platform.python_version()), ("OpenSSL", ssl.OPENSSL_VERSION)]
    for name in _STOOD_ON:
        try:
            parts.append((name, version(name)))
        except PackageNotFoundError:  # an optional dependency is not installed
            continue
    return Program(code_version(), digest, files, tuple(parts))


def _read_lines(path: Path) -> tuple[str, ...] | None:
    try:
        text = path.read_text("utf-8", "replace")
    except OSError:
        return None
    lines = (" ".join(line.split())[:MAX_LINE_CHARS] for line in text.splitlines())
    return tuple(line for line in lines if line and line[0] not in "#;")[:MAX_LINES]
