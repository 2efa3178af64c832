"""Free ports for temporary servers."""

import socket
from pathlib import Path
from random import SystemRandom

_FIRST, _END = 10_240, 32_768  # the second: the first port that Linux by default assigns to outgoing connections
_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")


def free_port(offset: int = 0) -> int:
    """Return a port of 127.0.0.1 that is not in use, and that is not assigned to outgoing connections.

    A client that polls a server on a port for outgoing connections may even be connected to itself, and block the port.
    offset: the port this far above is free as well. Raises RuntimeError if there is none.
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
    return first if first > 2 * _FIRST else _END  # a range from 1024 on leaves none to servers
