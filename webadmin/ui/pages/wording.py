"""Translates messages of other packages into the language of the reader."""

from datetime import datetime

from django.utils import timezone
from django.utils.translation import get_language

from core.errors import ZhuiwenError
from core.wording import Message


def message_text(message: Message | ZhuiwenError) -> str:
    """Return the text of a message or an error in the reader's language."""
    return (message.message if isinstance(message, ZhuiwenError) else message).in_language(get_language() or "en")


def local_time(moment: datetime | None) -> str:
    """Format a time to the second in the reader's time zone, with its UTC offset."""
    if moment is None:
        return "–"
    written = timezone.localtime(moment).isoformat(sep=" ", timespec="seconds")
    return f"{written[:19]} UTC{written[19:]}"
