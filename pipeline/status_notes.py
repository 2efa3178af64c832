"""Notes in Redis for `zhuiwen status`, which is to answer at once and asks no database.

A Redis that is away keeps what it had.
"""

import json
import logging
from collections.abc import Mapping
from typing import Any

import redis

KEPT_S = 24 * 3600  # an older note says nothing of today; the clock has one written each minute

log = logging.getLogger("zhuiwen.pipeline")


def write_note(client: "redis.Redis", key: str, values: Mapping[str, Any] | None, kept_s: int | None = KEPT_S) -> None:
    """Write a note in place of the one before; None removes it."""
    try:
        if values is None:
            client.delete(key)
        else:
            client.set(key, json.dumps(values), ex=kept_s)
    except redis.RedisError as error:
        log.warning("%s was not noted: %s", key, error)
