"""Parses times as people write them: 2026-03-01 12:00, 2026/3/1, 2026年3月1日 12时30分, 2026-03-01T04:00:00Z."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo

from core.errors import BadInput

MAX_SHOWN_CHARS = 60
FIRST_YEAR, LAST_YEAR = 1900, 2200
_FORM = re.compile(
    r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?"
    r"(?:[T\s]*(\d{1,2})[:时時点點](\d{1,2})?分?(?::?(\d{1,2})(?:\.\d+)?秒?)?)?\s*(Z|[+-]\d{2}:?\d{2})?",
    re.ASCII,
)


def parse_moment(text: str, zone: tzinfo | None) -> datetime:
    """Parse a time, and return it in UTC.

    zone: the time zone of a time without an offset. A date without a time is midnight. Raises BadInput if the text is
    not a time, or if it has no offset and `zone` is None.

    >>> from zoneinfo import ZoneInfo
    >>> parse_moment("2026年3月1日 12时30分", ZoneInfo("Asia/Shanghai")).isoformat()
    '2026-03-01T04:30:00+00:00'
    """
    normalized = " ".join(text.split())
    shown = normalized if len(normalized) <= MAX_SHOWN_CHARS else f"{normalized[:MAX_SHOWN_CHARS]}..."
    match = _FORM.fullmatch(normalized.translate(_WIDE))
    if match is None:
        raise BadInput("times.no-moment", text=shown)
    offset = _parse_offset(match[7]) if match[7] else zone
    if offset is None:
        raise BadInput("times.no-offset", text=shown)
    year, month, day, hour, minute, second = (int(number or 0) for number in match.groups()[:6])
    try:
        moment = datetime(year, month, day, hour, minute, second, tzinfo=offset)
    except ValueError as error:
        raise BadInput("times.no-moment", text=shown) from error
    if not FIRST_YEAR <= year <= LAST_YEAR:
        raise BadInput("times.year", text=shown, first=FIRST_YEAR, last=LAST_YEAR)
    return moment.astimezone(UTC)


_WIDE = str.maketrans("０１２３４５６７８９：－／．＋", "0123456789:-/.+")


def _parse_offset(text: str) -> tzinfo | None:
    if text == "Z":
        return UTC
    hours, minutes = int(text[1:3]), int(text[-2:])
    if hours > 14 or minutes > 59:
        return None
    return timezone(timedelta(hours=hours, minutes=minutes) * (-1 if text[0] == "-" else 1))
