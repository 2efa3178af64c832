"""What is known to be damaged, as the last checks noted it in Redis for `zhuiwen status`."""

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

from core.wording import Message
from deploy.cli.session import local_time
from deploy.services import probes

if TYPE_CHECKING:
    from core.settings import Settings

KEY = "zw:stores:damage"  # of pipeline.checking.note, which cannot be imported here: it needs Django


def known_damage(settings: "Settings") -> list[Message]:
    """One line where something is; none where nothing is noted, or Redis does not answer."""
    noted = probes.redis_value(settings.redis_url, KEY)
    try:
        known: dict[str, Any] = json.loads(noted) if noted is not None else {"count": 0}
        if not known["count"]:
            return []
        when = local_time(datetime.fromisoformat(known["seen_at"]), settings)
        return [Message("start.damage-known", count=int(known["count"]), when=when)]
    except (ValueError, KeyError, TypeError):  # a note that was garbled says nothing
        return []
