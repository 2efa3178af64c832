"""The Redis of a shared crawl: scripts by their digest, faults in one sentence, and patience of some seconds."""

from collections.abc import Sequence
from typing import Any

import redis
from redis.backoff import ExponentialBackoff
from redis.exceptions import AuthenticationError, RedisError
from redis.retry import Retry

from core.errors import ServiceUnavailable

# A fail-over takes seconds; the reactor stands still meanwhile, so no longer than pages in flight can bear.
_RETRIES, _MAX_BACKOFF_S, _TIMEOUT_S = 6, 1.0, 5.0
_REFUSALS = ("NOAUTH", "WRONGPASS", "NOPERM")
_NAME = "Redis, which keeps the shared crawl,"


class RedisRefuses(ServiceUnavailable):
    """Redis answers, and wants another password or user than it is given."""

    def __init__(self, where: str) -> None:
        super().__init__(_NAME, where)
        self.args = (
            f"{_NAME} refuses the password or the user that it is given at {where}; set ZHUIWEN_REDIS_URL right",
        )


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
            raise self._unavailable(fault) from fault

    def call(self, command: str, *arguments: str) -> Any:
        """The answer of one command."""
        try:
            return self._client.execute_command(command, *arguments)
        except RedisError as fault:
            raise self._unavailable(fault) from fault

    def scan_hash(self, key: str) -> dict[str, str]:
        """A whole hash, read in portions that leave Redis time for others."""
        try:
            return dict(self._client.hscan_iter(key, count=500))
        except RedisError as fault:
            raise self._unavailable(fault) from fault

    def _unavailable(self, fault: RedisError) -> ServiceUnavailable:
        is_refusal = isinstance(fault, AuthenticationError) or str(fault).startswith(_REFUSALS)
        return RedisRefuses(self._where) if is_refusal else ServiceUnavailable(_NAME, self._where)

    def close(self) -> None:
        self._client.close()


def _place(client: Any) -> str:
    """Host and port alone: the URL may hold a password."""
    given = client.connection_pool.connection_kwargs
    return f"redis://{given.get('host', 'localhost')}:{given.get('port', 6379)}"
