"""Moments as whoever reads has them."""

from datetime import datetime

from django.utils import timezone


def local_time(moment: datetime | None) -> str:
    """Write a moment to the second in the zone of whoever reads, with its distance from UTC."""
    if moment is None:
        return "–"
    written = timezone.localtime(moment).isoformat(sep=" ", timespec="seconds")
    return f"{written[:19]} UTC{written[19:]}"
