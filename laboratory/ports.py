"""Ports for servers of one's own."""

import socket
from pathlib import Path
from random import SystemRandom

_FIRST, _END = 10_240, 32_768  # the second: where Linux begins to number outgoing connections, unless told otherwise
_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")


def free_port(offset: int = 0) -> int:
    """Return a port of 127.0.0.1 that nothing listens on just now, and that no outgoing connection takes meanwhile.

    Whoever asks again and again whether a server answers yet may, where its port is one of those, even be connected to
    himself, and holds it. offset: the port so far above is free as well. Raises RuntimeError where there is none.
    """
    ports = range(_FIRST, _first_outgoing() - offset)
    for port in SystemRandom().sample(ports, len(ports)):
        if all(_is_free(each) for each in {port, port + offset}):
            return port
    raise RuntimeError(f"no port below {_first_outgoing()} is free")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def _first_outgoing() -> int:
    try:
        first = int(_RANGE.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return _END
    return first if first > 2 * _FIRST else _END  # a machine that numbers from 1024 on leaves none to servers
