"""Reads the two compared texts of a lead from the stores, and rejects changed ones."""

from bundles.shapes import text_digest
from core.errors import BadInput
from core.ids import VersionId, WorkTextId
from core.pages import PageVersion
from core.ports import PageStore, WorkStore
from webadmin import stores
from webadmin.rewrites.models import RewordedLead


def compared_texts(lead: RewordedLead) -> tuple[str, str]:
    """Return the texts of page and work. Raises BadInput if one is missing or changed, ServiceUnavailable."""
    _, page = compared_page(lead, stores.page_store())
    return page, compared_work(lead, stores.work_store())


def compared_page(lead: RewordedLead, pages: PageStore) -> tuple[PageVersion, str]:
    """Return the version of the page, and its compared text. Raises as `compared_texts`."""
    version = pages.version(VersionId(lead.version_id))
    text = version.reading.text_by_digest(lead.page_text_digest) if version else None
    if version is None or text is None:
        raise BadInput("reworded.page-gone", number=lead.pk)
    return version, text


def compared_work(lead: RewordedLead, works: WorkStore) -> str:
    """Return the compared text of the work. Raises as `compared_texts`."""
    text = works.text(WorkTextId(lead.text_id))
    if text is None or text_digest(text) != lead.work_text_digest:
        raise BadInput("reworded.work-gone", number=lead.pk)
    return text
