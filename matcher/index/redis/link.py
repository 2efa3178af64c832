"""Sends commands to Redis, on one server or in a cluster."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import Any, TypeVar

import redis
from redis.cluster import RedisCluster
from redis.exceptions import (
    AuthenticationError,
    ClusterError,
    CrossSlotTransactionError,
    ReadOnlyError,
    RedisClusterException,
)

from core.errors import IndexStale, ServiceUnavailable
from core.wording import Message

Client = redis.Redis | RedisCluster
Command = tuple[Any, ...]
T = TypeVar("T")

# How long a cluster may take to replace a lost master by a replica: Redis waits cluster-node-timeout, 15 s by default,
# then the replicas vote for one or two seconds (three on one machine: 2.6 s at a timeout of 2 s, November 2026). The
# driver retries immediately some ten times, and has given up before the vote.
FAILOVER_S = 20.0
PAUSES_S = 0.1, 1.0  # between attempts: the first pause, doubled up to the last
# Errors and responses of a cluster while a master is replaced.
_TRANSIENT = (redis.ConnectionError, redis.TimeoutError, ClusterError, ReadOnlyError, RedisClusterException)
# Errors of the driver for commands that it does not send, by class or only by message (redis 8): a retry gives the same
# error.
_NOT_SENT = ("same key slot", "Missing key", "Invalid args", "not implemented", "cannot be triggered")


def cluster_client(url: str, **options: Any) -> RedisCluster:
    """Return a client of a cluster, connected to the first node in `url` that responds; it discovers the other nodes.

    url: redis+cluster://USER:PASSWORD@HOST:PORT,HOST:PORT, or rediss+cluster://. Raises the exceptions of the driver.
    """
    scheme, _, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    user, at, nodes = authority.rpartition("@")
    *other_urls, last_url = [
        f"{scheme.removesuffix('+cluster')}://{user}{at}{node}{slash}{path}" for node in nodes.split(",")
    ]
    for url_of_node in other_urls:
        with suppress(redis.RedisError, RedisClusterException):
            return RedisCluster.from_url(url_of_node, **options)
    return RedisCluster.from_url(last_url, **options)


class RedisLink:
    """A connection to Redis. The client must return bytes (no decode_responses).

    client: a client, or a factory called at the first use: a cluster's client connects when it is created.
    """

    def __init__(self, client: Client | Callable[[], Client]) -> None:
        self._client_or_factory = client
        self._connection: tuple[int, Any] | None = None  # the process that opened it, and its own connection

    @cached_property
    def _client(self) -> Any:
        return self._client_or_factory() if callable(self._client_or_factory) else self._client_or_factory

    @cached_property
    def is_cluster(self) -> bool:
        return isinstance(self._client, RedisCluster)

    def ask(self, commands: Sequence[Command]) -> list[Any]:
        """Return the responses to commands that are sent together.

        In a cluster, the keys of a command must be in one slot.

        A cluster may execute a command twice: if a server fails before it responds, the effect of the command is
        unknown.
        """
        return self._retry_failover(lambda: self._send_commands(commands))

    def one(self, *command: Any) -> Any:
        """Return the response to one command. See `ask`."""
        return self._retry_failover(lambda: self._client.execute_command(*command))

    def servers(self) -> str:
        """Return the identities of a cluster's masters; they change if a master is replaced or restarted.

        Returns "" for a single server: after a restart it contains a prefix of the commands it received, while each
        server of a cluster may contain a different prefix.
        """
        return self._retry_failover(self._servers) if self.is_cluster else ""

    def _servers(self) -> str:
        responses = self._client.info("server", target_nodes=RedisCluster.PRIMARIES)
        infos = responses.values() if all(isinstance(each, dict) for each in responses.values()) else [responses]
        return " ".join(sorted(str(each["run_id"]) for each in infos))

    def _retry_failover(self, call: Callable[[], T]) -> T:
        """Return the result of `call`. In a cluster, repeat the call while a replica replaces a master."""
        if not self.is_cluster:
            return call()
        end, pause_s = time.monotonic() + FAILOVER_S, PAUSES_S[0]
        while True:
            try:
                return call()
            except (AuthenticationError, CrossSlotTransactionError):
                raise
            except _TRANSIENT as error:
                is_sent = not any(words in str(error) for words in _NOT_SENT)
                if not is_sent or time.monotonic() + pause_s > end:
                    raise
                # For each script of a pipeline the driver asks one fixed node for the keys, even after that node is
                # gone.
                self._client.replace_default_node()
            time.sleep(pause_s)
            pause_s = min(PAUSES_S[1], 2 * pause_s)

    def _send_commands(self, commands: Sequence[Command]) -> list[Any]:
        if len(commands) == 1:
            return [self._client.execute_command(*commands[0])]
        pipeline = self._client.pipeline(transaction=False)
        for command in commands:
            pipeline.execute_command(*command)
        return list(pipeline.execute())

    def names(self, pattern: str) -> Iterator[bytes]:
        """Yield the keys on all servers that match a pattern."""
        yield from self._client.scan_iter(match=pattern, count=1_000)

    def ask_unchecked(self, commands: Sequence[Command]) -> list[Any]:
        """Return the responses to read-only commands, like `ask`, but on a single server without the driver's checks.

        Repeats the commands once if the server has closed the connection.
        """
        if self.is_cluster:
            return self.ask(commands)
        # The driver checks every argument of a command, which takes a third of the time of a look-up of 500 names, and
        # most of the time of a small query (December 2026).
        connection = self._own_connection()
        try:
            return _exchange_commands(connection, commands)
        except redis.ConnectionError:
            return _exchange_commands(connection, commands)

    def _own_connection(self) -> Any:
        """Return a connection that only this object uses; after a fork, a new one."""
        if self._connection is None or self._connection[0] != os.getpid():
            self._connection = os.getpid(), self._client.connection_pool.get_connection()
        return self._connection[1]

    @property
    def address(self) -> str:
        """The address of the server, or the addresses of the cluster's nodes.

        Before the first use, the name of the setting.
        """
        if "_client" not in vars(self):
            return "ZHUIWEN_INDEX_URL"
        if self.is_cluster:
            nodes = self._client.get_nodes()
            return ", ".join(sorted(f"{node.host}:{node.port}" for node in nodes)) or "any node of the cluster"
        options = self._client.connection_pool.connection_kwargs
        return str(options.get("path") or f"{options.get('host', 'localhost')}:{options.get('port', 6379)}")

    @contextmanager
    def translate_redis_errors(self) -> Iterator[None]:
        """Convert the driver's errors to ServiceUnavailable."""
        try:
            yield
        except (redis.RedisError, RedisClusterException) as error:
            raise ServiceUnavailable(Message("service.index"), self.address) from error


def _exchange_commands(connection: Any, commands: Sequence[Command]) -> list[Any]:
    try:
        connection.send_packed_command([part for command in commands for part in connection.pack_command(*command)])
        return [connection.read_response() for _ in commands]
    except BaseException:
        connection.disconnect()  # an unread response must never be taken for the response to the next command
        raise


def script(body: str, keys: Sequence[str | bytes], arguments: Sequence[Any]) -> Command:
    """Return the command that runs a Lua script."""
    return ("EVAL", body, len(keys), *keys, *arguments)


def number(response: Any) -> int:
    """Return the value of a counter; 0 if it does not exist. Raises IndexStale if the value is not a number."""
    try:
        return int(response or 0)
    except ValueError as error:
        raise IndexStale("index.garbled") from error
