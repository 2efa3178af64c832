"""The Redis of a shared crawl: scripts by their digest, faults in one sentence, and patience of some seconds."""

from collections.abc import Sequence
from typing import Any

import redis
from redis.backoff import ExponentialBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from core.errors import ServiceUnavailable

# A fail-over takes seconds; the reactor stands still meanwhile, so no longer than pages in flight can bear.
_RETRIES, _MAX_BACKOFF_S, _TIMEOUT_S = 6, 1.0, 5.0
_NAME = "Redis, which keeps the shared crawl,"


class SharedLink:
    """One connection, for one thread. Raises ServiceUnavailable where Redis does not answer."""

    def __init__(self, url: str) -> None:
        faults: Any = (redis.ConnectionError, redis.TimeoutError)
        self._client: Any = redis.Redis.from_url(
            url,
            decode_responses=True,
            socket_timeout=_TIMEOUT_S,
            socket_connect_timeout=_TIMEOUT_S,
            retry=Retry(ExponentialBackoff(cap=_MAX_BACKOFF_S, base=0.05), _RETRIES, supported_errors=faults),
        )
        self._where = _place(self._client)
        self._scripts: dict[str, Any] = {}

    def run(self, script: str, keys: Sequence[str], *arguments: str | int | float) -> Any:
        """The answer of a script."""
        ready = self._scripts.setdefault(script, self._client.register_script(script))
        try:
            return ready(keys=keys, args=arguments)
        except RedisError as fault:
            raise ServiceUnavailable(_NAME, self._where) from fault

    def call(self, command: str, *arguments: str) -> Any:
        """The answer of one command."""
        try:
            return self._client.execute_command(command, *arguments)
        except RedisError as fault:
            raise ServiceUnavailable(_NAME, self._where) from fault

    def scan_hash(self, key: str) -> dict[str, str]:
        """A whole hash, read in portions that leave Redis time for others."""
        try:
            return dict(self._client.hscan_iter(key, count=500))
        except RedisError as fault:
            raise ServiceUnavailable(_NAME, self._where) from fault

    def close(self) -> None:
        self._client.close()


def _place(client: Any) -> str:
    """Host and port alone: the URL may hold a password."""
    given = client.connection_pool.connection_kwargs
    return f"redis://{given.get('host', 'localhost')}:{given.get('port', 6379)}"
