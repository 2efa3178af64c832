"""The letter of enquiry about a lead, as its page offers and hands it out."""

from dataclasses import dataclass, field
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from core.errors import ZhuiwenError
from records.leads.letter import letter_file, letter_name, letter_refusal
from records.models import RewordedLead
from webadmin.downloads import as_file, refusal
from webadmin.wording import said


@dataclass(frozen=True, slots=True)
class OfferedLetter:
    """files: addresses and names of what may be drafted; refusal: why nothing may, else ""."""

    refusal: str = ""
    files: list[tuple[str, str]] = field(default_factory=list)


def offered_letter(lead: RewordedLead) -> OfferedLetter:
    """What the page says of a letter. The texts are read when one is asked for."""
    refusal = letter_refusal(lead)
    if refusal is not None:
        return OfferedLetter(refusal=said(refusal))
    named = {
        ("docx", "zh-hans"): _("Word, in Chinese"),
        ("txt", "zh-hans"): _("Plain text, in Chinese"),
        ("docx", "en"): _("Word, in English"),
        ("txt", "en"): _("Plain text, in English"),
    }
    return OfferedLetter(
        files=[(f"?{urlencode({'letter': kind, 'in': language})}", name) for (kind, language), name in named.items()]
    )


def letter_response(request: HttpRequest, lead: RewordedLead) -> HttpResponse:
    """The answer to ?letter: the draft as a file, or a sentence that says why there is none."""
    kind, language = request.GET["letter"], request.GET.get("in", "zh-hans")
    try:
        content = letter_file(lead, kind, language)
    except ZhuiwenError as error:
        return refusal(said(error), 409)
    return as_file(letter_name(lead, kind, language), content)
