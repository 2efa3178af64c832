"""How much is left to compare by meaning, noted in Redis for `zhuiwen status`, which asks no database."""

import json
import logging
from collections.abc import Sequence
from datetime import datetime

import redis

from records.leads import owed
from records.leads.owed import Watch

KEY = "zw:reworded:status"
KEPT_S = 24 * 3600  # an older note says nothing of today; the task that looks for what is owed writes one a minute

log = logging.getLogger("zhuiwen.reworded")


def note_backlog(client: "redis.Redis", watches: Sequence[Watch], seen_at: datetime, *, has_encoder: bool) -> None:
    """Note it, with who has it switched on; nothing where nobody has. A Redis that is away keeps what it had."""
    left = owed.backlog(watches)
    note = {
        "holders": [watch.name for watch in watches],
        "has_encoder": has_encoder,
        "pages": left.pages,
        "texts": left.texts,
        "seen_at": seen_at.isoformat(),
    }
    try:
        if watches:
            client.set(KEY, json.dumps(note), ex=KEPT_S)
        else:
            client.delete(KEY)
    except redis.RedisError as error:
        log.warning("how much is left to compare by meaning was not noted: %s", error)
