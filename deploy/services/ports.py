"""Whether the ports are free that processes are about to listen on."""

import errno
import socket
from collections.abc import Iterable

from core.errors import BadConfiguration, PortTaken
from deploy.services.processes import Listens, Process


def check(table: Iterable[Process]) -> None:
    """Raises PortTaken or BadConfiguration for the first process that could not listen where it should."""
    for process in table:
        if process.listens is not None:
            _check(process.name, process.listens)


def _check(name: str, listens: Listens) -> None:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(listens.host, listens.port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # closed connections linger for a minute
            probe.bind(address)
            probe.listen(1)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(name, listens.port, listens.variable) from error
        variable = listens.variable if error.errno == errno.EACCES else listens.host_variable or listens.variable
        raise BadConfiguration(
            "start.cannot-listen",
            service=name,
            host=listens.host,
            port=listens.port,
            reason=error.strerror or error,
            variable=variable,
        ) from error
