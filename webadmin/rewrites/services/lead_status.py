"""The status of a lead: still found on its page, or not found since a day.

It never says that something was removed: a search may miss other words.
"""

from dataclasses import dataclass
from datetime import datetime

from django.utils.timezone import localtime

from core.wording import Message
from webadmin.rewrites.models import RewordedLead


@dataclass(frozen=True, slots=True)
class LeadStatus:
    """is_given: the page still shows the version in which it was found. said: that, or since when it does not."""

    is_given: bool
    said: Message


def lead_status(lead: RewordedLead) -> LeadStatus:
    """Read the status from what crawls and searches stored; nothing is fetched or searched."""
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
