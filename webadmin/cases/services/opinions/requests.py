"""Manages requests for opinions of the published engines, at most one for each page version of a case.

`webadmin.cases.services.opinions.asking` runs the engines; this module does not load them.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from core.errors import RetryLater
from core.messages import OpinionsRequested
from webadmin import stores
from webadmin.cases.models import OpinionRequest, SecondOpinion

# As long as the broker waits for a worker before it redelivers a message (PAGES_VISIBILITY_S of pipeline.app). An older
# request was lost or waits in a long queue; a second message does no harm.
EXPIRES_AFTER = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class OpinionSubject:
    """A page version of a case."""

    case_id: int
    version_id: str

    def __str__(self) -> str:
        return f"{self.case_id}:{self.version_id}"


def request_opinions(subject: OpinionSubject, now: datetime) -> None:
    """Request the engines' opinions, unless they are known or requested already.

    Raises ServiceUnavailable if the broker does not answer; no request stays open then.
    """
    if has_answer(subject) or not _open_request(subject, now):
        return
    try:
        stores.outbox().send(OpinionsRequested(subject.case_id, subject.version_id))
    except RetryLater:
        close_request(subject)
        raise


def is_request_open(subject: OpinionSubject, now: datetime) -> bool:
    """Return True if a request is open."""
    requests = OpinionRequest.objects.filter(case_id=subject.case_id, version_id=subject.version_id)
    return requests.filter(requested_at__gt=now - EXPIRES_AFTER).exists()


def has_answer(subject: OpinionSubject) -> bool:
    """Return True if an opinion, or the reason why there is none, is stored."""
    return SecondOpinion.objects.filter(case_id=subject.case_id, version_id=subject.version_id).exists()


def close_request(subject: OpinionSubject) -> None:
    """Delete the request."""
    OpinionRequest.objects.filter(case_id=subject.case_id, version_id=subject.version_id).delete()


def _open_request(subject: OpinionSubject, now: datetime) -> bool:
    """Open the request or renew an expired one, and return whether this call did; only one of concurrent calls does."""
    request, is_new = OpinionRequest.objects.get_or_create(
        case_id=subject.case_id, version_id=subject.version_id, defaults={"requested_at": now}
    )
    expired = OpinionRequest.objects.filter(pk=request.pk, requested_at__lte=now - EXPIRES_AFTER)
    return is_new or bool(expired.update(requested_at=now))
