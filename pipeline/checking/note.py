"""How many damages are known, noted in Redis for `zhuiwen status`, which asks no database."""

import json
import logging
from datetime import datetime

import redis

KEY = "zw:stores:damage"

log = logging.getLogger("zhuiwen.checking")


def note_known(client: "redis.Redis", count: int, seen_at: datetime) -> None:
    """Note it; a Redis that is away keeps what it had."""
    try:
        client.set(KEY, json.dumps({"count": count, "seen_at": seen_at.isoformat()}))
    except redis.RedisError as error:
        log.warning("how many damages are known was not noted: %s", error)
