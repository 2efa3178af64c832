"""The notes in Redis about evidence, backups and damages that `zhuiwen status` reads."""

from datetime import datetime

import redis

from core.clock import SystemClock
from core.redis_names import DAMAGE_NOTE, EVIDENCE_NOTE
from core.settings import Settings
from pipeline.status_notes import write_note
from webadmin.backups.services.runs import backup_status
from webadmin.evidence.services.status import status_values


def note_evidence_status(client: "redis.Redis", settings: Settings) -> None:
    """Write the note on the status of evidence and backups."""
    now = SystemClock().now()
    warning = backup_status(now).warning
    values = {**status_values(settings.evidence, now), "backups": warning and warning.to_json()}
    write_note(client, EVIDENCE_NOTE, values)


def note_damage(client: "redis.Redis", count: int, seen_at: datetime) -> None:
    """Write the note on the number of known damages. It stays until the next check."""
    write_note(client, DAMAGE_NOTE, {"count": count, "seen_at": seen_at.isoformat()}, kept_s=None)
