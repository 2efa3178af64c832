"""A network namespace in which every address leads back to this machine, and all that anybody asks for is written down.

Inside, `lo` is the only device and takes every address; names are asked of a name server of the test's own. Whatever
is not on loopback is refused at once and has been seen: as a packet, not by the word of the program that sent it.
"""

import ctypes
import os
import shutil
import socket
import struct
import subprocess
import threading
from ipaddress import ip_address
from pathlib import Path
from typing import Self

import pytest

# `unshare` as root; anybody else maps himself to root first.
UNSHARE = ("unshare", "--net", "--mount", *(() if os.geteuid() == 0 else ("--map-root-user",)))
SETTLED = """
set -e
ip link set lo up
ip route add local default dev lo
ip -6 route add local default dev lo || true
echo "nameserver 127.0.0.1" > "$1/resolv.conf"
mount --bind "$1/resolv.conf" /etc/resolv.conf
shift
exec "$@"
"""
_IPV4, _IPV6 = 0x0800, 0x86DD
_TCP = 6
_SO_ATTACH_FILTER = 26
# Classic BPF: packets of IPv4 that are not for 127/8, of IPv6 that are not for ::1; the stores' own traffic would
# drown them.
_FILTER = (
    *((0x28, 0, 0, 12), (0x15, 0, 3, _IPV4), (0x30, 0, 0, 30), (0x15, 10, 0, 127), (0x06, 0, 0, 0xFFFF)),
    *((0x15, 0, 8, _IPV6), (0x20, 0, 0, 38), (0x15, 0, 7, 0), (0x20, 0, 0, 42), (0x15, 0, 5, 0)),
    *((0x20, 0, 0, 46), (0x15, 0, 3, 0), (0x20, 0, 0, 50), (0x15, 0, 1, 1), (0x06, 0, 0, 0)),
    (0x06, 0, 0, 0xFFFF),
)


def require_namespaces() -> None:
    """Skips where the machine allows no network namespaces to this user."""
    tools = [name for name in ("unshare", "ip", "mount") if shutil.which(name) is None]
    if tools:
        pytest.skip(f"no network namespace can be made: there is no {tools[0]}")
    made = subprocess.run([*UNSHARE, "true"], capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"no network namespace can be made: {made.stderr.strip()}")


def run_inside(folder: Path, *command: str, environ: dict[str, str], timeout_s: float) -> str:
    """Return what a command prints in a namespace of its own; fails where it does."""
    ended = subprocess.run(
        [*UNSHARE, "sh", "-c", SETTLED, "sh", str(folder), *command],
        capture_output=True,
        text=True,
        env=environ,
        timeout=timeout_s,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


class Packets:
    """Sees what is sent to any address but this machine's own; `seen`: "tcp 192.0.2.1:443" and the like."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        program = b"".join(struct.pack("HBBI", *line) for line in _FILTER)
        kept = ctypes.create_string_buffer(program)
        described = struct.pack("HL", len(_FILTER), ctypes.addressof(kept))
        self._socket.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, described)
        self._socket.bind(("lo", 0))

    def __enter__(self) -> Self:
        threading.Thread(target=self._listen, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def _listen(self) -> None:
        while True:
            try:
                self._note(self._socket.recv(2_048)[14:])
            except OSError:
                return

    def _note(self, packet: bytes) -> None:
        is_four = packet[0] >> 4 == 4
        kind = packet[9] if is_four else packet[6]
        begin = (packet[0] & 15) * 4 if is_four else 40
        to = ip_address(packet[16:20] if is_four else packet[24:40])
        port = int.from_bytes(packet[begin + 2 : begin + 4], "big")
        flags = packet[begin + 13] if kind == _TCP else 2
        if kind != _TCP or flags & 0x12 == 2:  # the beginning of a connection, or anything but TCP
            self.seen.add(f"{ {6: 'tcp', 17: 'udp'}.get(kind, kind) } {to}:{port}")
