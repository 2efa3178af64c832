"""An empty Redis, alone and as a cluster."""

from collections.abc import Iterator

import pytest
import redis
from redis.cluster import RedisCluster


@pytest.fixture
def client(redis_url: str) -> Iterator[redis.Redis]:
    client = redis.Redis.from_url(redis_url)
    client.flushdb()
    yield client
    client.close()


@pytest.fixture
def cluster(redis_cluster_url: str) -> Iterator[RedisCluster]:
    client = RedisCluster.from_url(redis_cluster_url.replace("redis+cluster", "redis"))
    client.flushall(target_nodes=RedisCluster.PRIMARIES)
    yield client
    client.close()
