"""The two texts that a lead compares, as the stores still have them."""

from core.errors import BadInput
from core.ids import VersionId, WorkTextId, digest
from records import stores
from records.models import RewordedLead


def compared_texts(lead: RewordedLead) -> tuple[str, str]:
    """Page and work. Raises BadInput where one is gone or has another digest, ServiceUnavailable."""
    version = stores.page_store().version(VersionId(lead.version_id))
    page = version.reading.text_with(lead.page_text_digest) if version else None
    if page is None:
        raise BadInput("reworded.page-text-gone")
    work = stores.work_store().text(WorkTextId(lead.text_id))
    if work is None or digest(work.encode("utf-8", "surrogatepass")) != lead.work_text_digest:
        raise BadInput("reworded.work-text-gone")
    return page, work
