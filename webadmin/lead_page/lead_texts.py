"""The two texts that a lead compares, as the stores still have them, or a sentence that says why they do not."""

from collections.abc import Callable
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from core.errors import BadInput, ZhuiwenError
from records import stores
from records.leads.compared_texts import compared_page, compared_work
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
        found.page = _told(found, lambda: compared_page(lead, stores.page_store())[1])
        found.work = _told(found, lambda: compared_work(lead, stores.work_store()))
    except ZhuiwenError as error:
        words = _("The page store cannot be read (%(error)s), so the sentences cannot be shown now.")
        found.notes.append(words % {"error": said(error)})
    return found


def _told(found: LeadTexts, read: Callable[[], str]) -> str | None:
    """What is read, or a note that it is gone or another."""
    try:
        return read()
    except BadInput as error:
        found.notes.append(said(error))
        return None
