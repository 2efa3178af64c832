"""The connections of a process to Redis and to the index."""

from functools import cache, partial
from pathlib import Path

import redis

from core.service_urls import is_cluster
from core.settings import Settings
from fingerprint.algorithms import DEFAULT
from matcher.index.ports import MatchIndex
from matcher.index.redis.link import cluster_client
from matcher.index.redis.redis_index import RedisIndex
from matcher.index.snapshot.snapshot_index import SnapshotIndex

REDIS_TIMEOUT_S = 20.0  # a look-up takes milliseconds; a rebuild's largest pipeline took under 1 s


def match_index(settings: Settings) -> MatchIndex:
    """Return the index in Redis, with a local snapshot if the settings name a folder for it.

    If the URL has a `+cluster` scheme, the index is in a cluster (docs/decisions/fingerprint-and-index.md). The URL
    names some of its nodes, and the client discovers the others. Broker and locks are always on the server of
    `redis_client`.
    """
    index, folder = redis_index(settings), settings.services.index_snapshot
    return SnapshotIndex(index, Path(folder).expanduser()) if folder else index


def redis_index(settings: Settings) -> RedisIndex:
    """Return the index in Redis, without a snapshot."""
    timeouts = {"socket_timeout": REDIS_TIMEOUT_S, "socket_connect_timeout": REDIS_TIMEOUT_S}
    create_client = cluster_client if is_cluster(settings.index_url) else redis.Redis.from_url
    return RedisIndex(partial(create_client, settings.index_url, **timeouts), DEFAULT.id)


@cache
def redis_client(settings: Settings) -> "redis.Redis":
    """Return the Redis client for the broker and the locks, which this process and its forks share."""
    return redis.Redis.from_url(
        settings.redis_url, socket_timeout=REDIS_TIMEOUT_S, socket_connect_timeout=REDIS_TIMEOUT_S
    )
