"""Does it answer? Each probe returns whether a service is up; none raises for one that is not."""

import http.client
import socket
from contextlib import closing
from urllib.parse import urlsplit

import psycopg
import redis
from celery import Celery
from kombu.exceptions import KombuError
from redis.cluster import RedisCluster
from redis.exceptions import RedisClusterException

from core.errors import RetryLater, ZhuiwenError
from pagestore.mongo import connect, ping

TIMEOUT_S = 2.0
# As in pipeline.app, which cannot be imported here: it reads the environment of its own process.
BROKER_OPTIONS = {"global_keyprefix": "zw:queue:"}


def mongo_answers(url: str) -> bool:
    """Whether MongoDB or its twin answers a ping."""
    try:
        database = connect(url, timeout_s=TIMEOUT_S)
        try:
            ping(database)
        finally:
            database.client.close()
    except ZhuiwenError:
        return False
    return True


def redis_answers(url: str) -> bool:
    """Whether Redis answers a ping and has read its data."""
    try:
        with closing(redis.Redis.from_url(url, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S)) as client:
            return bool(client.ping())
    except (redis.RedisError, OSError, ValueError):
        return False


def index_answers(url: str) -> bool:
    """Whether the Redis of the index answers; of a cluster, whether it answers for every key."""
    try:
        with closing(index_client(url)) as client:
            if isinstance(client, RedisCluster):
                return bool(client.cluster_info()["cluster_state"] == "ok")
            return bool(client.ping())
    except (redis.RedisError, RedisClusterException, OSError, ValueError):
        return False


def index_client(url: str) -> "redis.Redis | RedisCluster":
    """A client of one server, or, where the scheme says so, of a cluster, which connects at once.

    Raises what the driver raises.
    """
    scheme, _, rest = url.partition("://")
    make = RedisCluster.from_url if scheme.endswith("+cluster") else redis.Redis.from_url
    address = f"{scheme.removesuffix('+cluster')}://{rest}"
    return make(address, decode_responses=True, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S)


def postgres_answers(url: str) -> bool:
    """Whether the admin database lets us in. One that is not PostgreSQL is left to Django."""
    if not urlsplit(url).scheme.startswith("postgres"):
        return True
    try:
        psycopg.connect(url, connect_timeout=int(TIMEOUT_S)).close()
    except psycopg.Error:
        return False
    return True


def web_answers(host: str, port: int) -> bool:
    """Whether the web server answers with anything but an error of its own."""
    connection = http.client.HTTPConnection(reachable(host), port, timeout=TIMEOUT_S)
    try:
        connection.request("GET", "/admin/login/", headers={"Host": f"127.0.0.1:{port}"})
        return connection.getresponse().status < 500
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def worker_answers(redis_url: str, node: str) -> bool:
    """Whether the Celery worker of this name on this machine answers a ping."""
    return _answers_ping(redis_url, destination=[f"{node}@{socket.gethostname()}"])


def any_worker_answers(redis_url: str, node: str) -> bool:
    """Whether a Celery worker of this name answers a ping, on whatever machine; one that is busy does."""
    return _answers_ping(redis_url, pattern=f"{node}@*", matcher="glob")


def _answers_ping(redis_url: str, **which: object) -> bool:
    app = Celery(broker=redis_url, set_as_current=False)
    app.conf.broker_transport_options = {**BROKER_OPTIONS, "socket_timeout": TIMEOUT_S}
    try:
        answers = app.control.broadcast("ping", reply=True, timeout=TIMEOUT_S, limit=1, **which)
    except (KombuError, OSError, redis.RedisError, RetryLater):
        return False
    finally:
        app.close()
    return bool(answers)


def reachable(host: str) -> str:
    """The address under which this machine reaches a server that listens on `host`."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)  # noqa: S104
