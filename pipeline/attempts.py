"""Counts the unfinished attempts to process a message.

A message that crashes its worker is then not repeated forever.
"""

import redis

from core.errors import ServiceUnavailable

MAX_ATTEMPTS = 5  # a restart or lack of memory may also kill a worker; after five times the page is at fault
KEEP_S = 24 * 3600
KEY_PREFIX = "zw:attempts:"


class Attempts:
    """The attempts to process one message."""

    def __init__(self, client: "redis.Redis", task: str, subject: str) -> None:
        self._client = client
        self._key = f"{KEY_PREFIX}{task}:{subject}"

    def begin(self) -> int:
        """Count another attempt, and return the number of attempts.

        Raises ServiceUnavailable if Redis does not respond.
        """
        try:
            count = int(self._client.incr(self._key))
            self._client.expire(self._key, KEEP_S)
        except redis.RedisError as error:
            raise ServiceUnavailable("Redis", "ZHUIWEN_REDIS_URL", "zhuiwen status") from error
        return count

    def end(self) -> None:
        """Reset the count, because the step has ended."""
        try:
            self._client.delete(self._key)
        except redis.RedisError:
            return  # the count expires
