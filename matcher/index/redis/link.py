"""One round trip to Redis, whether it is one server or a cluster."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import redis
from redis.cluster import RedisCluster
from redis.exceptions import RedisClusterException

from core.errors import IndexStale, ServiceUnavailable
from core.wording import Message

Client = redis.Redis | RedisCluster
Command = tuple[Any, ...]


class Link:
    """A client that returns bytes (no decode_responses), or a factory for one: that of a cluster connects when made."""

    def __init__(self, client: Client | Callable[[], Client]) -> None:
        self._given = client
        self._connection: tuple[int, Any] | None = None  # the process that opened it, and a connection of our own

    @cached_property
    def _client(self) -> Any:
        return self._given() if callable(self._given) else self._given

    @cached_property
    def is_cluster(self) -> bool:
        return isinstance(self._client, RedisCluster)

    def ask(self, commands: Sequence[Command]) -> list[Any]:
        """The answers to commands that are sent together; in a cluster each touches keys of one slot."""
        if len(commands) == 1:
            return [self._client.execute_command(*commands[0])]
        pipeline = self._client.pipeline(transaction=False)
        for command in commands:
            pipeline.execute_command(*command)
        return list(pipeline.execute())

    def one(self, *command: Any) -> Any:
        """The answer to one command."""
        return self._client.execute_command(*command)

    def names(self, pattern: str) -> Iterator[bytes]:
        """The keys that match a pattern, on all servers."""
        yield from self._client.scan_iter(match=pattern, count=1_000)

    def read(self, packed: bytes, answers: int) -> list[Any]:
        """The answers to `answers` commands that `pack_command` packed; of one server, and only to read.

        The driver checks every argument of a command: a fifth of the time of a look-up of 500 names, and most of that
        of a small query (November 2026). Retried once where the server has closed the connection.
        """
        connection = self._own_connection()
        try:
            return _exchange(connection, packed, answers)
        except redis.ConnectionError:
            return _exchange(connection, packed, answers)

    def _own_connection(self) -> Any:
        """A connection of this object alone, also after a fork."""
        if self._connection is None or self._connection[0] != os.getpid():
            self._connection = os.getpid(), self._client.connection_pool.get_connection()
        return self._connection[1]

    @property
    def address(self) -> str:
        """The address of the server, or those of a cluster's nodes."""
        if "_client" not in vars(self):
            return "ZHUIWEN_INDEX_URL"
        if self.is_cluster:
            nodes = self._client.get_nodes()
            return ", ".join(sorted(f"{node.host}:{node.port}" for node in nodes)) or "any node of the cluster"
        options = self._client.connection_pool.connection_kwargs
        return str(options.get("path") or f"{options.get('host', 'localhost')}:{options.get('port', 6379)}")

    @contextmanager
    def translating_errors(self) -> Iterator[None]:
        """Turn the driver's errors into ServiceUnavailable."""
        try:
            yield
        except (redis.RedisError, RedisClusterException) as error:
            raise ServiceUnavailable(Message("service.index"), self.address) from error


def _exchange(connection: Any, packed: bytes, answers: int) -> list[Any]:
    try:
        connection.send_packed_command([packed])
        return [connection.read_response() for _ in range(answers)]
    except BaseException:
        connection.disconnect()  # what was not read must never be taken for the answer to the next question
        raise


def pack_command(*arguments: bytes, further: tuple[int, bytes] = (0, b"")) -> bytes:
    """A command as it is sent; `further`: how many more arguments follow, packed."""
    count, tail = further
    head = b"".join(b"$%d\r\n%s\r\n" % (len(argument), argument) for argument in arguments)
    return b"*%d\r\n%s%s" % (len(arguments) + count, head, tail)


def script(body: str, keys: Sequence[str | bytes], arguments: Sequence[Any]) -> Command:
    """The command that runs a script."""
    return ("EVAL", body, len(keys), *keys, *arguments)


def number(answer: Any) -> int:
    """A counter's value; 0 where there is none. Raises IndexStale for what is no number any more."""
    try:
        return int(answer or 0)
    except ValueError as error:
        raise IndexStale("index.garbled") from error
