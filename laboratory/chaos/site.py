"""Serves the sites of a run in one separate process, each site on its own port of 127.0.0.1."""

import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from threading import Thread

from laboratory.chaos.plan import PAGES_A_LIST, Options, page, page_count, site_count


@contextmanager
def served(options: Options) -> Iterator[list[int]]:
    """Serve all sites, and yield the port of each."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, options), daemon=True)
    process.start()
    try:
        yield list(ours.recv())
    finally:
        process.kill()
        process.join()


def document(options: Options, site: int, path: str) -> str | None:
    """Return the markup at an address of a site, or None if there is no page."""
    count = page_count(options, site)
    kind, _, digits = path.strip("/").partition("/")
    number = int(digits) if digits.isdecimal() else 0
    if path == "/":
        return _page("目录", _links(f"/list/{each}" for each in range(-(-count // PAGES_A_LIST))))
    if kind == "list" and number * PAGES_A_LIST < count:
        first = number * PAGES_A_LIST
        return _page("目录", _links(f"/p/{each}" for each in range(first, min(first + PAGES_A_LIST, count))))
    if kind == "p" and digits.isdecimal() and number < count:
        shown = page(options, site, number)
        paragraphs = "".join(f"<p>{escape(line)}</p>" for line in shown.text.split("\n") if line.strip())
        turn = f'<a href="/list/{number // PAGES_A_LIST}">目录</a>'
        return _page(shown.title, f'<div class="content">{paragraphs}</div><div>{turn}</div>')
    return None


def _page(title: str, body: str) -> str:
    head = f'<meta charset="utf-8"><title>{escape(title)}</title>'
    return f"<!doctype html><html><head>{head}</head><body><h1>{escape(title)}</h1>{body}</body></html>"


def _links(paths: Iterator[str]) -> str:
    return "<ul>" + "".join(f'<li><a href="{path}">{path} 章节</a></li>' for path in paths) + "</ul>"


def _serve(pipe: Connection, options: Options) -> None:
    servers = [_server(options, site) for site in range(site_count(options))]
    threads = [Thread(target=server.serve_forever) for server in servers]
    for thread in threads:
        thread.start()
    pipe.send([server.server_port for server in servers])
    for thread in threads:
        thread.join()


def _server(options: Options, site: int) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            markup = document(options, site, self.path)
            body = (markup or "not here").encode()
            self.send_response(200 if markup else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8" if markup else "text/plain")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing: the terminal is for the output of the run."""

    return ThreadingHTTPServer(("127.0.0.1", 0), Handler)
