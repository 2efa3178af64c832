"""Serves the demo's sites over HTTP, each on a loopback port of its own.

`python -m deploy.demo.server --folder F --ports 8801,8802,...`: one port for each site, in the order of the plan.
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

from core.errors import BadConfiguration, BadInput, PortTaken, UnreadableFile
from core.wording import Message
from deploy.demo.built_in_sites import SITES_FOLDER
from deploy.demo.plan import DemoPlan, SitePlan, load
from deploy.demo.site_handler import SiteFiles, handler_of, origin_of
from deploy.demo_presence import EXPECTED_FILE

HOST = "127.0.0.1"
LOG_FILE = "server.log"
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
    """All sites of a folder, served while the `with` block lasts. `ports`: by site key; without one, any free port."""

    folder: Path
    ports: Mapping[str, int] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)  # by site key, once entered: http://127.0.0.1:PORT
    _open: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        plan = read_plan(self.folder)
        with ExitStack() as opening:
            for site in plan.sites:
                server = _listening(site, self.folder, self.ports.get(site.key, ANY_PORT))
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


def read_plan(folder: Path) -> DemoPlan:
    """The plan that `generate` left in `folder`; UnreadableFile where there is none."""
    try:
        return load(folder)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UnreadableFile(folder / EXPECTED_FILE, "demo.no-plan", reason=error) from error


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until the process is told to end; the exit code."""
    options = _parser().parse_args(arguments)
    try:
        ports = _ports(read_plan(options.folder), options.ports)
        logging.basicConfig(filename=options.folder / LOG_FILE, level=logging.INFO, format="%(asctime)s %(message)s")
        with DemoServers(options.folder, ports):
            _event_of_end().wait()
    except (BadInput, BadConfiguration) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m deploy.demo.server", description="Serve the demo's sites.")
    parser.add_argument("--folder", type=Path, required=True, help="where the sites were generated")
    parser.add_argument(PORTS_VARIABLE, required=True, help="one port for each site, separated by commas")
    return parser


def _ports(plan: DemoPlan, given: str) -> dict[str, int]:
    names = [name.strip() for name in given.split(",")]
    if not all(name.isdecimal() and int(name) < 1 << 16 for name in names):
        raise BadConfiguration("demo.bad-ports", variable=PORTS_VARIABLE, value=repr(given))
    if len(names) != len(plan.sites):
        raise BadConfiguration("demo.ports-count", variable=PORTS_VARIABLE, count=len(names), sites=len(plan.sites))
    return {site.key: int(name) for site, name in zip(plan.sites, names, strict=True)}


def _listening(site: SitePlan, folder: Path, port: int) -> SiteServer:
    try:
        return SiteServer((HOST, port), handler_of(SiteFiles(site, folder / SITES_FOLDER / site.key)))
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
