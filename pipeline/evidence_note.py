"""How evidence and backups stand, noted in Redis by the sweeper for `zhuiwen status`, which is to answer at once."""

import json

import redis

from core.clock import SystemClock
from core.errors import ServiceUnavailable
from core.settings import Settings
from records.backups.runs import standing
from records.evidence.status import status_values

KEY = "zw:evidence:status"
KEPT_S = 24 * 3600  # an older note says nothing of today; the sweeper writes one a minute where it is not kept busy


def note_evidence_status(client: "redis.Redis", settings: Settings) -> None:
    """Note how the evidence stands now. Raises ServiceUnavailable when Redis does not answer."""
    now = SystemClock().now()
    warning = standing(now).warning
    values = {**status_values(settings.evidence, now), "backups": warning and warning.to_json()}
    try:
        client.set(KEY, json.dumps(values), ex=KEPT_S)
    except redis.RedisError as error:
        raise ServiceUnavailable("Redis", "ZHUIWEN_REDIS_URL", "zhuiwen status") from error
