"""What a demo site answers to a request: the resources of its plan and its special paths, and nothing else."""

import logging
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socket import socket
from typing import Any
from urllib.parse import urlsplit

from deploy.demo.plan import SitePlan

LOG = logging.getLogger(__name__)
OVERSIZED_BYTES = 40 * 1024 * 1024  # above any ZHUIWEN_MAX_BODY_BYTES that a demo is run with; the default is 16 MiB
BLOCK = "<p>这一页没有尽头，读到这里的程序应该早已放弃。</p>\n".encode() * 512
HTML = "text/html; charset=utf-8"
ORIGIN = b"{{origin}}"  # stands for the address in files that must name it


class SiteHandler(BaseHTTPRequestHandler):
    """Serve one site; a subclass made by `handler_of` knows which."""

    site: SitePlan
    server_version = "DemoSite/1.0"
    protocol_version = "HTTP/1.1"
    timeout = 30  # seconds that a silent connection is kept

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the base class's
        LOG.info("%s %s", self.site.key, format % args)

    def _answer(self) -> None:
        path = urlsplit(self.path).path
        resource = next((each for each in self.site.resources if each.path == path), None)
        target = dict(self.site.redirects).get(path)
        if resource:
            content = (self.site.folder / resource.file).read_bytes()
            content = content.replace(ORIGIN, origin_of(self.connection).encode())
            self._send(HTTPStatus.OK, content, {"Content-Type": resource.content_type})
        elif target:
            self._send(HTTPStatus.FOUND, b"", {"Location": target})
        elif path in self.site.oversized_paths:
            self._pour()
        else:
            page = "<!DOCTYPE html><title>404</title><h1>404</h1><p>页面不存在</p>".encode()
            self._send(HTTPStatus.NOT_FOUND, page, {"Content-Type": HTML})

    def _send(self, status: HTTPStatus, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    def _pour(self) -> None:
        """Send more than a crawler takes, without saying how much; one that hangs up is right."""
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


def origin_of(listening: socket) -> str:
    """The address that a server's socket is reached at, like http://127.0.0.1:8801."""
    host, port = listening.getsockname()
    return f"http://{host}:{port}"


def handler_of(site: SitePlan) -> type[SiteHandler]:
    """Return a handler class for one site."""
    return type("BoundSiteHandler", (SiteHandler,), {"site": site})
