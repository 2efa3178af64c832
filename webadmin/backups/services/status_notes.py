"""Notes in Redis for `zhuiwen status`, which is to answer at once and asks no database.

A Redis that is away keeps what it had.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import redis

from core.clock import SystemClock
from core.redis_names import DAMAGE_NOTE, EVIDENCE_NOTE, REWORDED_NOTE
from core.settings import Settings
from webadmin.backups.services.runs import standing
from webadmin.evidence.services.status import status_values
from webadmin.rewrites.services import owed
from webadmin.rewrites.services.owed import Watch

KEPT_S = 24 * 3600  # an older note says nothing of today; the clock has one written each minute

log = logging.getLogger("zhuiwen.pipeline")


def note_evidence_status(client: "redis.Redis", settings: Settings) -> None:
    """Note how evidence and backups stand."""
    now = SystemClock().now()
    warning = standing(now).warning
    _note(client, EVIDENCE_NOTE, {**status_values(settings.evidence, now), "backups": warning and warning.to_json()})


def note_backlog(client: "redis.Redis", watches: Sequence[Watch], seen_at: datetime, *, has_encoder: bool) -> None:
    """Note how much is left to compare by meaning, and who has it switched on; nothing where nobody has."""
    left = owed.backlog(watches)
    note = {
        "holders": [watch.name for watch in watches],
        "has_encoder": has_encoder,
        "pages": left.pages,
        "texts": left.texts,
        "seen_at": seen_at.isoformat(),
    }
    _note(client, REWORDED_NOTE, note if watches else None)


def note_damage(client: "redis.Redis", count: int, seen_at: datetime) -> None:
    """Note how many damages are known, until the next check."""
    _note(client, DAMAGE_NOTE, {"count": count, "seen_at": seen_at.isoformat()}, kept_s=None)


def _note(client: "redis.Redis", key: str, values: Mapping[str, Any] | None, kept_s: int | None = KEPT_S) -> None:
    try:
        if values is None:
            client.delete(key)
        else:
            client.set(key, json.dumps(values), ex=kept_s)
    except redis.RedisError as error:
        log.warning("%s was not noted: %s", key, error)
