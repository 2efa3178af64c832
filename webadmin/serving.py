"""Serves the admin; gunicorn reads this module as its configuration.

gunicorn runs two processes on one socket and replaces a process that sends no heartbeat. In each process, waitress
reads a request completely before a thread handles it, so that slow clients block no thread.
"""

import faulthandler
import os
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from django.conf import settings
from django.template.loader import get_template
from django.urls import reverse
from django.utils import translation
from gunicorn.workers.base import Worker
from waitress import wasyncore
from waitress.server import create_server

from core.garbage import freeze_loaded_objects
from webadmin.ui.services.upload_limits import MAX_REQUEST_BYTES

THREADS = 8  # threads of each process; a page takes about 50 ms, a report seconds
POLL_S = 1.0
IDLE_CONNECTION_S = 30  # An idle connection is closed after this time.
# A slightly too large request gets the admin's own message (webadmin.ui.pages.requests.request_values); a larger one is
# not read.
MAX_BODY_BYTES = 2 * MAX_REQUEST_BYTES
_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - as gunicorn recommends, so that heartbeats do not wait for a disk


class BufferingWorker(Worker):
    """A worker process of the admin, which sends heartbeats as long as waiting requests get threads."""

    def run(self) -> None:
        faulthandler.enable()  # logs the stack traces if gunicorn aborts the process
        connections: dict[int, Any] = {}
        server = create_server(
            self.wsgi, map=connections, sockets=[each.sock for each in self.sockets], **server_options()
        )
        waiting, waited = server.task_dispatcher.queue, None
        while self.alive and os.getppid() == self.ppid:  # if the parent died, its successor needs the port
            first = _longest_waiting(waiting)
            if first is None or first is not waited:
                self.notify()
            waited = first
            server.accepting = first is None  # the other process may have a free thread
            wasyncore.loop(POLL_S, use_poll=True, map=connections, count=1)
        self._end_requests(server, connections)

    def _end_requests(self, server: Any, connections: dict[int, Any]) -> None:
        """Finish the requests in progress within gunicorn's graceful timeout, and accept no new connections."""
        server.accepting = False
        end = time.monotonic() + self.cfg.graceful_timeout
        while time.monotonic() < end and any(_is_in_hand(channel) for channel in server.active_channels.values()):
            wasyncore.loop(0.1, use_poll=True, map=connections, count=1)


workers = 2
worker_class = BufferingWorker
wsgi_app = "webadmin.wsgi:application"
preload_app = True  # Both processes share the memory of imports.
timeout = 30  # s without a heartbeat, after which a process is killed and replaced
graceful_timeout = 8  # s; the supervisor allows 10
worker_tmp_dir = str(_SHARED_MEMORY) if _SHARED_MEMORY.is_dir() else None
control_socket_disable = True


def when_ready(server: Any) -> None:
    """Load all views, a template and the translations before the fork, so that both processes share their memory.

    Nothing here queries the database, which may be down.
    """
    import_module(settings.ROOT_URLCONF)
    reverse("admin:index")
    get_template("admin/index.html")
    for language, _ in settings.LANGUAGES:
        with translation.override(language):
            translation.gettext("Home")
    freeze_loaded_objects()


def server_options() -> dict[str, Any]:
    """Return the options of waitress for each worker process, from the settings."""
    options: dict[str, Any] = {
        "threads": THREADS,
        "channel_timeout": IDLE_CONNECTION_S,
        "cleanup_interval": IDLE_CONNECTION_S // 3,
        "max_request_body_size": MAX_BODY_BYTES,
        "ident": None,
    }
    if settings.ZHUIWEN.web.is_https:  # only a proxy can reach the admin; else its headers are ignored
        # The proxy's header contains the visitor's address, so that a lockout concerns only that visitor.
        options |= {"trusted_proxy": "*", "trusted_proxy_headers": "x-forwarded-for x-forwarded-proto"}
    return options


def _longest_waiting(waiting: Any) -> Any:
    """Return the first request in the queue `waiting`, or None if no request waits for a thread."""
    try:
        return waiting[0]
    except IndexError:
        return None


def _is_in_hand(channel: Any) -> bool:
    return bool(channel.requests or channel.total_outbufs_len)
