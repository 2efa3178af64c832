"""A lock in Redis for the processes on all machines, which expires if its holder dies."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import redis
from redis.exceptions import LockError

from core.errors import ServiceUnavailable

TTL_S = 60.0  # time until the lock of a dead holder is free
RENEW_S = TTL_S / 3
KEY_PREFIX = "zw:lock:"

MAINTENANCE = "maintenance"  # the sweep and every rebuild of the index
STAMPING = "maintenance of evidence"
SEARCH = "search"  # of stored pages for new texts


@contextmanager
def redis_lock(client: "redis.Redis", name: str, wait_s: float = 0.0) -> Iterator[bool]:
    """Hold a lock during the block, and yield whether it was acquired.

    wait_s: how long to wait if another process holds it. Raises ServiceUnavailable if Redis does not respond.
    """
    lock = client.lock(KEY_PREFIX + name, timeout=TTL_S, thread_local=False)
    try:
        is_acquired = bool(lock.acquire(blocking=wait_s > 0, blocking_timeout=wait_s))
    except redis.RedisError as error:
        raise ServiceUnavailable("Redis", "ZHUIWEN_REDIS_URL", "zhuiwen status") from error
    if not is_acquired:
        yield False
        return
    end_event = threading.Event()
    renewal = threading.Thread(target=_renew_lock, args=(lock, end_event), daemon=True)
    renewal.start()
    try:
        yield True
    finally:
        end_event.set()
        renewal.join()
        _release_lock(lock)


def forget_lock(client: "redis.Redis", name: str) -> None:
    """Delete the lock of a dead holder. Call it only if no living process can hold the lock."""
    client.delete(KEY_PREFIX + name)


def _renew_lock(lock: "redis.lock.Lock", end_event: threading.Event) -> None:
    while not end_event.wait(RENEW_S):
        try:
            lock.reacquire()
        except (LockError, redis.RedisError):
            continue  # Redis is down or lost its data: another holder may begin; every step may run twice


def _release_lock(lock: "redis.lock.Lock") -> None:
    try:
        lock.release()
    except (LockError, redis.RedisError):
        return  # it expires
