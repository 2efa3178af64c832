"""Counts the unfinished attempts at a message, so that one that crashes its worker is not repeated forever."""

import redis

from core.errors import ServiceUnavailable

MAX_ATTEMPTS = 5  # a restart or lack of memory may also kill a worker; after five times the page is at fault
KEEP_S = 24 * 3600
KEY_PREFIX = "zw:attempts:"


class Attempts:
    """The attempts at one message. Raises ServiceUnavailable if Redis does not respond."""

    def __init__(self, client: "redis.Redis", task: str, subject: str) -> None:
        self._client = client
        self._key = f"{KEY_PREFIX}{task}:{subject}"

    def begin(self) -> int:
        """Count another attempt and return the number of attempts."""
        try:
            count = int(self._client.incr(self._key))
            self._client.expire(self._key, KEEP_S)
        except redis.RedisError as error:
            raise ServiceUnavailable("Redis", "ZHUIWEN_REDIS_URL", "zhuiwen status") from error
        return count

    def end(self) -> None:
        """Reset the count, because the step ended."""
        try:
            self._client.delete(self._key)
        except redis.RedisError:
            return  # the count expires
