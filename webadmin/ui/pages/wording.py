"""Messages of other packages in the language of the desk's reader."""

from datetime import datetime

from django.utils import timezone
from django.utils.translation import get_language

from core.errors import ZhuiwenError
from core.wording import Message


def message_text(message: Message | ZhuiwenError) -> str:
    """Return a message, or that of an error."""
    return (message.message if isinstance(message, ZhuiwenError) else message).in_language(get_language() or "en")


def local_time(moment: datetime | None) -> str:
    """Write a moment to the second in the zone of whoever reads, with its distance from UTC."""
    if moment is None:
        return "–"
    written = timezone.localtime(moment).isoformat(sep=" ", timespec="seconds")
    return f"{written[:19]} UTC{written[19:]}"
