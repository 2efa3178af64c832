"""How much is left to compare by meaning, as it was noted in Redis for `zhuiwen status`."""

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

from core.wording import Message
from deploy.cli.session import local_time
from deploy.services import probes

if TYPE_CHECKING:
    from core.settings import Settings

KEY = "zw:reworded:status"  # of pipeline.reworded.note, which cannot be imported here: it needs Django


def noted_backlog(settings: "Settings") -> list[Message]:
    """A line where a rights holder has it switched on, and one where it cannot be done; none without a note."""
    noted = probes.redis_value(settings.redis_url, KEY)
    if noted is None:
        return []
    try:
        known: dict[str, Any] = json.loads(noted)
        counts = {"pages": int(known["pages"]), "texts": int(known["texts"])}
        when = local_time(datetime.fromisoformat(known["seen_at"]), settings)
        told = Message("custody.as-of", told=Message("reworded.backlog", **counts), when=when)
        missing = Message("reworded.no-encoder", holders=known["holders"])
        return [told] if known["has_encoder"] else [told, missing]
    except (ValueError, KeyError, TypeError):  # a note that was garbled says nothing
        return []
