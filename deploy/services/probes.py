"""Does it answer? Each probe returns whether a service is up; none raises for one that is not.

An installation of embedded services is looked at without any driver.
"""

import socket
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from deploy.services import socket_probes

TIMEOUT_S = 2.0


def mongo_answers(url: str) -> bool:
    """Whether MongoDB or its twin answers a ping."""
    host = unquote(urlsplit(url).netloc)
    return socket_probes.mongo_answers(Path(host)) if host.endswith(".sock") else bool(_drivers().mongo_answers(url))


def redis_answers(url: str) -> bool:
    """Whether Redis answers a ping and has read its data."""
    path = _redis_socket(url)
    return bool(_drivers().redis_answers(url)) if path is None else socket_probes.redis_answers(path)


def redis_value(url: str, key: str) -> bytes | None:
    """The value of a key; None where there is none, or Redis does not answer."""
    path = _redis_socket(url)
    return _drivers().redis_value(url, key) if path is None else socket_probes.redis_value(path, key)


def index_answers(url: str) -> bool:
    """Whether the Redis of the index answers; of a cluster, whether it answers for every key."""
    return bool(_drivers().index_answers(url))


def postgres_answers(url: str) -> bool:
    """Whether the admin database lets us in. One that is not PostgreSQL is left to Django."""
    return not urlsplit(url).scheme.startswith("postgres") or bool(_drivers().postgres_answers(url))


def postgres_row(url: str, query: str, parameter: object) -> Any:
    """The one row of a query of PostgreSQL with one parameter; None where that does not answer."""
    return _drivers().postgres_row(url, query, parameter)


def any_worker_answers(redis_url: str, queue: str) -> bool:
    """Whether a Celery worker that takes messages of this queue answers, on whatever machine; one that is busy does."""
    return bool(_drivers().any_worker_answers(redis_url, queue))


def _drivers() -> Any:
    from deploy.services import driver_probes  # .4 s of an interpreter: embedded services are looked at without

    return driver_probes


def _redis_socket(url: str) -> Path | None:
    """The socket of a Redis that asks for no password, as the embedded one."""
    is_plain = url.startswith("unix://") and "?" not in url and "@" not in url
    return Path(unquote(url.removeprefix("unix://"))) if is_plain else None


def web_answers(host: str, port: int, name: str = "127.0.0.1") -> bool:
    """Whether the web server, asked by that name, answers with anything but an error of its own."""
    request = f"GET /admin/login/ HTTP/1.0\r\nHost: {name}:{port}\r\n\r\n"
    try:
        with socket.create_connection((reachable(host), port), timeout=TIMEOUT_S) as stream:
            stream.settimeout(TIMEOUT_S)
            stream.sendall(request.encode("ascii"))
            with stream.makefile("rb") as answer:
                return int(answer.readline(1024).split()[1]) < 500
    except (OSError, ValueError, IndexError):
        return False


def reachable(host: str) -> str:
    """The address under which this machine reaches a server that listens on `host`."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)  # noqa: S104
