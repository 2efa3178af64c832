"""The notices of a matter, each with where it stands and what is due."""

from dataclasses import dataclass
from datetime import date

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from records.models import Matter, Notice
from records.notices.counters import due_of

SHOWN = 10  # of one matter, the newest; more stand in the list of notices


@dataclass(frozen=True, slots=True)
class NoticeLine:
    """One notice. due: in words, "" where nothing has a last day."""

    notice: Notice
    address: str
    to: str
    due: str
    is_overdue: bool


def notices_of(matter: Matter) -> list[NoticeLine]:
    """The newest notices that name pages of a matter."""
    rows = Notice.objects.filter(pages__case__matter=matter).distinct().select_related("addressee", "site")
    return [_line(notice) for notice in rows.prefetch_related("counters__action")[:SHOWN]]


def _line(notice: Notice) -> NoticeLine:
    words, until = _due(notice)
    return NoticeLine(
        notice=notice,
        address=reverse("admin:records_notice_change", args=[notice.pk]),
        to=notice.addressee.name if notice.addressee else str(notice.values.get("addressee_name", "")),
        due=words % {"day": until.isoformat()} if until else "",
        is_overdue=until is not None and until < timezone.localdate(),
    )


def _due(notice: Notice) -> tuple[str, date | None]:
    if notice.state == Notice.State.SENT and notice.answer_due is not None:
        return _("answer due on %(day)s"), notice.answer_due
    if notice.state in {Notice.State.CLOSED, Notice.State.WITHDRAWN}:
        return "", None
    days = [counted.last for counter in notice.counters.all() if (counted := due_of(counter))]
    return _("complain or sue until %(day)s"), min(days, default=None)
