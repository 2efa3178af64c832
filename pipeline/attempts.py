"""Attempts at a message that did not end: one that ends its worker comes back, but not for ever."""

import redis

from core.errors import ServiceUnavailable

MAX_ATTEMPTS = 5  # a worker also dies for reasons of its own: a restart, a lack of memory; five times is the page's
KEEP_S = 24 * 3600
KEY_PREFIX = "zw:attempts:"


class Attempts:
    """The count of one message. Raises ServiceUnavailable when Redis does not answer."""

    def __init__(self, client: "redis.Redis", task: str, subject: str) -> None:
        self._client = client
        self._key = f"{KEY_PREFIX}{task}:{subject}"

    def begin(self) -> int:
        """Count one more attempt, and return how many there are."""
        try:
            count = int(self._client.incr(self._key))
            self._client.expire(self._key, KEEP_S)
        except redis.RedisError as error:
            raise ServiceUnavailable("Redis", "ZHUIWEN_REDIS_URL", "zhuiwen status") from error
        return count

    def end(self) -> None:
        """Forget the count: the step came to its end."""
        try:
            self._client.delete(self._key)
        except redis.RedisError:
            return  # the count runs out by itself
