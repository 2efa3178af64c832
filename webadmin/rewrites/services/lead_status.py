"""The status of a lead: still found on its page, or not found since a time.

It never says that a text was removed, because a search may miss another rewriting.
"""

from dataclasses import dataclass
from datetime import datetime

from django.utils.timezone import localtime

from core.wording import Message
from webadmin.rewrites.models import RewordedLead


@dataclass(frozen=True, slots=True)
class LeadStatus:
    """The status of a lead. is_given: the page still shows the version in which it was found. said: describes it."""

    is_given: bool
    said: Message


def lead_status(lead: RewordedLead) -> LeadStatus:
    """Return the status from stored results of crawls and searches, without fetching or searching."""
    page, fetched = lead.page, _minute(lead.fetched_at)
    if page.gone_since is not None:
        return _not_given("reworded.gone-since", since=_minute(page.gone_since), fetched=fetched)
    if lead.lapsed_at is not None:
        return _not_given("reworded.not-found-since", since=_minute(lead.lapsed_at), fetched=fetched)
    if page.version_id != lead.version_id:
        return _not_given("reworded.not-compared-since", fetched=fetched)
    return LeadStatus(is_given=True, said=Message("reworded.still-found", seen=_minute(page.last_seen)))


def _not_given(code: str, **given: str) -> LeadStatus:
    return LeadStatus(is_given=False, said=Message(code, **given))


def _minute(at: datetime) -> str:
    return f"{localtime(at):%Y-%m-%d %H:%M}"
