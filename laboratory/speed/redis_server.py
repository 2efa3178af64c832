"""A Redis to measure on: one that holds nothing, so that nothing of anyone's is measured or replaced."""

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
    """A server and what it says of itself."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client
        self.index = RedisIndex(client, DEFAULT.id)
        self.version = str(client.info("server")["redis_version"])

    def used_bytes(self) -> int:
        """Memory of all data, keys and what Redis needs to hold them."""
        return int(self._client.info("memory")["used_memory"])

    def processor_s(self) -> float:
        """Seconds of the processor since it started."""
        figures = self._client.info("cpu")
        return float(figures["used_cpu_user"]) + float(figures["used_cpu_sys"])


@contextmanager
def measured_redis(url: str) -> Iterator[MeasuredRedis]:
    """The server at `url`, left as empty as it was.

    Raises BadInput for a URL that is none and for a database that holds anything, ServiceUnavailable.
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
