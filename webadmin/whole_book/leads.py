"""How long before or after its official time a chapter was seen, in words."""

from datetime import timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

DAYS_ALONE = timedelta(days=2)  # from here on nobody counts hours


def lead_in_words(lead: timedelta | None) -> str:
    """A lead or, where it is negative, a lag; cut to whole units, never rounded up. "" for what is not known.

    >>> from django.utils import translation
    >>> with translation.override("en"):
    ...     [lead_in_words(timedelta(hours=hours)) for hours in (3.9, -50, 0)]
    ['3 hours early', '2 days late', 'at the same time']
    """
    if lead is None:
        return ""
    minutes = int(abs(lead).total_seconds() // 60)
    if minutes == 0:
        return _("at the same time")
    is_early = lead > timedelta(0)
    if abs(lead) >= DAYS_ALONE:
        return _days(minutes // (24 * 60), is_early=is_early)
    return _hours(minutes // 60, is_early=is_early) if minutes >= 60 else _minutes(minutes, is_early=is_early)


def _days(count: int, *, is_early: bool) -> str:
    words = (
        ngettext("%(count)d day early", "%(count)d days early", count)
        if is_early
        else ngettext("%(count)d day late", "%(count)d days late", count)
    )
    return words % {"count": count}


def _hours(count: int, *, is_early: bool) -> str:
    words = (
        ngettext("%(count)d hour early", "%(count)d hours early", count)
        if is_early
        else ngettext("%(count)d hour late", "%(count)d hours late", count)
    )
    return words % {"count": count}


def _minutes(count: int, *, is_early: bool) -> str:
    words = (
        ngettext("%(count)d minute early", "%(count)d minutes early", count)
        if is_early
        else ngettext("%(count)d minute late", "%(count)d minutes late", count)
    )
    return words % {"count": count}
