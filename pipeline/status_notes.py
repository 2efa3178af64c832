"""Writes notes to Redis for `zhuiwen status`, which must respond immediately and therefore queries no database.

If Redis is down, a note is not written.
"""

import json
import logging
from collections.abc import Mapping
from typing import Any

import redis

KEPT_S = 24 * 3600  # older notes are out of date; the scheduler triggers one each minute

log = logging.getLogger("zhuiwen.pipeline")


def write_note(client: "redis.Redis", key: str, values: Mapping[str, Any] | None, kept_s: int | None = KEPT_S) -> None:
    """Write a note, replacing the previous one, or delete it if `values` is None.

    kept_s: the time after which the note expires, or None if it never does.
    """
    try:
        if values is None:
            client.delete(key)
        else:
            client.set(key, json.dumps(values), ex=kept_s)
    except redis.RedisError as error:
        log.warning("%s was not noted: %s", key, error)
