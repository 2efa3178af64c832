"""A Redis for measurements. It must be empty, so that no other data are measured or replaced."""

from collections.abc import Iterator
from contextlib import contextmanager

import redis

from core.errors import BadInput, ServiceUnavailable
from fingerprint.algorithms import DEFAULT
from matcher.index.redis.keys import Keys
from matcher.index.redis.redis_index import RedisIndex

TIMEOUT_S = 60.0
NAMES_PER_DELETE = 1_000


class MeasuredRedis:
    """A server and its own statistics."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self.index = RedisIndex(client, DEFAULT.id)
        self.version = str(client.info("server")["redis_version"])

    def used_bytes(self) -> int:
        """Return the memory of all data with keys and overhead."""
        return int(self._client.info("memory")["used_memory"])

    def processor_s(self) -> float:
        """Return the processor time since its start, in seconds."""
        figures = self._client.info("cpu")
        return float(figures["used_cpu_user"]) + float(figures["used_cpu_sys"])


@contextmanager
def measured_redis(url: str) -> Iterator[MeasuredRedis]:
    """Yield the server at `url`, and empty it at the end.

    Raises BadInput for an invalid URL and for a database that is not empty, ServiceUnavailable.
    """
    try:
        client = redis.Redis.from_url(url, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S)
    except ValueError as error:
        raise BadInput("laboratory.no-redis", url=url, error=error) from error
    try:
        keys = int(client.dbsize())
        if keys:
            raise BadInput("laboratory.redis-in-use", url=url, keys=keys, other=_other(url))
        try:
            yield MeasuredRedis(client)
        finally:
            _emptied(client)
    except redis.RedisError as error:
        raise ServiceUnavailable("Redis", url) from error
    finally:
        client.close()


def _emptied(client: redis.Redis) -> None:
    names = list(client.scan_iter(match=f"{Keys(DEFAULT.id).algorithm}*", count=NAMES_PER_DELETE))
    for start in range(0, len(names), NAMES_PER_DELETE):
        client.unlink(*names[start : start + NAMES_PER_DELETE])


def _other(url: str) -> str:
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}/15"
