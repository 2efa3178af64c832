"""Serves the demo's sites over HTTP, each on a loopback port of its own.

`python -m deploy.demo.server --log FILE --ports 8801,8802,...`: one port for each site, in the order of the plan.
"""

import argparse
import errno
import logging
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Self

from core.errors import BadConfiguration, PortTaken
from core.wording import Message
from deploy.demo.plan import SitePlan, load_plan
from deploy.demo.site_handler import handler_of, origin_of

HOST = "127.0.0.1"
PORTS_VARIABLE = "--ports"
ANY_PORT = 0


class SiteServer(ThreadingHTTPServer):
    """One site at one port; requests do not keep the process alive."""

    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        """Log what a broken connection was instead of writing a traceback to the terminal."""
        logging.getLogger(__name__).info("a request ended early: %s", sys.exc_info()[1])


@dataclass(slots=True)
class DemoServers:
    """All sites, served while the `with` block lasts. `ports`: by site key; without one, any free port."""

    ports: Mapping[str, int] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)  # by site key, once entered: http://127.0.0.1:PORT
    _open: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        with ExitStack() as opening:
            for site in load_plan():
                server = _listening(site, self.ports.get(site.key, ANY_PORT))
                opening.callback(_close, server)
                self.origins[site.key] = origin_of(server.socket)
                Thread(target=server.serve_forever, name=f"demo-{site.key}", daemon=True).start()
            self._open = opening.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def url(self, site: str, path: str) -> str:
        return self.origins[site] + path


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until the process is told to end; the exit code."""
    options = _parser().parse_args(arguments)
    try:
        ports = _ports(options.ports)
        logging.basicConfig(filename=options.log, level=logging.INFO, format="%(asctime)s %(message)s")
        with DemoServers(ports):
            _event_of_end().wait()
    except BadConfiguration as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m deploy.demo.server", description="Serve the demo's sites.")
    parser.add_argument("--log", type=Path, required=True, help="the file that requests are noted in")
    parser.add_argument(PORTS_VARIABLE, required=True, help="one port for each site, separated by commas")
    return parser


def _ports(given: str) -> dict[str, int]:
    sites, names = load_plan(), [name.strip() for name in given.split(",")]
    if not all(name.isdecimal() and int(name) < 1 << 16 for name in names):
        raise BadConfiguration("demo.bad-ports", variable=PORTS_VARIABLE, value=repr(given))
    if len(names) != len(sites):
        raise BadConfiguration("demo.ports-count", variable=PORTS_VARIABLE, count=len(names), sites=len(sites))
    return {site.key: int(name) for site, name in zip(sites, names, strict=True)}


def _listening(site: SitePlan, port: int) -> SiteServer:
    try:
        return SiteServer((HOST, port), handler_of(site))
    except OSError as error:
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            raise PortTaken(Message("demo.site", name=site.name_en), port, PORTS_VARIABLE) from error
        raise


def _close(server: SiteServer) -> None:
    server.shutdown()
    server.server_close()


def _event_of_end() -> Event:
    told = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: told.set())
    return told


if __name__ == "__main__":
    sys.exit(main())
