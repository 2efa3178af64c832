"""Drafts the letter of enquiry about a confirmed lead on request; it is neither stored nor sent."""

from collections.abc import Callable, Mapping
from datetime import date, datetime

from django.utils import timezone

from core.errors import BadInput
from core.matches import RewordedClass, RewordedState
from core.wording import Message
from documents.blocks import Document
from documents.plain import text_file
from documents.word_writing import word_file
from matcher.reworded.shared_wording import shared_wording
from webadmin.notices.models import HolderIdentity, HolderPaper
from webadmin.notices.services.addressees import OF_ONE_SITE, Origin, SiteAddressee, list_addressees
from webadmin.notices.services.kept_files import is_valid
from webadmin.notices.services.values import format_with_offset
from webadmin.rewrites.models import RewordedLead
from webadmin.rewrites.services.compared_texts import compared_texts
from webadmin.rewrites.services.enquiry_letter import Enquiry, QuotedPair, Recipient, Sender, enquiry_letter
from webadmin.rewrites.services.lead_status import lead_status
from webadmin.rewrites.services.verdicts import is_verdict_current
from webadmin.sites.models import Site

MAX_PAIRS = 20  # chosen: two to three sheets; the lead's page shows all
MAX_SENTENCE_CHARS = 300  # a sentence has 50; a longer one on a hostile page is cut
WRITERS: Mapping[str, Callable[[Document, datetime], bytes]] = {
    "docx": word_file,
    "txt": lambda document, made_at: text_file(document),
}


LANGUAGES = ("zh-hans", "en")


def letter_refusal(lead: RewordedLead) -> Message | None:
    """Return a message on why no letter about a lead can be drafted now, or None if one can."""
    if lead.state != RewordedState.CONFIRMED:
        is_waiting = lead.state == RewordedState.WAITING
        return Message("reworded.letter-waits" if is_waiting else "reworded.letter-dismissed")
    status = lead_status(lead)
    if not status.is_given:
        return Message("reworded.letter-not-now", standing=status.said)
    newest = lead.verdicts.first()
    if newest is None or not is_verdict_current(newest, lead):
        return Message("reworded.letter-compared-since")
    return None


def letter_file(lead: RewordedLead, kind: str, language: str) -> bytes:
    """Return the current draft. kind: of WRITERS. language: of LANGUAGES.

    The caller must check that the reader may see the lead. Raises BadInput for another kind or language, with the
    message of `letter_refusal`, and if a compared text is missing; ServiceUnavailable.
    """
    if kind not in WRITERS:
        raise BadInput("reworded.letter-kind", kind=kind, kinds=tuple(WRITERS))
    if language not in LANGUAGES:
        raise BadInput("reworded.letter-language", language=language, languages=LANGUAGES)
    refusal = letter_refusal(lead)
    if refusal is not None:
        raise BadInput(refusal)
    return WRITERS[kind](enquiry_letter(_enquiry(lead, language), language), timezone.now())


def letter_name(lead: RewordedLead, kind: str, language: str) -> str:
    """Return the name of the letter's file."""
    return f"{Message('letter.title').in_language(language)} {lead.pk}.{kind}"


def _enquiry(lead: RewordedLead, language: str) -> Enquiry:
    pairs, zone = _pairs(lead), timezone.get_default_timezone()
    counts = {"pairs": lead.pair_count, "sentences": lead.sentence_count, "in_order": lead.in_order}
    confirmed = lead.verdicts.all()[0]
    return Enquiry(
        holder=_holder(lead),
        addressee=_addressee(lead.site),
        work=_line(lead.work.title),
        author=_line(lead.work.author),
        chapter=_line(lead.chapter_title),
        proofs=_proofs(lead, timezone.now().astimezone(zone).date(), language),
        site=_line(lead.site.name),
        page_url=_line(lead.page_url),
        page_title=_line(lead.page_title),
        fetched=format_with_offset(lead.fetched_at, zone),
        raw_digest=lead.raw_digest,
        is_translated=lead.found_as == RewordedClass.TRANSLATED,
        counterparts=Message("reworded.sentences", **counts).in_language(language),
        caution=Message("reworded.caution").in_language(language),
        confirmed=confirmed.decided_at.astimezone(zone).date().isoformat(),
        pairs=pairs,
        more_pairs=len(lead.pairs) - len(pairs),
    )


def _pairs(lead: RewordedLead) -> list[QuotedPair]:
    """Return the strongest pairs of a lead, in the order of the page."""
    page, work = compared_texts(lead)
    strongest = sorted(lead.pairs, key=lambda pair: (-pair[4], pair[0]))[:MAX_PAIRS]
    return [_pair(page[start:end], work[first:last]) for start, end, first, last, _ in sorted(strongest)]


def _pair(page: str, work: str) -> QuotedPair:
    said, counterpart = _sentence(page), _sentence(work)
    return QuotedPair(said, counterpart, *shared_wording(said, counterpart))


def _sentence(text: str) -> str:
    sentence = _line(text)
    return sentence if len(sentence) <= MAX_SENTENCE_CHARS else f"{sentence[:MAX_SENTENCE_CHARS]}…"


def _holder(lead: RewordedLead) -> Sender:
    identity = HolderIdentity.objects.filter(rights_holder=lead.rights_holder_id).first()
    if identity is None:
        return Sender(lead.rights_holder.name)
    return Sender(identity.legal_name, identity.address, identity.contact_person, identity.phone, identity.email)


def _addressee(site: Site) -> Recipient | None:
    """Return the addressee responsible for the site's texts, because a host or registrar does not know their origin."""
    found = next((each for each in list_addressees(site) if each.role not in OF_ONE_SITE), None)
    if found is None:
        return None
    return Recipient(_recipient_name(found), _recipient_contact(found), is_read_on_site=found.origin is Origin.READ)


def _recipient_name(found: SiteAddressee) -> str:
    return _line((found.addressee.legal_name if found.addressee else "") or found.name)


def _recipient_contact(found: SiteAddressee) -> str:
    postal = found.addressee.postal_address if found.addressee else ""
    return "  ".join(_line(each) for each in (postal, found.email, found.complaint_page or found.form_page) if each)


def _proofs(lead: RewordedLead, on: date, language: str) -> str:
    """Return the names of the documents that prove ownership of the work and are valid on a day."""
    papers = HolderPaper.objects.filter(
        rights_holder=lead.rights_holder_id, kind=HolderPaper.Kind.OWNERSHIP, withdrawn_at=None
    )
    names = [_line(each.name) for each in papers if each.work_id in {None, lead.work_id} and is_valid(each, on)]
    return ("、" if language.startswith("zh") else ", ").join(names)


def _line(text: str) -> str:
    """Return a text on one line, so that a crawled title cannot start a paragraph of the letter."""
    return " ".join(text.split())
