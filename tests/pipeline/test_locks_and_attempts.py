"""Locks and counts in a real Redis."""

from collections.abc import Iterator

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from core.errors import ServiceUnavailable
from core.redis_names import QUEUE_PREFIX
from pipeline import attempts
from pipeline.attempts import Attempts
from pipeline.pending import forget_taken, pending
from pipeline.redis_lock import MAINTENANCE, forget_lock, redis_lock


@pytest.fixture
def client(redis_url: str) -> Iterator["redis.Redis"]:
    with redis.Redis.from_url(redis_url) as connected:
        connected.flushdb()
        yield connected


def test_two_sweeps_do_not_run_at_once(client: "redis.Redis") -> None:
    with redis_lock(client, MAINTENANCE) as first, redis_lock(client, MAINTENANCE) as second:
        assert first
        assert not second
    with redis_lock(client, MAINTENANCE) as again:
        assert again


def test_a_turn_ends_with_an_error_too(client: "redis.Redis") -> None:
    with pytest.raises(ZeroDivisionError), redis_lock(client, MAINTENANCE):
        raise ZeroDivisionError
    with redis_lock(client, MAINTENANCE) as again:
        assert again


def test_the_turn_of_a_dead_machine_can_be_freed(client: "redis.Redis") -> None:
    client.set("zw:lock:maintenance", "somebody dead")
    with redis_lock(client, MAINTENANCE) as taken:
        assert not taken
    forget_lock(client, MAINTENANCE)
    with redis_lock(client, MAINTENANCE) as free:
        assert free


def test_a_message_that_never_ends_is_not_begun_for_ever(client: "redis.Redis") -> None:
    killing = Attempts(client, "task", "version")
    counts = [killing.begin() for _ in range(attempts.MAX_ATTEMPTS + 1)]
    assert counts == list(range(1, attempts.MAX_ATTEMPTS + 2))


def test_a_message_that_ends_starts_from_nothing(client: "redis.Redis") -> None:
    fine = Attempts(client, "task", "version")
    for _ in range(3 * attempts.MAX_ATTEMPTS):
        assert fine.begin() == 1
        fine.end()


def test_pending_counts_what_waits_and_what_is_taken(client: "redis.Redis") -> None:
    client.rpush(QUEUE_PREFIX + "pages", "a", "b")
    client.hset(QUEUE_PREFIX + "unacked", "tag", "message")
    left = pending(client)
    assert (left.waiting["pages"], left.taken, left.total) == (2, 1, 3)
    assert forget_taken(client) == 1
    assert pending(client).total == 2


@pytest.mark.usefixtures("loopback")
def test_a_redis_that_is_away_is_one_sentence() -> None:
    nobody = redis.Redis(port=1, retry=Retry(NoBackoff(), 0))
    with pytest.raises(ServiceUnavailable, match="zhuiwen status"):
        pending(nobody)
    with pytest.raises(ServiceUnavailable), redis_lock(nobody, MAINTENANCE):
        pass
    with pytest.raises(ServiceUnavailable):
        Attempts(nobody, "task", "version").begin()
