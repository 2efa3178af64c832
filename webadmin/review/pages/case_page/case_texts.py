"""Fetches the texts of a match from the stores. If a text is gone, the frozen excerpts are used, with a note."""

from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from core.errors import ZhuiwenError
from core.ids import PageId, VersionId, WorkTextId, digest
from core.pages import PageVersion, Reading
from core.zones import Zone
from webadmin import stores
from webadmin.cases.models import CaseMatch
from webadmin.ui.models.phrases import ZONES
from webadmin.ui.pages.wording import message_text


@dataclass(slots=True)
class CaseTexts:
    """The texts of a match, each None if missing or changed. notes: sentences for the user.

    reading: the reading that contains the page's text.
    """

    page: str | None = None
    work: str | None = None
    reading: Reading | None = None
    versions: list[PageVersion] = field(default_factory=list)  # the oldest first
    notes: list[str] = field(default_factory=list)


def fetch_texts(match: CaseMatch) -> CaseTexts:
    """Fetch both texts of a match and the versions of its page. Errors become notes."""
    found = CaseTexts(notes=_zone_notes(match))
    try:
        version = stores.page_store().version(VersionId(match.version_id))
        if version is not None:  # The main text is used if the compared text is gone, which a note says.
            found.reading = version.reading
            found.page = version.reading.text_by_digest(match.page_text_digest) or version.reading.text
        found.work = stores.work_store().text(WorkTextId(match.text_id))
        found.versions = stores.page_store().versions(PageId(match.case.page_id))
    except ZhuiwenError as error:
        found.notes.append(
            _("The page store cannot be read (%(error)s); the frozen evidence is shown instead.")
            % {"error": message_text(error)}
        )
    else:
        sides = ((_("page"), found.page), (_("work"), found.work))
        words = _("The text of the %(side)s is no longer in the page store; its frozen excerpts are shown.")
        found.notes += [words % {"side": name} for name, text in sides if text is None]
    found.page = _verify_text(found, found.page, match.page_text_digest, _("page"))
    found.reading = found.reading if found.page is not None else None
    found.work = _verify_text(found, found.work, match.work_text_digest, _("work"))
    return found


def _zone_notes(match: CaseMatch) -> list[str]:
    """Return a note on the passages outside the page's main text, or [] if there are none."""
    zones = {Zone(span.get("zone", Zone.MAIN)) for span in match.spans} - {Zone.MAIN}
    if not zones:
        return []
    zones_text = ", ".join(str(ZONES[zone]) for zone in sorted(zones))
    return [
        _("Some passages are outside the page's main text (%(zones)s); the page column shows them after it.")
        % {"zones": zones_text}
    ]


def _verify_text(found: CaseTexts, text: str | None, expected: str, name: str) -> str | None:
    """Return the text, or None with a note if its digest differs from the evidence.

    name: the side in the note.
    """
    if text is None or digest(text.encode("utf-8", "surrogatepass")) == expected:
        return text
    words = _("The stored text of the %(side)s no longer has the digest of the evidence; frozen excerpts are shown.")
    found.notes.append(words % {"side": name})
    return None
