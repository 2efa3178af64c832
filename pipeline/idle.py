"""Waiting until nothing is left to do: for the demo, for `crawl --wait`, for tests."""

import time
from collections.abc import Callable

from core.errors import RetryLater
from core.settings import Settings
from pipeline.maintenance import sweep_all
from pipeline.pending import pending
from pipeline.redis_lock import MAINTENANCE, redis_lock
from pipeline.wiring import live, redis_client

POLL_S = 0.25


def wait_until_idle(settings: Settings, deadline_s: float, on_progress: Callable[[int], None] | None = None) -> None:
    """Return when the queues are empty and the stores owe nothing; what was left behind is sent on the way.

    on_progress: told how many messages are left. Raises RetryLater when the workers have not done it in time.
    """
    client, ports = redis_client(settings), live(settings)
    deadline = time.monotonic() + deadline_s
    while time.monotonic() < deadline:
        left = pending(client).total
        if on_progress is not None:
            on_progress(left)
        if left == 0:
            with redis_lock(client, MAINTENANCE) as is_ours:
                if is_ours and sweep_all(ports).found_nothing:
                    return
        time.sleep(POLL_S)
    raise RetryLater("service.workers", seconds=deadline_s, left=pending(client).total)
