"""Translates messages of other packages into the user's language."""

from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import get_language, ngettext

from core.errors import ZhuiwenError
from core.wording import Message

MINUTE, HOUR, DAY = 60, 3_600, 86_400


def message_text(message: Message | ZhuiwenError) -> str:
    """Return the text of a message or an error in the user's language."""
    return (message.message if isinstance(message, ZhuiwenError) else message).in_language(get_language() or "en")


def local_time(moment: datetime | None) -> str:
    """Format a time to the second in the user's time zone with its UTC offset, or return a dash for None."""
    if moment is None:
        return "–"
    written = timezone.localtime(moment).isoformat(sep=" ", timespec="seconds")
    return f"{written[:19]} UTC{written[19:]}"


def duration(time: timedelta) -> str:
    """Format a duration in its largest unit, rounded down: 2 days, 47 hours, 40 minutes.

    The smallest result is 1 minute.
    """
    seconds = int(time.total_seconds())
    if seconds >= 2 * DAY:  # from two days on, hours do not matter
        return ngettext("%(count)d day", "%(count)d days", seconds // DAY) % {"count": seconds // DAY}
    if seconds >= HOUR:
        return ngettext("%(count)d hour", "%(count)d hours", seconds // HOUR) % {"count": seconds // HOUR}
    minutes = max(1, seconds // MINUTE)
    return ngettext("%(count)d minute", "%(count)d minutes", minutes) % {"count": minutes}
