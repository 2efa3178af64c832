"""The range of days that forms and commands accept."""

from datetime import date

# The Web dates from December 1990, and nobody needs the 23rd century. Both are far from the ends of the calendar, where
# the midnight of a day cannot be converted to another time zone.
FIRST_DAY, LAST_DAY = date(1990, 1, 1), date(2199, 12, 31)


def is_usable(day: date) -> bool:
    """Return whether a day is in the accepted range."""
    return FIRST_DAY <= day <= LAST_DAY
