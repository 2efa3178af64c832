"""Serves the demo's sites over HTTP, each on its own loopback port.

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
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import socket
from threading import Event, Thread
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from core.errors import BadConfiguration, PortTaken
from core.wording import Message
from deploy.demo.plan import SitePlan, load_plan

HOST = "127.0.0.1"
PORTS_VARIABLE = "--ports"
ANY_PORT = 0
LOG = logging.getLogger(__name__)
OVERSIZED_BYTES = 40 * 1024 * 1024  # above ZHUIWEN_MAX_BODY_BYTES in any demo run; the default is 16 MiB
BLOCK = "<p>这一页没有尽头，读到这里的程序应该早已放弃。</p>\n".encode() * 512
HTML = "text/html; charset=utf-8"
ORIGIN = b"{{origin}}"  # placeholder for the site's URL in files


class SiteHandler(BaseHTTPRequestHandler):
    """Handles requests for one site, which a subclass from `make_handler_class` sets."""

    site: SitePlan
    server_version = "DemoSite/1.0"
    protocol_version = "HTTP/1.1"
    timeout = 30  # seconds until an idle connection is closed

    def do_GET(self) -> None:
        self._answer_request()

    def do_HEAD(self) -> None:
        self._answer_request()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the base class's
        LOG.info("%s %s", self.site.key, format % args)

    def _answer_request(self) -> None:
        path = urlsplit(self.path).path
        resource = next((each for each in self.site.resources if each.path == path), None)
        target = dict(self.site.redirects).get(path)
        if resource:
            content = (self.site.folder / resource.file).read_bytes()
            content = content.replace(ORIGIN, server_origin(self.connection).encode())
            self._send_response(HTTPStatus.OK, content, {"Content-Type": resource.content_type})
        elif target:
            self._send_response(HTTPStatus.FOUND, b"", {"Location": target})
        elif path in self.site.oversized_paths:
            self._send_endlessly()
        else:
            page = "<!DOCTYPE html><title>404</title><h1>404</h1><p>页面不存在</p>".encode()
            self._send_response(HTTPStatus.NOT_FOUND, page, {"Content-Type": HTML})

    def _send_response(self, status: HTTPStatus, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    def _send_endlessly(self) -> None:
        """Send more than a crawler accepts, without Content-Length; the crawler should hang up."""
        self.close_connection = True
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", HTML)
        self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "GET":
            return
        try:
            for _ in range(OVERSIZED_BYTES // len(BLOCK) + 1):
                self.wfile.write(BLOCK)
        except (BrokenPipeError, ConnectionResetError):
            LOG.info("%s hung up while %s was poured out", self.site.key, self.path)


def server_origin(listening: socket) -> str:
    """Return the origin of a listening socket, such as http://127.0.0.1:8801."""
    host, port = listening.getsockname()
    return f"http://{host}:{port}"


def make_handler_class(site: SitePlan) -> type[SiteHandler]:
    """Return a subclass of `SiteHandler` for one site."""
    return type("BoundSiteHandler", (SiteHandler,), {"site": site})


class SiteServer(ThreadingHTTPServer):
    """The server of one site on one port; open requests do not keep the process alive."""

    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        """Log a broken connection instead of printing a traceback."""
        LOG.info("a request ended early: %s", sys.exc_info()[1])


@dataclass(slots=True)
class DemoServers:
    """The servers of all sites during a `with` block.

    ports: by site key; a site without a port gets any free port.
    """

    ports: Mapping[str, int] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)  # by site key, once entered: http://127.0.0.1:PORT
    _open: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        with ExitStack() as opening:
            for site in load_plan():
                server = _start_server(site, self.ports.get(site.key, ANY_PORT))
                opening.callback(_close_server, server)
                self.origins[site.key] = server_origin(server.socket)
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
    """Serve the demo's sites until SIGINT or SIGTERM, and return the exit code: 2 if the ports are unusable."""
    options = _argument_parser().parse_args(arguments)
    try:
        ports = _site_ports(options.ports)
        logging.basicConfig(filename=options.log, level=logging.INFO, format="%(asctime)s %(message)s")
        ended = _event_of_end()  # before a site responds: whoever sees a response may end this process at once
        with DemoServers(ports):
            ended.wait()
    except BadConfiguration as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def _argument_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m deploy.demo.server", description="Serve the demo's sites.")
    parser.add_argument("--log", type=Path, required=True, help="the file that requests are noted in")
    parser.add_argument(PORTS_VARIABLE, required=True, help="one port for each site, separated by commas")
    return parser


def _site_ports(given: str) -> dict[str, int]:
    sites, names = load_plan(), [name.strip() for name in given.split(",")]
    if not all(name.isdecimal() and int(name) < 1 << 16 for name in names):
        raise BadConfiguration("demo.bad-ports", variable=PORTS_VARIABLE, value=repr(given))
    if len(names) != len(sites):
        raise BadConfiguration("demo.ports-count", variable=PORTS_VARIABLE, count=len(names), sites=len(sites))
    return {site.key: int(name) for site, name in zip(sites, names, strict=True)}


def _start_server(site: SitePlan, port: int) -> SiteServer:
    try:
        return SiteServer((HOST, port), make_handler_class(site))
    except OSError as error:
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            raise PortTaken(Message("demo.site", name=site.name_en), port, PORTS_VARIABLE) from error
        raise


def _close_server(server: SiteServer) -> None:
    server.shutdown()
    server.server_close()


def _event_of_end() -> Event:
    told = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: told.set())
    return told


if __name__ == "__main__":
    sys.exit(main())
