"""A server of bare sockets on loopback: subclasses say what becomes of a connection."""

import socket
import threading
from contextlib import suppress
from typing import Self


class SocketServer:
    """Serves each connection in a thread of its own; `stopped` is set when the test has enough."""

    def __init__(self, listener: socket.socket | None = None) -> None:
        self.stopped = threading.Event()
        self._listener = listener or socket.create_server(("127.0.0.1", 0))
        self.netloc = f"127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        self.close()

    def close(self) -> None:
        """Take no more connections; those that there are go on."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def answer(self, connection: socket.socket) -> None:
        """Talk to who connected, within the connection's life. An OSError means that the other side has gone."""
        raise NotImplementedError

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with suppress(OSError), connection:
            self.answer(connection)
