"""The authority of time stamps that the tests of bundles have too, and installations in which no service runs."""

from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest
import redis

from tests.bundles.conftest import authority
from tests.support.command_line import CommandLine, zhuiwen
from tests.support.embedded import EmbeddedMongo
from tests.support.redis_server import database_of

__all__ = ["authority", "zhuiwen"]


@pytest.fixture(scope="module")
def with_stores(
    tmp_path_factory: pytest.TempPathFactory, mongo_server: EmbeddedMongo, redis_url: str
) -> Iterator[Callable[..., CommandLine]]:
    """Makes an installation with empty databases on the servers of the tests; another one empties Redis again."""
    url = database_of(redis_url, 7)

    def make(**environment: str) -> CommandLine:
        broker.flushdb()
        stores = {"ZHUIWEN_MONGO_URL": mongo_server.url(f"test_{uuid4().hex[:12]}"), "ZHUIWEN_REDIS_URL": url}
        command = CommandLine(tmp_path_factory.mktemp("home"), stores | environment)
        command.make_tables()
        return command

    with redis.Redis.from_url(url) as broker:
        yield make
        broker.flushdb()
