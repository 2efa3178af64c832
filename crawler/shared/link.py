"""The Redis of a shared crawl: scripts by their digest, faults in one sentence, and patience of some seconds."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, RedisError
from redis.retry import Retry

from core.errors import ServiceUnavailable

# A fail-over takes seconds; the reactor stands still meanwhile, so no longer than pages in flight can bear (3.5 s).
_WAITS_S, _TIMEOUT_S = (0.1, 0.2, 0.4, 0.8, 1.0, 1.0), 5.0
_PASSING = (redis.ConnectionError, redis.TimeoutError)
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
    """One connection, for one thread. Raises ServiceUnavailable where Redis does not answer.

    An absence is waited out once: a crawl that ends because of it has dozens of things to tell, and waits for none.
    """

    def __init__(self, url: str) -> None:
        self._client: Any = redis.Redis.from_url(
            url,
            decode_responses=True,
            socket_timeout=_TIMEOUT_S,
            socket_connect_timeout=_TIMEOUT_S,
            retry=Retry(NoBackoff(), 0),  # `_ask` tries again
        )
        self._where = _place(self._client)
        self._scripts: dict[str, Any] = {}
        self._is_away = False  # was waited for in vain, and has not answered since

    def run(self, script: str, keys: Sequence[str], *arguments: str | int | float) -> Any:
        """The answer of a script."""
        ready = self._scripts.setdefault(script, self._client.register_script(script))
        return self._ask(lambda: ready(keys=keys, args=arguments))

    def call(self, command: str, *arguments: str) -> Any:
        """The answer of one command."""
        return self._ask(lambda: self._client.execute_command(command, *arguments))

    def scan_hash(self, key: str) -> dict[str, str]:
        """A whole hash, read in portions that leave Redis time for others."""
        return dict(self._ask(lambda: list(self._client.hscan_iter(key, count=500))))

    def _ask(self, question: Callable[[], Any]) -> Any:
        for wait_s in () if self._is_away else _WAITS_S:
            try:
                return question()
            except AuthenticationError as fault:  # no waiting makes a password right
                raise self._unavailable(fault) from fault
            except _PASSING:
                time.sleep(wait_s)
            except RedisError as fault:
                raise self._unavailable(fault) from fault
        try:
            answer = question()
        except RedisError as fault:
            self._is_away = isinstance(fault, _PASSING)
            raise self._unavailable(fault) from fault
        self._is_away = False
        return answer

    def _unavailable(self, fault: RedisError) -> ServiceUnavailable:
        is_refusal = isinstance(fault, AuthenticationError) or str(fault).startswith(_REFUSALS)
        return RedisRefuses(self._where) if is_refusal else ServiceUnavailable(_NAME, self._where)

    def close(self) -> None:
        self._client.close()


def _place(client: Any) -> str:
    """Host and port alone: the URL may hold a password."""
    given = client.connection_pool.connection_kwargs
    return f"redis://{given.get('host', 'localhost')}:{given.get('port', 6379)}"
