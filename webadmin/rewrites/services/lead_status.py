"""The status of a lead (still found on its page, or not since when), and its two compared texts.

The status never says that a text was removed, because a search may miss another rewrite.
"""

from dataclasses import dataclass
from datetime import datetime

from django.utils.timezone import localtime

from bundles.shapes import text_digest
from core.errors import BadInput
from core.ids import VersionId, WorkTextId
from core.pages import PageVersion
from core.ports import PageStore, WorkStore
from core.wording import Message
from webadmin import stores
from webadmin.rewrites.models import RewordedLead


@dataclass(frozen=True, slots=True)
class LeadStatus:
    """The status of a lead. is_given: the page's version is still that of the lead. said: a sentence about it."""

    is_given: bool
    said: Message


def lead_status(lead: RewordedLead) -> LeadStatus:
    """Return the status of a lead from stored results of crawls and searches, without fetching or searching."""
    page, fetched = lead.page, _format_minute(lead.fetched_at)
    if page.gone_since is not None:
        return _not_given("reworded.gone-since", since=_format_minute(page.gone_since), fetched=fetched)
    if lead.lapsed_at is not None:
        return _not_given("reworded.not-found-since", since=_format_minute(lead.lapsed_at), fetched=fetched)
    if page.version_id != lead.version_id:
        return _not_given("reworded.not-compared-since", fetched=fetched)
    return LeadStatus(is_given=True, said=Message("reworded.still-found", seen=_format_minute(page.last_seen)))


def _not_given(code: str, **given: str) -> LeadStatus:
    return LeadStatus(is_given=False, said=Message(code, **given))


def _format_minute(at: datetime) -> str:
    return f"{localtime(at):%Y-%m-%d %H:%M}"


def compared_texts(lead: RewordedLead) -> tuple[str, str]:
    """Return the compared texts of the page and the work.

    Raises BadInput if a text is missing or changed, and ServiceUnavailable if a store is unreachable.
    """
    _, page = compared_page(lead, stores.page_store())
    return page, compared_work(lead, stores.work_store())


def compared_page(lead: RewordedLead, pages: PageStore) -> tuple[PageVersion, str]:
    """Return the page version of a lead and its compared text. Raises the errors of `compared_texts`."""
    version = pages.version(VersionId(lead.version_id))
    text = version.reading.text_by_digest(lead.page_text_digest) if version else None
    if version is None or text is None:
        raise BadInput("reworded.page-gone", number=lead.pk)
    return version, text


def compared_work(lead: RewordedLead, works: WorkStore) -> str:
    """Return the compared text of the work. Raises the errors of `compared_texts`."""
    text = works.text(WorkTextId(lead.text_id))
    if text is None or text_digest(text) != lead.work_text_digest:
        raise BadInput("reworded.work-gone", number=lead.pk)
    return text
