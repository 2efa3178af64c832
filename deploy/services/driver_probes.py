"""Health probes that import database drivers: for external services, and for workers over the broker.

Each returns whether a service is up; none raises if it is not, unless its docstring says so.
"""

from contextlib import closing

import redis
from celery import Celery
from kombu.exceptions import KombuError
from redis.cluster import RedisCluster
from redis.exceptions import RedisClusterException

from core import service_urls
from core.errors import RetryLater, ZhuiwenError
from core.redis_names import QUEUE_PREFIX
from matcher.index.redis.link import cluster_client
from pagestore.connection import connect, ping

TIMEOUT_S = 2.0


def mongo_answers(url: str) -> bool:
    """Return whether MongoDB or the embedded page store responds to a ping."""
    try:
        database = connect(url, timeout_s=TIMEOUT_S)
        try:
            ping(database)
        finally:
            database.client.close()
    except ZhuiwenError:
        return False
    return True


def redis_value(url: str, key: str) -> bytes | None:
    """Return the value of a key, or None if there is none or Redis does not respond."""
    try:
        with closing(redis.Redis.from_url(url, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S)) as client:
            value = client.get(key)
            return value if isinstance(value, bytes) else None
    except (redis.RedisError, OSError, ValueError):
        return None


def redis_answers(url: str) -> bool:
    """Return whether Redis responds to a ping and has loaded its data; a cluster must cover all keys."""
    try:
        with closing(index_client(url)) as client:
            if isinstance(client, RedisCluster):
                return bool(client.cluster_info()["cluster_state"] == "ok")
            return bool(client.ping())
    except (redis.RedisError, RedisClusterException, OSError, ValueError):
        return False


def index_client(url: str) -> redis.Redis | RedisCluster:
    """Return a client of a Redis server, or of a cluster if the scheme of the URL requires one.

    The client of a cluster connects at once. Raises the errors of the driver.
    """
    make = cluster_client if service_urls.is_cluster(url) else redis.Redis.from_url
    return make(url, decode_responses=True, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S)


def postgres_answers(url: str) -> bool:
    """Return whether the admin database accepts a connection."""
    import psycopg  # takes a second, and only PostgreSQL needs it

    try:
        psycopg.connect(url, connect_timeout=int(TIMEOUT_S)).close()
    except psycopg.Error:
        return False
    return True


def any_worker_answers(redis_url: str, queue: str) -> bool:
    """Return whether a Celery worker of this queue responds, on any machine; busy workers respond too."""
    app = Celery(broker=service_urls.celery_broker(redis_url), set_as_current=False)
    app.conf.broker_transport_options = {"global_keyprefix": QUEUE_PREFIX, "socket_timeout": TIMEOUT_S}
    try:
        answers = app.control.broadcast("active_queues", reply=True, timeout=TIMEOUT_S)
    except (KombuError, OSError, redis.RedisError, RetryLater):
        return False
    finally:
        app.close()
    return any(each["name"] == queue for answer in answers for queues in answer.values() for each in queues)
