"""Counts the attempts to process a message that did not end.

It prevents a message that crashes its worker from being repeated forever.
"""

import redis

from core.errors import ServiceUnavailable

MAX_ATTEMPTS = 5  # a restart or a lack of memory may also kill a worker; five times in a row, the page is the cause
KEEP_S = 24 * 3600
KEY_PREFIX = "zw:attempts:"


class Attempts:
    """The attempts of a task to process the message about one subject."""

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
        """Delete the count after the step has ended. If Redis does not respond, the count expires."""
        try:
            self._client.delete(self._key)
        except redis.RedisError:
            return  # the count expires
