"""Serves the desk; gunicorn reads this module as its configuration.

gunicorn keeps two processes on one socket and replaces one that gives no sign of life. In each, waitress reads every
request whole before a thread takes it up, so that slow clients hold no thread.
"""

import faulthandler
import os
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from django.conf import settings
from gunicorn.workers.base import Worker
from waitress import wasyncore
from waitress.server import create_server

from core.garbage import freeze_loaded_objects
from webadmin.ui.services.upload_limits import MAX_REQUEST_BYTES

THREADS = 8  # of each process; a page takes some 50 ms, a report seconds
POLL_S = 1.0
IDLE_CONNECTION_S = 30  # then a connection without a request is closed
# What is somewhat too large gets the desk's own sentence (webadmin.ui.pages.requests.request_values); of more, not a
# byte is read.
MAX_BODY_BYTES = 2 * MAX_REQUEST_BYTES
_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - gunicorn's own advice: signs of life wait for no disk


class BufferingWorker(Worker):
    """A process of the desk. It gives a sign of life while requests that wait for a thread get one."""

    def run(self) -> None:
        faulthandler.enable()  # killed for its silence, it says in the log what it was doing
        connections: dict[int, Any] = {}
        server = create_server(
            self.wsgi, map=connections, sockets=[each.sock for each in self.sockets], **server_options()
        )
        waiting, waited = server.task_dispatcher.queue, None
        while self.alive and os.getppid() == self.ppid:  # whoever takes a dead parent's place needs the port
            first = _first(waiting)
            if first is None or first is not waited:
                self.notify()
            waited = first
            server.accepting = first is None  # the other process may have a thread free
            wasyncore.loop(POLL_S, use_poll=True, map=connections, count=1)
        self._end(server, connections)

    def _end(self, server: Any, connections: dict[int, Any]) -> None:
        """Answer what is in hand, as long as the time that gunicorn gives for it."""
        server.accepting = False
        end = time.monotonic() + self.cfg.graceful_timeout
        while time.monotonic() < end and any(_is_in_hand(channel) for channel in server.active_channels.values()):
            wasyncore.loop(0.1, use_poll=True, map=connections, count=1)


workers = 2
worker_class = BufferingWorker
wsgi_app = "webadmin.wsgi:application"
preload_app = True  # what is imported lies in memory once, for both
timeout = 30  # s without a sign of life: killed and started anew
graceful_timeout = 8  # s; the supervisor allows 10
worker_tmp_dir = str(_SHARED_MEMORY) if _SHARED_MEMORY.is_dir() else None
control_socket_disable = True


def when_ready(server: Any) -> None:
    """Import every view before the processes part, and keep the garbage collector from copying what they share."""
    import_module(settings.ROOT_URLCONF)
    freeze_loaded_objects()


def server_options() -> dict[str, Any]:
    """Return the options by which each process takes requests, from the settings."""
    options: dict[str, Any] = {
        "threads": THREADS,
        "channel_timeout": IDLE_CONNECTION_S,
        "cleanup_interval": IDLE_CONNECTION_S // 3,
        "max_request_body_size": MAX_BODY_BYTES,
        "ident": None,
    }
    if settings.ZHUIWEN.web.is_https:  # behind a proxy, which alone can reach the desk; else its headers are dropped
        # With the visitor's own address, so that who tries passwords locks nobody out but himself.
        options |= {"trusted_proxy": "*", "trusted_proxy_headers": "x-forwarded-for x-forwarded-proto"}
    return options


def _first(waiting: Any) -> Any:
    """Return the request that has waited longest for a thread."""
    try:
        return waiting[0]
    except IndexError:
        return None


def _is_in_hand(channel: Any) -> bool:
    return bool(channel.requests or channel.total_outbufs_len)
