"""A whois server on loopback: a line in, a text out, and what hostile ones do."""

import socketserver
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Self

Answer = bytes | Callable[[socketserver.StreamRequestHandler, threading.Event], None]


class WhoisServer:
    """Answers each question of `answers`; b"" for any other. `asked`: the lines that came."""

    def __init__(self, answers: dict[str, Answer]) -> None:
        self.answers, self.asked = answers, list[str]()
        self.stopped = threading.Event()
        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        self._server.shutdown()
        self._server.server_close()


def endless(handler: socketserver.StreamRequestHandler, stopped: threading.Event) -> None:
    """The same line for as long as anybody reads."""
    while not stopped.is_set():
        handler.wfile.write(b"Registrar: Endless\r\n" * 1_000)


def silent(handler: socketserver.StreamRequestHandler, stopped: threading.Event) -> None:
    """Nothing, for as long as anybody waits."""
    stopped.wait(60)


def _handler(server: WhoisServer) -> type[socketserver.StreamRequestHandler]:
    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            question = self.rfile.readline(1_000).decode("ascii").rstrip("\r\n")
            server.asked.append(question)
            answer = server.answers.get(question, b"")
            with suppress(OSError):
                if callable(answer):
                    answer(self, server.stopped)
                else:
                    self.wfile.write(answer)

    return Handler
