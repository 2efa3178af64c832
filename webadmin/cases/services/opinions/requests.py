"""Manages requests for opinions of the published engines, at most one for each page version of a case.

`webadmin.cases.services.opinions.asking` runs the engines. This module does not load them.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from core.errors import RetryLater
from core.messages import OpinionsRequested
from webadmin import stores
from webadmin.cases.models import OpinionRequest, SecondOpinion

# The time after which the broker delivers an unacknowledged message again (pipeline.app.PAGES_VISIBILITY_S). An older
# request was lost or waits in a long queue, and a second message does no harm.
EXPIRES_AFTER = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class OpinionSubject:
    """A page version of a case, about which opinions are requested."""

    case_id: int
    version_id: str

    def __str__(self) -> str:
        return f"{self.case_id}:{self.version_id}"


def request_opinions(subject: OpinionSubject, now: datetime) -> None:
    """Request the opinions of the engines, unless they are stored or an unexpired request is open.

    Raises ServiceUnavailable if the broker does not respond; the request is then deleted.
    """
    if has_answer(subject) or not _open_request(subject, now):
        return
    try:
        stores.outbox().send(OpinionsRequested(subject.case_id, subject.version_id))
    except RetryLater:
        close_request(subject)
        raise


def is_request_open(subject: OpinionSubject, now: datetime) -> bool:
    """Return True if a request for the subject is open and has not expired at `now`."""
    requests = OpinionRequest.objects.filter(case_id=subject.case_id, version_id=subject.version_id)
    return requests.filter(requested_at__gt=now - EXPIRES_AFTER).exists()


def has_answer(subject: OpinionSubject) -> bool:
    """Return True if opinions about the subject are stored, or the reason why there are none."""
    return SecondOpinion.objects.filter(case_id=subject.case_id, version_id=subject.version_id).exists()


def close_request(subject: OpinionSubject) -> None:
    """Delete the request for the subject, if there is one."""
    OpinionRequest.objects.filter(case_id=subject.case_id, version_id=subject.version_id).delete()


def _open_request(subject: OpinionSubject, now: datetime) -> bool:
    """Create a request or renew an expired one. Returns True for only one of several concurrent calls."""
    request, is_new = OpinionRequest.objects.get_or_create(
        case_id=subject.case_id, version_id=subject.version_id, defaults={"requested_at": now}
    )
    expired = OpinionRequest.objects.filter(pk=request.pk, requested_at__lte=now - EXPIRES_AFTER)
    return is_new or bool(expired.update(requested_at=now))
