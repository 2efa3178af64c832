"""Days that can be asked for."""

from datetime import date

# The Web is of December 1990, and nobody asks for the 23rd century. Both are far from the ends of the calendar, where
# the midnight of a day is none in another zone.
FIRST_DAY, LAST_DAY = date(1990, 1, 1), date(2199, 12, 31)


def is_usable(day: date) -> bool:
    return FIRST_DAY <= day <= LAST_DAY
