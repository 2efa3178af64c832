"""The two texts that a lead compares, as the stores still have them, or a sentence that says why they do not."""

from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from core.errors import ZhuiwenError
from core.ids import VersionId, WorkTextId, digest
from records import stores
from records.models import RewordedLead
from webadmin.wording import said


@dataclass(slots=True)
class LeadTexts:
    """None for a text that is not there, or is not the one that was compared. notes: sentences for the reader."""

    page: str | None = None
    work: str | None = None
    notes: list[str] = field(default_factory=list)


def texts_of(lead: RewordedLead) -> LeadTexts:
    """Fetch both texts; what fails is told in a note, never raised."""
    found = LeadTexts()
    try:
        version = stores.page_store().version(VersionId(lead.version_id))
        page = (version.reading.text_with(lead.page_text_digest) or version.reading.text) if version else None
        work = stores.work_store().text(WorkTextId(lead.text_id))
    except ZhuiwenError as error:
        words = _("The page store cannot be read (%(error)s), so the sentences cannot be shown now.")
        found.notes.append(words % {"error": said(error)})
        return found
    found.page = _checked(found, page, lead.page_text_digest, _("page"))
    found.work = _checked(found, work, lead.work_text_digest, _("work"))
    return found


def _checked(found: LeadTexts, text: str | None, expected: str, name: str) -> str | None:
    if text is None:
        words = _(
            "The text of the %(side)s is no longer in the page store. Of the sentences only their places were kept, so"
            " they cannot be shown."
        )
    elif digest(text.encode("utf-8", "surrogatepass")) != expected:
        words = _(
            "The stored text of the %(side)s no longer has the digest of what was compared, so the sentences cannot be"
            " shown."
        )
    else:
        return text
    found.notes.append(words % {"side": name})
    return None
