"""A small real web server on loopback that stands in for the Internet, with every bad habit of its sites."""

import gzip
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

CHUNK = b"<p>" + b"x" * 65_533


@dataclass(frozen=True)
class Answer:
    """One response. `chunks` replaces `body` and is sent piece by piece, without a length."""

    body: bytes = b""
    content_type: str = "text/html; charset=utf-8"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    chunks: Callable[[threading.Event], Iterator[bytes]] | None = None
    promises: int | None = None  # Content-Length that is a lie


@dataclass(frozen=True)
class Asked:
    """One request as the server took it down. at_s: by the clock that all processes of a machine share."""

    at_s: float
    path: str
    user_agent: str


Routes = dict[str, Answer | Callable[[str], Answer]]


def page(title: str, body: str, encoding: str = "utf-8", label: str | None = None, meta: str | None = None) -> Answer:
    """An HTML page in `encoding`, called `label` by its header, `meta` by its meta tag (None: the truth)."""
    label, meta = encoding if label is None else label, encoding if meta is None else meta
    tag = f'<meta charset="{meta}">' if meta else ""
    markup = f"<!doctype html><html><head>{tag}<title>{title}</title></head><body>{body}</body></html>"
    return Answer(markup.encode(encoding), "text/html" + (f"; charset={label}" if label else ""))


def redirect(to: str, status: int = 302) -> Answer:
    return Answer(b"", status=status, headers={"Location": to})


def gzipped(answer: Answer) -> Answer:
    """The same bytes as a file that is gzipped, not as a compressed transfer."""
    return Answer(gzip.compress(answer.body), "application/gzip", answer.status)


def endless(stopped: threading.Event) -> Iterator[bytes]:
    """Gigabytes."""
    for _ in range(200_000):
        if stopped.is_set():
            return
        yield CHUNK


def silent(stopped: threading.Event) -> Iterator[bytes]:
    """A beginning, and then nothing for as long as anybody waits."""
    yield b"<html>"
    stopped.wait(60)


class WebServer:
    """Serves `routes` (path with query -> answer) on a port of its own; 404 for the rest. `requested`: what came."""

    def __init__(self, routes: Routes) -> None:
        self.routes = routes
        self.requested: list[str] = []
        self.requested_at_s: list[float] = []
        self.log: list[Asked] = []
        self.bytes_sent: dict[str, int] = {}
        self.headers: dict[str, Mapping[str, str]] = {}  # of the newest request, by path
        self.fallback: Callable[[str], Answer] = lambda _: Answer(b"<p>not here</p>", status=404)
        self.stopped = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def netloc(self) -> str:
        return f"127.0.0.1:{self._server.server_port}"

    def url(self, path: str = "/") -> str:
        return f"http://{self.netloc}{path}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        self._server.shutdown()
        self._server.server_close()

    def answer(self, asked: BaseHTTPRequestHandler) -> Answer:
        """Answer a request; a site with a mind of its own answers here."""
        route = self.routes.get(asked.path, self.fallback)
        return route(asked.path) if callable(route) else route


def _handler(site: WebServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"

        def do_GET(self) -> None:
            site.requested.append(self.path)
            site.requested_at_s.append(time.monotonic())
            site.log.append(Asked(site.requested_at_s[-1], self.path, self.headers.get("User-Agent", "")))
            site.headers[self.path] = dict(self.headers)
            try:
                self._send(site.answer(self))
            except (BrokenPipeError, ConnectionResetError):
                return

        do_POST = do_GET  # noqa: N815 - the name that http.server looks for

        def _send(self, answer: Answer) -> None:
            self.send_response(answer.status)
            if answer.content_type:
                self.send_header("Content-Type", answer.content_type)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if answer.chunks is None:
                self.send_header("Content-Length", str(answer.promises or len(answer.body)))
            self.end_headers()
            for piece in answer.chunks(site.stopped) if answer.chunks else [answer.body]:
                # Before it is written: who has read it may look here at once.
                site.bytes_sent[self.path] = site.bytes_sent.get(self.path, 0) + len(piece)
                self.wfile.write(piece)

        def log_message(self, *_: object) -> None:
            return

    return Handler
