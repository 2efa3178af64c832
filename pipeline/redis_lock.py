"""One at a time across all machines: a lock in Redis that lives as long as its holder does."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import redis
from redis.exceptions import LockError

from core.errors import ServiceUnavailable

TTL_S = 60.0  # how long the work of a dead holder stays taken
RENEW_S = TTL_S / 3
KEY_PREFIX = "zw:lock:"

MAINTENANCE = "maintenance"  # the sweep and every rebuild of the index
STAMPING = "maintenance of evidence"
SEARCH = "search"  # stored pages for new texts


@contextmanager
def redis_lock(client: "redis.Redis", name: str, wait_s: float = 0.0) -> Iterator[bool]:
    """Take a lock for the block, and yield whether that worked; wait at most `wait_s` for another holder.

    Raises ServiceUnavailable when Redis does not answer.
    """
    lock = client.lock(KEY_PREFIX + name, timeout=TTL_S, thread_local=False)
    try:
        is_ours = bool(lock.acquire(blocking=wait_s > 0, blocking_timeout=wait_s))
    except redis.RedisError as error:
        raise ServiceUnavailable("Redis", "ZHUIWEN_REDIS_URL", "zhuiwen status") from error
    if not is_ours:
        yield False
        return
    ended = threading.Event()
    renewing = threading.Thread(target=_renew, args=(lock, ended), daemon=True)
    renewing.start()
    try:
        yield True
    finally:
        ended.set()
        renewing.join()
        _release(lock)


def forget_lock(client: "redis.Redis", name: str) -> None:
    """Free what a dead holder had, where it is known that nobody lives who could hold it."""
    client.delete(KEY_PREFIX + name)


def _renew(lock: "redis.lock.Lock", ended: threading.Event) -> None:
    while not ended.wait(RENEW_S):
        try:
            lock.reacquire()
        except (LockError, redis.RedisError):
            continue  # Redis is away, or lost its data: another may begin, and every step may run twice


def _release(lock: "redis.lock.Lock") -> None:
    try:
        lock.release()
    except (LockError, redis.RedisError):
        return  # it ends by itself
